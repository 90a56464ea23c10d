// Reads a bounded run of packets from a container's beginning: when frames are shown, which tracks are encrypted, how GOPs refer
// to each other. Decodes nothing.
package import Codecs
package import Libav

/// The facts from a bounded run of packets.
package struct PacketSample {
    /// Maximum number of packets read to determine timing, and of their bytes.
    private static let packetLimit = 1500, byteLimit = 48 << 20
    /// Number of frames of a video track that suffice for its timing.
    private static let framesWanted = 250

    /// The times of each video track's frames, with their numbers: presentation times, or decoding times where some frames lack
    /// one. Frames without either are left out.
    package var times: [Int: [(offset: Int, element: Int64)]] = [:]
    /// The video tracks that were read to their end, with the duration of the last frame in ticks; 0 if unknown.
    package var lastDurations: [Int: Int64] = [:]
    /// Samples that the first packet of an audio track discards.
    package var skipped: [Int: Int] = [:]
    /// Tracks with encrypted packets.
    package var encrypted: Set<Int> = []
    /// Tracks in which a frame follows a keyframe and is shown before it.
    package var openGOP: Set<Int> = []
    /// Video tracks in which a frame is stored after one that is shown later.
    package var reordered: Set<Int> = []
    /// Video tracks without any packet times.
    package var untimed: Set<Int> = []
    /// Number of packets before the first keyframe, by video track.
    package var firstKey: [Int: Int] = [:]
    /// The container is truncated.
    package var broken: String?
    /// The x264 build that the first packet of an H.264 track names.
    package var x264Builds: [Int: Int] = [:]
    /// Video tracks whose frames are two coded fields: whether the bottom field comes first, and whether each is a sample.
    package var fields: [Int: (isBottomFirst: Bool, areSamples: Bool)] = [:]

    /// When a frame is shown and decoded, as far as its packet says.
    private struct Stamp {
        var pts: Int64?
        var dts: Int64?
        var duration: Int64
    }
    /// The frames of each video track, in decoding order.
    private var stamps: [Int: [Stamp]] = [:]

    package mutating func read(_ demuxer: Demuxer, _ streams: [StreamInfo]) throws(LibavError) {
        let reader = SampleReader(demuxer)
        let isWhole = try readPackets(reader, streams)
        for stream in streams {
            guard let isBottomFirst = reader.isBottomFirst(stream.index) else { continue }
            fields[stream.index] = (isBottomFirst, reader.joined.contains(stream.index))
        }
        for (track, stamps) in stamps {
            times[track] = PacketSample.times(stamps, isWhole: isWhole)
            guard isWhole, let last = stamps.max(by: { $0.pts ?? .min < $1.pts ?? .min }) else { continue }
            lastDurations[track] = last.duration
        }
    }

    private static func times(_ stamps: [Stamp], isWhole: Bool) -> [(offset: Int, element: Int64)] {
        let shown = stamps.compactMap(\.pts)
        guard shown.count < stamps.count else {
            let sorted = Set(shown).sorted()
            // Frames not read yet may be shown between the last ones read: no frame is shown before it is decoded, so there are
            // no gaps up to the last decoding time.
            let last = isWhole ? nil : stamps.last?.dts
            return Array(sorted.filter { last == nil || $0 <= last ?? $0 }.enumerated())
        }
        return stamps.enumerated().compactMap { number, stamp in stamp.dts.map { (number, $0) } }
    }

    private func build(_ packet: Packet, _ demuxer: Demuxer) throws(LibavError) -> Int? {
        guard let codec = demuxer.codec(of: packet.track) else { return nil }
        let parameters = try CodecParameters(demuxer, track: packet.track)
        return VideoCodecs.named(codec).encoderBuild(in: packet.bytes, extradata: parameters.extradata)
    }

    /// Returns whether the file was read to its end.
    private mutating func readPackets(
        _ reader: SampleReader, _ streams: [StreamInfo]
    ) throws(LibavError) -> Bool {
        let packet = try Packet()
        var kinds: [Int: StreamInfo.Kind] = [:]
        for stream in streams where !stream.dispositions.contains("attached_pic") {
            kinds[stream.index] = stream.kind
        }
        let videos = kinds.filter { $0.value == .video }.keys
        var lastKey: [Int: Int64] = [:]
        var latest: [Int: Int64] = [:]
        var counts: [Int: Int] = [:]
        var bytes = 0
        for _ in 0..<PacketSample.packetLimit {
            switch reader.read(into: packet) {
            case .packet: break
            case .ended: return true
            case .broken(let error):
                broken = error.description
                return true
            }
            let track = packet.track
            bytes += packet.size
            defer { counts[track, default: 0] += 1 }
            if packet.isEncrypted { encrypted.insert(track) }
            switch kinds[track] {
            case .audio:
                if counts[track] == nil, packet.skippedSamples > 0 { skipped[track] = packet.skippedSamples }
            case .video:
                if counts[track] == nil {
                    untimed.insert(track)
                    x264Builds[track] = try build(packet, reader.demuxer)
                }
                if packet.pts != nil || packet.dts != nil { untimed.remove(track) }
                if !packet.isDiscarded, !packet.isSecondField {
                    stamps[track, default: []].append(
                        Stamp(pts: packet.pts, dts: packet.dts, duration: packet.duration))
                }
                guard let pts = packet.pts else { break }
                if pts < latest[track, default: pts] { reordered.insert(track) }
                latest[track] = max(pts, latest[track, default: pts])
                if packet.isKey {
                    lastKey[track] = pts
                    if firstKey[track] == nil { firstKey[track] = counts[track] ?? 0 }
                } else if let key = lastKey[track], pts < key, firstKey[track] == 0,
                    counts[track, default: 0] > 1
                {
                    // A frame shown before the keyframe it follows refers to earlier frames; in the first GOP there are none.
                    let isEarlier = { (stamp: Stamp) in stamp.pts.map { $0 < pts } ?? false }
                    if stamps[track]?.contains(where: isEarlier) == true { openGOP.insert(track) }
                }
            default: break
            }
            if bytes > PacketSample.byteLimit { return false }
            if !videos.isEmpty, videos.allSatisfy({ stamps[$0]?.count ?? 0 >= PacketSample.framesWanted }) {
                return false
            }
            if videos.isEmpty, counts.values.max() ?? 0 >= 20 { return false }
        }
        return false
    }
}

extension VideoCodec {
    /// Whether decoding the packet shows nothing (a frame that is only a reference). False where unknown.
    package static func isNonShown(_ packet: Packet) -> Bool {
        let codec = packet.foreignCodec.map(VideoCodecs.named) ?? Self.self
        return packet.withBytes { codec.isNonShown($0) }
    }
}
