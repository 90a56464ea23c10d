// Decodes the frames around a cut point, in presentation order, on the caller's queue. Reports what does not decode and goes on:
// the caller decides whether a damaged frame matters.
internal import Libav
internal import Media
internal import MediaTime

/// Decodes from a given position.
struct HeadTailDecoder {
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

    /// Pixels that one thread decodes in about the time that it takes to start and fill several, 20 ms at most.
    private static let fewPixels = 8 << 20

    /// The decoder threads for this many frames: one where they are few or small.
    static func threads(forFrames count: Int, of track: Track) -> Int {
        let size = max(1, (track.video?.width ?? 0) * (track.video?.height ?? 0))
        return count <= fewPixels / size ? 1 : Decoder.processors
    }

    /// Passes every frame, starting at the last position from which those at `from` decode, to `body` until it returns false.
    /// - Parameters:
    ///   - needed: the presentation time, in the track's ticks, before which no frame is wanted: non-reference frames before it
    ///     may be skipped, which saves up to half the work.
    ///   - damaged: called for what does not decode from `from` on, before the frames that follow it; an error that it throws
    ///     ends decoding.
    /// - Returns: what does not decode before that and is referred to later.
    @discardableResult
    func decode(
        from: Time, needed: Int64, damaged: (Damage) throws(MediaError) -> Void, _ body: (Frame) -> Bool
    ) throws(MediaError) -> Damage? {
        var before: Damage?
        /// A new group of pictures ends the effect of earlier damage.
        var group: Time?
        func handle(_ damage: Damage?) throws(MediaError) {
            guard let damage else { return }
            guard let time = damage.time, time < from else { return try damaged(damage) }
            if before == nil, group.map({ time >= $0 }) ?? true { before = damage }
        }
        func readSEI(_ packet: Packet) {
            if let messages, let pts = packet.pts { messages.append(packet.bytes, pts: pts) }
        }
        func time(_ ticks: Int64?) -> Time? { ticks.map { track.timebase.time(ofTicks: $0) - origin } }
        func give(_ frame: Frame) throws(MediaError) -> Bool {
            if frame.isDamaged { try handle(.concealed(at: time(frame.bestEffort))) }
            return body(frame)
        }
        let (first, begun) = try VideoStart(
            source: source, track: track, origin: origin, start: from, diagnostics: diagnostics,
            keepsFields: true,
            onPacket: readSEI, keepsLast: !isOutput, threads: threads, skipsLoopFilter: isRough
        ).find()
        var watch = begun.watch
        for damage in begun.damage { try handle(damage) }
        for frame in first { guard try give(frame) else { return before } }
        var isFlushing = begun.isFlushing
        while true {
            let packet = try media(.outOfMemory, track: track.index) { () throws(LibavError) in try Packet() }
            let isPacket = !isFlushing && begun.reader.read(into: packet, diagnostics)
            if !isPacket, isFlushing { return before }
            isFlushing = !isPacket
            if isPacket {
                readSEI(packet)
                watch.give(at: time(packet.pts), isKey: packet.isKey) { false }
                if packet.isKey, let last = watch.last, last <= from { (before, group) = (nil, last) }
            }
            begun.decoder.skipsUnreferenced = isPacket && packet.pts.map { $0 < needed } ?? false
            let sent = try media(.spliceFailed, track: track.index) { () throws(LibavError) in
                try begun.decoder.send(isPacket ? packet : nil)
            }
            if case .damaged(let error) = sent { try handle(watch.damage(error, of: begun.decoder)) }
            receiving: while true {
                let (frame, received) = try media(.spliceFailed, track: track.index) {
                    () throws(LibavError) in
                    let frame = try Frame()
                    return (frame, try begun.decoder.receive(into: frame))
                }
                switch received {
                case .frame: guard try give(frame) else { return before }
                case .needsInput, .ended: break receiving
                case .damaged(let error): try handle(watch.damage(error, of: begun.decoder))
                }
            }
            try handle(watch.logged(by: begun.decoder))
        }
    }
}
