// Decodes the frames of one track from a position on, in presentation order, one at a time, on the caller's queue. Counts what does not
// decode and skips it, and reports damage that shows from that position on. Keeps no frame.
package import Libav
package import Media
package import MediaTime

/// The frames of a track, in order.
package final class FrameReader {
    /// A decoded frame.
    package struct Shown {
        package var frame: Frame
        /// Its first moment, in asset time.
        package var time: Time
        /// Its duration, as far as the file says.
        package var duration: Time
    }

    private let track: Track
    private let origin: Time
    private let diagnostics: Diagnostics
    private let begun: VideoStart.Begun
    private var watch: DamageWatch
    private var clock: FrameClock
    private var waiting: [Frame]
    private var isFlushing: Bool
    private var isEnded = false
    private var last: Time?
    /// Non-reference frames before this time may be skipped, which halves the work.
    private let needed: Time?
    /// Number of frames decoded so far.
    package private(set) var decoded: Int64 = 0
    /// Number of damaged packets and frames.
    package private(set) var damaged: Int64 = 0

    /// Begins at the last position from which the frame on screen at `start` decodes.
    /// - Parameters:
    ///   - needed: the first time from which every frame is wanted; nil: all are.
    ///   - primed: the decoder first reads the headers of the track's first frame, like a player that begins there, and does not
    ///     get the probed parameters.
    ///   - isRough: the loop filter is left out.
    ///   - isSingle: the frame on screen at `start` is all that is wanted, and where it is a closed sync sample, all that is decoded.
    ///   - isApart: it begins at an earlier sync sample, or at the track's beginning where that is near.
    ///   - threads: those of the decoder.
    package init(
        _ source: SourceFile, _ track: Track, origin: Time, at start: Time, diagnostics: Diagnostics,
        needed: Time? = nil,
        primed: Bool = false, isRough: Bool = false, isSingle: Bool = false,
        isApart: Bool = false, threads: Int = Decoder.processors
    ) throws(MediaError) {
        self.needed = needed
        (waiting, begun) = try VideoStart(
            source: source, track: track, origin: origin, start: start, diagnostics: diagnostics,
            isPrimed: primed, threads: threads,
            // Two fields are a frame.
            isSingle: isSingle && track.video?.isInterlaced == false && track.isBottomFieldFirst == nil,
            isApart: isApart, skipsLoopFilter: isRough
        ).find()
        self.track = track
        self.origin = origin
        self.diagnostics = diagnostics
        clock = FrameClock(track: track, origin: origin)
        isFlushing = begun.isFlushing
        waiting.reverse()
        watch = begun.watch
    }

    /// Whether anything was damaged so far, also before the first frame that is wanted.
    package var hasDamage: Bool { watch.hasDamage }

    /// The next frame; nil after the last one. Skips a frame whose time is not later than the previous one's.
    package func next() throws(MediaError) -> Shown? {
        while true {
            while let frame = waiting.popLast() {
                decoded += 1
                if frame.isDamaged { damaged += 1 }
                let (time, duration) = clock.time(of: frame)
                report(watch.show(frame, at: time, by: begun.decoder))
                if let last, time <= last { continue }
                last = time
                return Shown(frame: frame, time: time, duration: duration)
            }
            if isEnded { return nil }
            try media(.decodeFailed, track: track.index) { () throws(LibavError) in try decode() }
        }
    }

    private func decode() throws(LibavError) {
        let packet = try Packet()
        let isPacket = !isFlushing && begun.reader.read(into: packet, diagnostics)
        if !isPacket, isFlushing {
            isEnded = true
            report(watch.finish(begun.decoder))
            return
        }
        isFlushing = !isPacket
        if let needed {
            begun.decoder.skipsUnreferenced =
                isPacket && packet.pts.map { track.timebase.time(ofTicks: $0) - origin < needed } ?? false
        }
        if isPacket { watch.give(packet, number: begun.decoder.packets) }
        if case .damaged(let error) = try begun.decoder.send(isPacket ? packet : nil) { note(error) }
        while true {
            let frame = try Frame()
            switch try begun.decoder.receive(into: frame) {
            case .frame: waiting.insert(frame, at: 0)
            case .needsInput, .ended: return
            case .damaged(let error): note(error)
            }
        }
    }

    private func note(_ error: LibavError) {
        damaged += 1
        watch.refused(error, by: begun.decoder, isFlushing: isFlushing)
    }

    private func report(_ damage: [Damage]) {
        for one in damage { diagnostics.warn(one.warning(track: track.index)) }
    }
}
