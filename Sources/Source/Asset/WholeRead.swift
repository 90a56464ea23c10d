// Properties that need the whole file: where playback can begin, and the exact number of frames. One pass over all packets for
// both; decodes nothing.
internal import Codecs
package import Libav
package import Media
internal import MediaTime

/// One pass over a whole file.
package struct WholeRead {
    private let wanted: Set<AssetProperty>
    /// Why a property could not be loaded.
    package private(set) var failures: [(AssetProperty, MediaError)] = []

    /// A pass for some properties.
    package init(_ wanted: Set<AssetProperty>) { self.wanted = wanted }

    /// Nothing is requested.
    package var isEmpty: Bool { wanted.isEmpty }

    /// Reads the file and adds the results to the asset.
    package mutating func read(_ source: SourceFile, _ asset: inout Asset) {
        do throws(MediaError) {
            let (samples, counts, broken) = try packets(source, asset)
            for index in asset.tracks.indices {
                let track = asset.tracks[index]
                if wanted.contains(.keyframes), track.kind == .video, !track.isPicture {
                    let found = samples[track.index, default: []].sorted { $0.time < $1.time }
                    asset.tracks[index].keyframes = found.map(\.time)
                    asset.tracks[index].syncSamples = found
                }
                if wanted.contains(.frameCounts), broken == nil {
                    asset.tracks[index].frameCount = counts[track.index, default: 0]
                }
            }
            // In a truncated file the keyframes found are valid; a count would not be.
            if let broken, wanted.contains(.frameCounts) {
                failures.append(
                    (
                        .frameCounts,
                        MediaError(
                            .damagedMedia, "\(source.name) breaks off: \(broken)",
                            remedy: "what is before can be exported")
                    ))
            }
        } catch {
            failures = wanted.sorted { $0.rawValue < $1.rawValue }.map { ($0, error) }
        }
    }

    /// The sync samples of video tracks and the sample counts of all tracks; and why reading ended early.
    private func packets(
        _ source: SourceFile, _ asset: Asset
    ) throws(MediaError) -> (samples: [Int: [SyncSample]], counts: [Int: Int64], broken: String?) {
        let reader: SampleReader
        do throws(OpenFailure) { reader = try SampleReader(source, quick: true) } catch {
            throw MediaError(error, source: source)
        }
        let demuxer = reader.demuxer
        var scans: [Int: SyncScan] = [:]
        if wanted.contains(.keyframes) {
            for track in asset.tracks where track.kind == .video && !track.isPicture {
                let parameters = try media(.fileFailedToParse, track: track.index) { () throws(LibavError) in
                    try CodecParameters(demuxer, track: track.index)
                }
                scans[track.index] = SyncScan(track, origin: asset.start, extradata: parameters.extradata)
            }
        }
        let packet = try media(.outOfMemory) { () throws(LibavError) in try Packet() }
        var counts: [Int: Int64] = [:]
        let codecs = Dictionary(uniqueKeysWithValues: asset.tracks.map { ($0.index, $0.videoCodec) })
        let videos = asset.tracks.filter { $0.kind == .video && !$0.isPicture }
        let shown = Dictionary(
            uniqueKeysWithValues: videos.map { ($0.index, ShownFrames(source, $0, origin: asset.start)) })
        func samples() -> [Int: [SyncSample]] { scans.mapValues(\.samples) }
        while true {
            switch reader.read(into: packet) {
            case .packet: break
            case .ended:
                let isShort = demuxer.lastIndexedByte.map { $0 > source.size } ?? false
                return (samples(), counts, isShort ? "its index speaks of more than there is" : nil)
            case .broken(let error): return (samples(), counts, error.description)
            }
            guard !packet.isDiscarded, !packet.isSecondField,
                codecs[packet.track]?.isNonShown(packet) != true
            else {
                continue
            }
            if shown[packet.track]?.contains(packet) != false { counts[packet.track, default: 0] += 1 }
            scans[packet.track]?.take(packet)
        }
    }
}

/// Collects the sync samples of one track, packet by packet.
private struct SyncScan {
    package private(set) var samples: [SyncSample] = []
    private let track: Track
    private let origin: Time
    private let kind: SampleKind

    init(_ track: Track, origin: Time, extradata: [UInt8]) {
        self.track = track
        self.origin = origin
        kind = SampleKind(codec: track.codec, extradata: extradata)
    }

    mutating func take(_ packet: Packet) {
        guard let pts = packet.pts else { return }
        let time = track.timebase.time(ofTicks: pts) - origin
        if packet.isKey {
            samples.append(SyncSample(time: time, kind: kind.name(of: packet)))
        } else if let last = samples.last, time < last.time {
            samples[samples.count - 1].leading = (last.leading ?? 0) + 1
        }
    }
}

extension Asset {
    /// Removes properties that were not requested.
    package mutating func keep(_ wanted: Set<AssetProperty>) {
        // Properties of individual tracks need the tracks.
        if wanted.isDisjoint(with: [.tracks, .timing, .keyframes, .frameCounts]) { tracks = [] }
        if !wanted.contains(.duration) { duration = nil }
        if !wanted.contains(.chapters) { chapters = [] }
        if !wanted.contains(.metadata) { (metadata, items, timecode) = ([:], nil, nil) }
        if !wanted.contains(.timing) { faults = [] }
    }
}
