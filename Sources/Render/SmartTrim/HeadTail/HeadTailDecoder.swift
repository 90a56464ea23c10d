// Decodes the frames around a cut point, in presentation order, on the caller's queue. Reports what does not decode and goes on:
// the caller decides whether a damaged frame matters.
package import Codecs
package import Libav
package import Media
package import MediaTime
package import Source

/// Decodes from a given position.
package struct HeadTailDecoder {
    let source: SourceFile
    let track: Track
    let origin: Time
    let diagnostics: Diagnostics
    /// Collects the SEI of the source's frames; nil if none is understood.
    var messages: SourceSEI?
    /// Decoder threads. With one, the result of decoding damage is deterministic.
    var threads = Decoder.processors
    /// The file is an output: its frames are those that players of FFmpeg's show.
    var isOutput = false
    /// Only whether frames decode matters, not their pixels: loop filters are left out.
    var isRough = false

    /// Creates a value of its parts.
    package init(
        source: SourceFile, track: Track, origin: Time, diagnostics: Diagnostics, messages: SourceSEI? = nil,
        threads: Int = Decoder.processors, isOutput: Bool = false, isRough: Bool = false
    ) {
        (self.source, self.track, self.origin, self.diagnostics) = (source, track, origin, diagnostics)
        (self.messages, self.threads, self.isOutput, self.isRough) = (messages, threads, isOutput, isRough)
    }

    /// Pixels that one thread decodes in about the time that it takes to start and fill several, 20 ms at most.
    private static let fewPixels = 8 << 20

    /// The decoder threads for this many frames: one where they are few or small.
    package static func threads(forFrames count: Int, of track: Track) -> Int {
        let size = max(1, (track.video?.width ?? 0) * (track.video?.height ?? 0))
        return count <= fewPixels / size ? 1 : Decoder.processors
    }

    /// Passes every frame, starting at the last position from which those at `from` decode, to `body` until it returns false.
    /// - Parameters:
    ///   - to: the asset time from which on no frame is wanted; nil: the end of the track.
    ///   - needed: the presentation time, in the track's ticks, before which no frame is wanted: non-reference frames before it
    ///     may be skipped, which saves up to half the work.
    ///   - damaged: called for damage that lies at or after `from` and shows in the frames up to `to`, before the first of these; an
    ///     error that it throws ends decoding.
    /// - Returns: the first damage before `from` that shows in these frames.
    @discardableResult
    package func decode(
        from: Time, to: Time? = nil, needed: Int64, damaged: (Damage) throws(MediaError) -> Void,
        _ body: (Frame) -> Bool
    ) throws(MediaError) -> Damage? {
        var before: Damage?
        func handle(_ damage: [Damage]) throws(MediaError) {
            for one in damage {
                guard let time = one.time, time < from else {
                    try damaged(one)
                    continue
                }
                before = before ?? one
            }
        }
        func readSEI(_ packet: Packet) {
            // What packets of another codec say beside their frames is not known here.
            if let messages, !packet.isForeign, let pts = packet.pts {
                messages.append(packet.bytes, pts: pts)
            }
        }
        let (first, begun) = try VideoStart(
            source: source, track: track, origin: origin, start: from, end: to,
            diagnostics: diagnostics, keepsFields: true,
            onPacket: readSEI, keepsLast: !isOutput, threads: threads, skipsLoopFilter: isRough
        ).find()
        let decoder = begun.decoder
        var watch = begun.watch
        var clock = FrameClock(track: track, origin: origin)
        func give(_ frame: Frame) throws(MediaError) -> Bool {
            try handle(watch.show(frame, at: clock.time(of: frame).0, by: decoder))
            return body(frame)
        }
        for frame in first { guard try give(frame) else { return before } }
        var isFlushing = begun.isFlushing
        while true {
            let packet = try media(.outOfMemory, track: track.index) { () throws(LibavError) in try Packet() }
            let isPacket = !isFlushing && begun.reader.read(into: packet, diagnostics)
            if !isPacket, isFlushing {
                try handle(watch.finish(decoder))
                return before
            }
            isFlushing = !isPacket
            if isPacket {
                readSEI(packet)
                watch.give(packet, number: decoder.packets)
            }
            decoder.skipsUnreferenced = isPacket && packet.pts.map { $0 < needed } ?? false
            let sent = try media(.spliceFailed, track: track.index) { () throws(LibavError) in
                try decoder.send(isPacket ? packet : nil)
            }
            if case .damaged(let error) = sent {
                watch.refused(error, by: decoder, isFlushing: isFlushing)
            }
            receiving: while true {
                let (frame, received) = try media(.spliceFailed, track: track.index) {
                    () throws(LibavError) in
                    let frame = try Frame()
                    return (frame, try decoder.receive(into: frame))
                }
                switch received {
                case .frame: guard try give(frame) else { return before }
                case .needsInput, .ended: break receiving
                case .damaged(let error): watch.refused(error, by: decoder, isFlushing: isFlushing)
                }
            }
        }
    }
}
