// What only a whole file tells: where playback can begin, and exactly how many frames there are. One pass over all packets
// for both; decodes nothing.
internal import Libav
internal import Media
internal import MediaTime

/// One pass over a whole file.
struct WholeRead {
    private let wanted: Set<AssetProperty>
    /// Why a property could not be had.
    private(set) var failures: [(AssetProperty, MediaError)] = []

    /// A pass for some properties.
    init(_ wanted: Set<AssetProperty>) { self.wanted = wanted }

    /// Nothing is wanted.
    var isEmpty: Bool { wanted.isEmpty }

    /// Reads, and puts into the asset what was found.
    mutating func read(_ source: SourceFile, _ asset: inout Asset) {
        do throws(MediaError) {
            let (keyframes, counts, broken) = try WholeRead.packets(source, asset)
            for index in asset.tracks.indices {
                let track = asset.tracks[index]
                if wanted.contains(.keyframes), track.kind == .video, !track.isPicture {
                    asset.tracks[index].keyframes = keyframes[track.index, default: []].sorted()
                        .map { track.timebase.time(ofTicks: $0) - asset.start }
                }
                if wanted.contains(.frameCounts), broken == nil {
                    asset.tracks[index].frameCount = counts[track.index, default: 0]
                }
            }
            // Where a file breaks off, the keyframes before are what there is; a count would be no count.
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

    private static func packets(
        _ source: SourceFile, _ asset: Asset
    ) throws(MediaError) -> (keyframes: [Int: [Int64]], counts: [Int: Int64], broken: String?) {
        let videos = Set(asset.tracks.filter { $0.kind == .video && !$0.isPicture }.map(\.index))
        let demuxer: Demuxer
        do throws(OpenFailure) { demuxer = try Demuxer(source, quick: true) } catch {
            throw MediaError(error, source: source)
        }
        let packet = try media(.outOfMemory) { () throws(LibavError) in try Packet() }
        var keyframes: [Int: [Int64]] = [:]
        var counts: [Int: Int64] = [:]
        while true {
            switch demuxer.read(into: packet) {
            case .packet: break
            case .ended:
                let isShort = demuxer.lastIndexedByte.map { $0 > source.size } ?? false
                return (keyframes, counts, isShort ? "its index speaks of more than there is" : nil)
            case .broken(let error): return (keyframes, counts, error.description)
            }
            guard !packet.isDiscarded else { continue }
            counts[packet.track, default: 0] += 1
            if videos.contains(packet.track), packet.isKey, let pts = packet.pts {
                keyframes[packet.track, default: []].append(pts)
            }
        }
    }
}

extension Asset {
    /// Lets go of what was not asked for.
    mutating func keep(_ wanted: Set<AssetProperty>) {
        // What is said of tracks one by one needs the tracks.
        if wanted.isDisjoint(with: [.tracks, .timing, .keyframes, .frameCounts]) { tracks = [] }
        if !wanted.contains(.duration) { duration = nil }
        if !wanted.contains(.chapters) { chapters = [] }
        if !wanted.contains(.metadata) { (metadata, items, timecode) = ([:], nil, nil) }
        if !wanted.contains(.timing) { faults = [] }
    }
}
