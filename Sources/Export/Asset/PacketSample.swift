// A bounded run of packets from a container's beginning: when frames are shown, what is encrypted, how GOPs refer to each
// other. Decodes nothing.
internal import Libav

/// What a bounded run of packets showed.
struct PacketSample {
    /// Packets looked at to judge timing, at most, and their bytes.
    private static let packetLimit = 1500, byteLimit = 48 << 20
    /// Frames of a video track that are enough to judge its timing.
    private static let framesWanted = 250

    /// Presentation times by video track.
    var times: [Int: [Int64]] = [:]
    /// Samples the first packet of an audio track throws away.
    var skipped: [Int: Int] = [:]
    /// Tracks with packets that are encrypted.
    var encrypted: Set<Int> = []
    /// Tracks in which a frame follows a keyframe and is shown before it.
    var openGOP: Set<Int> = []
    /// Video tracks of which no packet has a time.
    var untimed: Set<Int> = []
    /// How many packets came before the first keyframe, by video track.
    var firstKey: [Int: Int] = [:]
    /// The container broke off.
    var broken: String?
    /// The build of x264 that the first packet of a track of H.264 names.
    var x264Builds: [Int: Int] = [:]
    /// Video tracks whose frames are two coded fields: whether the bottom field comes first, and whether each is a sample.
    var fields: [Int: (isBottomFirst: Bool, areSamples: Bool)] = [:]

    /// Decoding times of the last packets read, by video track.
    private var lastDecoding: [Int: Int64] = [:]

    mutating func read(_ demuxer: Demuxer, _ streams: [StreamInfo]) throws(LibavError) {
        let reader = SampleReader(demuxer)
        let isWhole = try readPackets(reader, streams)
        for stream in streams {
            guard let isBottomFirst = reader.isBottomFirst(stream.index) else { continue }
            fields[stream.index] = (isBottomFirst, reader.joined.contains(stream.index))
        }
        if isWhole { return }
        // Frames not read yet may be shown between those read last: no frame is shown before it is decoded, so that
        // up to the last decoding time there are no gaps.
        for (track, last) in lastDecoding { times[track]?.removeAll { $0 > last } }
    }

    private func build(_ packet: Packet, _ demuxer: Demuxer) throws(LibavError) -> Int? {
        guard demuxer.codec(of: packet.track) == "h264" else { return nil }
        let parameters = try CodecParameters(demuxer, track: packet.track)
        return X264Build.named(
            in: packet.bytes[...], framing: NALFraming(extradata: parameters.extradata, codec: .h264))
    }

    /// Whether the file was read to its end.
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
                guard let pts = packet.pts else { break }
                lastDecoding[track] = packet.dts
                if packet.isKey {
                    lastKey[track] = pts
                    if firstKey[track] == nil { firstKey[track] = counts[track] ?? 0 }
                } else if let key = lastKey[track], pts < key, firstKey[track] == 0,
                    counts[track, default: 0] > 1
                {
                    // A frame shown before the keyframe it follows refers to what was before; in the first GOP
                    // there is nothing before it.
                    if times[track]?.contains(where: { $0 < pts }) == true { openGOP.insert(track) }
                }
                if !packet.isDiscarded { times[track, default: []].append(pts) }
            default: break
            }
            if bytes > PacketSample.byteLimit { return false }
            if !videos.isEmpty, videos.allSatisfy({ times[$0]?.count ?? 0 >= PacketSample.framesWanted }) {
                return false
            }
            if videos.isEmpty, counts.values.max() ?? 0 >= 20 { return false }
        }
        return false
    }
}
