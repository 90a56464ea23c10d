// Finds the last position from which every frame shown from the in point on decodes. The keyframe in the container's index is not
// enough: it may be stored before the in point and shown after it, or be mislabelled. Verifies the position by decoding: the
// first frame must be shown at or before the in point. Used on the decoding queue.
internal import Codecs
package import Libav
package import Media
package import MediaTime

/// The search for the start position.
package struct VideoStart {
    package let source: SourceFile
    package let track: Track
    package let origin: Time
    package let start: Time
    /// The out point; nil: the end of the track. Only for what is damage.
    package var end: Time?
    package let diagnostics: Diagnostics
    /// The decoder first reads the headers of the track's first frame, instead of using the probed parameters.
    package var isPrimed = false
    /// Fields that are separate pictures are returned as fields, not joined to frames.
    package var keepsFields = false
    /// Called with the packets sent to the decoder, in file order.
    package var onPacket: (Packet) -> Void = { _ in }

    /// Returns the last frames where FFmpeg does not (`Decoder.init`): of a source, whose frames are to be had; of an output, whose
    /// players may be FFmpeg, it is not wanted.
    package var keepsLast = true
    /// Decoder threads. One per processor: nothing else runs until the in point is reached. Each thread holds one or two frames.
    package var threads = Decoder.processors

    /// Whether the frame on screen at `start` is all that is wanted: where that is a closed sync sample, nothing else is decoded.
    package var isSingle = false

    /// Begins at an earlier sync sample than necessary, or at the beginning where that is near: for who compares what was decoded from the
    /// nearest one.
    package var isApart = false

    /// Leaves the loop filter out: for frames of which no more is wanted than what they show.
    package var skipsLoopFilter = false

    /// Decodes nothing behind the film that it begins in.
    package var staysInFilm = false

    package init(
        source: SourceFile, track: Track, origin: Time, start: Time, end: Time? = nil,
        diagnostics: Diagnostics, isPrimed: Bool = false, keepsFields: Bool = false,
        onPacket: @escaping (Packet) -> Void = { _ in }, keepsLast: Bool = true,
        threads: Int = Decoder.processors, isSingle: Bool = false, isApart: Bool = false,
        skipsLoopFilter: Bool = false, staysInFilm: Bool = false
    ) {
        self.staysInFilm = staysInFilm
        self.source = source
        self.track = track
        self.origin = origin
        self.start = start
        self.end = end
        self.diagnostics = diagnostics
        self.isPrimed = isPrimed
        self.keepsFields = keepsFields
        self.onPacket = onPacket
        self.keepsLast = keepsLast
        self.threads = threads
        self.isSingle = isSingle
        self.isApart = isApart
        self.skipsLoopFilter = skipsLoopFilter
    }

    /// A decoder that has started.
    package struct Begun {
        package var reader: TrackReader
        package var decoder: Decoder
        /// HDR light levels from the container.
        package var light: LightLevels
        /// The track has ended; the decoder is being flushed.
        package var isFlushing: Bool
        /// Tracks damage; it has not seen the frames yet.
        package var watch: DamageWatch
    }

    /// Goes back further and further until the first decoded frame is shown at or before the in point.
    package func find() throws(MediaError) -> ([Frame], Begun) {
        let start = isApart ? try earlierStart() : start
        for back in LookBack.video {
            let reader = try TrackReader.open(
                source, track: track, origin: origin, at: start, back: back, staysInFilm: staysInFilm)
            if let found = try attempt(reader, from: start) { return found }
        }
        throw MediaError(
            .undecodableMediaData, "nothing of track \(track.index) (\(track.codec)) decodes",
            track: track.index,
            remedy: "the file is damaged")
    }

    /// This near, what begins apart begins at the beginning.
    private static let near = Time(5, 1)

    /// A time just before the sync sample that decoding for `start` begins with, as far as the container says.
    private func earlierStart() throws(MediaError) -> Time {
        let begin = max(track.start ?? .zero, .zero)
        guard start - begin > VideoStart.near else { return begin }
        let reader = try TrackReader.open(source, track: track, origin: origin, at: start, back: .zero)
        let packet = try media(.outOfMemory, track: track.index) { () throws(LibavError) in try Packet() }
        while !reader.isFromBeginning, reader.read(into: packet, Diagnostics()) {
            guard packet.isKey, let pts = packet.pts else { continue }
            return max(begin, min(time(pts), start) - track.timebase.time(ofTicks: 1))
        }
        return begin
    }

    private func attempt(_ reader: TrackReader, from start: Time) throws(MediaError) -> ([Frame], Begun)? {
        do throws(LibavError) {
            let parameters = try CodecParameters(reader.demuxer, track: track.index)
            let decoder = try Decoder(
                parameters, timebase: track.timebase, threads: threads,
                transparent: track.video?.hasAlpha == true,
                reorderDepth: track.videoCodec.reorderDepth(extradata: parameters.extradata),
                isBottomFirst: keepsFields ? nil : track.isBottomFieldFirst, keepsLast: keepsLast,
                x264Build: isPrimed ? nil : track.video?.x264Build)
            if isPrimed, !reader.isFromBeginning { try prime(decoder) }
            decoder.skipsLoopFilter = skipsLoopFilter
            var hasKey = reader.isFromBeginning
            let kind = SampleKind(codec: track.codec, extradata: parameters.extradata)
            var watch = DamageWatch(track, origin: origin, kind: kind, from: start, to: end)
            var isAlone = false
            while true {
                let packet = try Packet()
                let isPacket = !isAlone && reader.read(into: packet, diagnostics)
                if isPacket, !hasKey {
                    // Frames that begin after the in point are useless, so the search stops.
                    if let dts = packet.dts ?? packet.pts, time(dts) > start { return nil }
                    guard packet.isKey else { continue }
                    if let pts = packet.pts, time(pts) > start { return nil }
                    hasKey = true
                }
                if !isPacket, !hasKey { return nil }
                if isPacket {
                    isAlone =
                        isSingle && packet.isKey && isShown(packet)
                        && kind.access(of: packet) == .closed
                    onPacket(packet)
                    watch.give(packet, number: decoder.packets)
                }
                if case .damaged(let error) = try decoder.send(isPacket ? packet : nil) {
                    watch.refused(error, by: decoder, isFlushing: !isPacket)
                }
                let frames = try received(decoder) {
                    watch.refused($0, by: decoder, isFlushing: !isPacket)
                }
                if let first = frames.first {
                    guard reader.isFromBeginning || first.bestEffort.map({ time($0) <= start }) == true else {
                        return nil
                    }
                    return (
                        frames,
                        Begun(
                            reader: reader, decoder: decoder, light: LightLevels(parameters),
                            isFlushing: !isPacket, watch: watch)
                    )
                }
                if !isPacket {
                    guard reader.isFromBeginning else { return nil }
                    throw LibavError(
                        "decoding", cause: "no frame of track \(track.index) (\(track.codec)) decodes"
                    )
                }
            }
        } catch { throw MediaError(error, fallback: .undecodableMediaData, track: track.index) }
    }

    /// Whether a packet's frame is on screen at `start`, as far as the packet says.
    private func isShown(_ packet: Packet) -> Bool {
        guard let pts = packet.pts, packet.duration > 0 else { return false }
        return time(pts) <= start && start < time(pts + packet.duration)
    }

    /// Reads the beginning of the track up to its first frame, which is not decoded.
    private func prime(_ decoder: Decoder) throws(LibavError) {
        guard
            let reader = try? TrackReader.open(
                source, track: track, origin: origin, at: .zero, back: .zero)
        else { return }
        let (packet, quiet) = (try Packet(), Diagnostics())
        decoder.skipsFrames = true
        defer { decoder.skipsFrames = false }
        for _ in 0..<VideoStart.primed where reader.read(into: packet, quiet) {
            _ = try decoder.send(packet)
            if packet.isKey { break }
        }
        decoder.flush()
    }

    /// Maximum number of packets before the first sync sample.
    private static let primed = 64

    private func received(
        _ decoder: Decoder, _ damaged: (LibavError) -> Void
    ) throws(LibavError) -> [Frame] {
        var frames: [Frame] = []
        while true {
            let frame = try Frame()
            switch try decoder.receive(into: frame) {
            case .frame: frames.append(frame)
            case .needsInput, .ended: return frames
            case .damaged(let error): damaged(error)
            }
        }
    }

    private func time(_ ticks: Int64) -> Time { track.timebase.time(ofTicks: ticks) - origin }
}
