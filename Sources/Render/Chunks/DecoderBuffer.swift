internal import MediaTime

// The decoder's buffer (VBV): filled at the highest bit rate up to its size, and relieved of each frame at its decoding time. The effect
// of one chunk on it is a value of four integers, and so is that of chunks in a row. Pure; reads no packets and encodes
// nothing.

/// The decoder's buffer of a video track.
///
/// Its fullness is counted in bits times `scale`, so that every duration in ticks adds a whole number. Nothing traps: a number
/// beyond 64 bits, which no chunk that is encoded reaches, becomes the nearest one that fits.
package struct DecoderBuffer: Hashable, Codable, Sendable {
    /// Bits that a tick adds, times `scale`.
    let rate: Int64
    /// Its size, in bits times `scale`.
    let size: Int64
    /// Units of fullness in a bit.
    let scale: Int64

    /// - Parameters:
    ///   - bitRate: bits per second that arrive, above 0.
    ///   - bits: the size, in bits, above 0.
    ///   - timescale: ticks per second of the durations, above 0.
    init(bitRate: Int, bits: Int, timescale: Int32) {
        let (rate, ticks) = (Int64(max(1, bitRate)), Int64(max(1, timescale)))
        let common = DecoderBuffer.commonDivisor(rate, ticks)
        self.rate = rate / common
        scale = ticks / common
        size = Int64(max(1, bits)).saturating(times: scale)
    }

    /// The fullness at which an encoder begins unless it is told otherwise: nine tenths, the `vbv-init` of x264 and x265.
    var usualStart: Int64 { size / 10 * 9 + size % 10 * 9 / 10 }

    /// The fullness in whole bits, rounded down: the initial occupancy to tell an encoder.
    func bits(of fullness: Int64) -> Int { Int(min(max(0, fullness), size) / scale) }

    /// No packet and no time.
    var nothing: Passage { Passage(need: 0, floor: size, change: 0, cap: size) }

    /// One frame, removed at its decoding time, and the time until the next one.
    /// - Parameters:
    ///   - bits: the size of the frame's packet, in bits.
    ///   - ticks: from its decoding time to that of the next frame; 0 if it is not later.
    func passage(bits: Int64, ticks: Int64) -> Passage {
        let removed = max(0, bits).saturating(times: scale)
        let filled = max(0, ticks).saturating(times: rate)
        let removal = Passage(
            need: removed, floor: size.saturating(minus: removed), change: -removed,
            cap: size.saturating(minus: removed))
        return removal.followed(by: Passage(need: 0, floor: size, change: filled, cap: size))
    }

    /// The frames of a chunk.
    /// - Parameters:
    ///   - packets: in decoding order: their sizes in bits, their decoding times in ticks.
    ///   - end: the decoding time of the first frame of the next chunk.
    package func passage(_ packets: some Sequence<(bits: Int64, time: Int64)>, end: Int64) -> Passage {
        var whole = nothing
        var last: (bits: Int64, time: Int64)?
        for packet in packets {
            if let last {
                whole = whole.followed(
                    by: passage(bits: last.bits, ticks: packet.time.saturating(minus: last.time)))
            }
            last = packet
        }
        guard let last else { return whole }
        return whole.followed(by: passage(bits: last.bits, ticks: end.saturating(minus: last.time)))
    }

    /// The first chunk of a row in which the buffer runs empty.
    /// - Parameters:
    ///   - chunks: all chunks of the track, in order.
    ///   - start: the fullness before the first one.
    /// - Returns: its place in the row, and the fullness that its predecessors leave; nil: there is none.
    func firstUnderflow(_ chunks: some Sequence<Passage>, from start: Int64) -> (index: Int, fullness: Int64)?
    {
        var fullness = min(start, size)
        for (index, chunk) in chunks.enumerated() {
            if chunk.lowest(from: fullness) < 0 { return (index, fullness) }
            fullness = chunk.left(from: fullness)
        }
        return nil
    }

    private static func commonDivisor(_ first: Int64, _ second: Int64) -> Int64 {
        var (a, b) = (first, second)
        while b != 0 { (a, b) = (b, a % b) }
        return a
    }
}

extension DecoderBuffer {
    /// The effect of frames in a row on the buffer, as a function of its fullness before them.
    ///
    /// An underflow leaves less than nothing: the missing bits are not forgotten.
    package struct Passage: Hashable, Codable, Sendable {
        /// The least fullness at the start with which it never runs empty, unless `floor` is below 0.
        var need: Int64
        /// The lowest fullness where it starts full; below 0: it runs empty however full it was.
        var floor: Int64
        /// The change of fullness where the buffer is never full.
        var change: Int64
        /// The highest fullness at the end.
        var cap: Int64

        /// The lowest fullness on the way; below 0: an underflow.
        func lowest(from start: Int64) -> Int64 { min(start.saturating(minus: need), floor) }

        /// The fullness at the end.
        func left(from start: Int64) -> Int64 { min(start.saturating(plus: change), cap) }

        /// This, then another one.
        func followed(by next: Passage) -> Passage {
            Passage(
                need: max(need, next.need.saturating(minus: change)),
                floor: min(floor, cap.saturating(minus: next.need), next.floor),
                change: change.saturating(plus: next.change),
                cap: min(cap.saturating(plus: next.change), next.cap))
        }
    }
}

extension VideoPlan {
    /// The decoder's buffer, in ticks of the output; nil: its encoder has no limit.
    package var decoderBuffer: DecoderBuffer? {
        let rates = EncoderOptions.rates(for: self)
        guard rates.highest > 0, rates.buffer > 0, timebase.numerator == 1 else { return nil }
        return DecoderBuffer(bitRate: rates.highest, bits: rates.buffer, timescale: timebase.denominator)
    }
}

extension Int64 {
    fileprivate func saturating(plus other: Int64) -> Int64 {
        let (sum, isTooLarge) = addingReportingOverflow(other)
        return isTooLarge ? (other < 0 ? .min : .max) : sum
    }

    fileprivate func saturating(minus other: Int64) -> Int64 {
        let (rest, isTooLarge) = subtractingReportingOverflow(other)
        return isTooLarge ? (other < 0 ? .max : .min) : rest
    }

    /// Both factors are at least 0.
    fileprivate func saturating(times other: Int64) -> Int64 {
        let (product, isTooLarge) = multipliedReportingOverflow(by: other)
        return isTooLarge ? .max : product
    }
}
