// TimecodeRate: the frame rates for which SMPTE timecode is defined, with and without drop-frame. It does not measure a track's
// rate; a rate without timecode has no TimecodeRate.

/// A timecode rate: the exact frame rate, the frame numbers per second, and whether it is drop-frame.
public struct TimecodeRate: Hashable, Sendable, CustomStringConvertible {
    /// Exact frames per second: 30000/1001 for 29.97.
    public let frameRate: Ratio
    /// Frame numbers per second of timecode: 30 for 29.97.
    public let quanta: Int
    /// Whether frame numbers are skipped to keep timecode in step with the clock.
    public let dropFrame: Bool
    /// The exact duration of one frame.
    public let frameDuration: Time

    private init(_ quanta: Int32, ntsc: Bool = false, dropFrame: Bool = false) {
        let rate = ntsc ? Ratio(Int64(quanta) * 1000, 1001) : Ratio(Int64(quanta), 1)
        frameRate = rate ?? Ratio(Int64(quanta))
        self.quanta = Int(quanta)
        self.dropFrame = dropFrame
        frameDuration = ntsc ? Time(1001, quanta * 1000) : Time(1, quanta)
    }

    /// All rates, ascending, drop-frame after non-drop.
    public static let known: [TimecodeRate] = [
        TimecodeRate(24, ntsc: true),
        TimecodeRate(24),
        TimecodeRate(25),
        TimecodeRate(30, ntsc: true),
        TimecodeRate(30, ntsc: true, dropFrame: true),
        TimecodeRate(30),
        TimecodeRate(48, ntsc: true),
        TimecodeRate(48),
        TimecodeRate(50),
        TimecodeRate(60, ntsc: true),
        TimecodeRate(60, ntsc: true, dropFrame: true),
        TimecodeRate(60),
        TimecodeRate(100),
        TimecodeRate(120, ntsc: true),
        TimecodeRate(120, ntsc: true, dropFrame: true),
        TimecodeRate(120),
    ]

    /// The timecode rate for a frame rate; nil if timecode, or its drop-frame form, is not defined for it.
    ///
    /// A rate within 1/4000 of a known one matches it, because files store averages and decimals (2997/100, 19001/634);
    /// neighbouring rates are 1/1000 apart.
    public static func rate(for frameRate: Ratio, dropFrame: Bool) -> TimecodeRate? {
        known.first { $0.dropFrame == dropFrame && $0.isNear(frameRate) }
    }

    /// The rate at which timecode counts frames of any rate: a known one, else another whole number a second, or one by 1000/1001. Nil
    /// where a second holds no whole number of frames, and for drop-frame where that is not defined.
    public static func counting(_ frameRate: Ratio, dropFrame: Bool) -> TimecodeRate? {
        if let known = rate(for: frameRate, dropFrame: dropFrame) { return known }
        let quanta = frameRate.value.rounded()
        guard !dropFrame, 1...120 ~= quanta else { return nil }
        return [false, true].map { TimecodeRate(Int32(quanta), ntsc: $0) }.first { $0.isNear(frameRate) }
    }

    /// Frames per second from text: a fraction, a whole number or decimals, of which 29.97 and 23.976 mean 30000/1001 and 24000/1001.
    /// Nil if it is none.
    public static func frameRate(_ text: String) -> Ratio? {
        if let exact = Ratio(text) { return exact }
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, parts.allSatisfy({ $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }),
            1...6 ~= parts[1].utf8.count, let digits = Int64(parts[0] + parts[1]),
            let near = Ratio(digits, parts[1].utf8.reduce(1) { scale, _ in scale * 10 })
        else { return nil }
        return rate(for: near, dropFrame: false)?.frameRate ?? near
    }

    private func isNear(_ other: Ratio) -> Bool {
        guard let quotient = other.divided(by: frameRate), let low = Ratio(3999, 4000),
            let high = Ratio(4001, 4000)
        else { return false }
        return low < quotient && quotient < high
    }

    /// Numbers skipped at the start of each minute except every tenth: 2, 4 or 8, and 0 without drop-frame.
    public var droppedPerMinute: Int { dropFrame ? quanta / 15 : 0 }

    /// Frames in ten minutes of timecode.
    var framesPerTenMinutes: Int64 { Int64(quanta) * 600 - 9 * Int64(droppedPerMinute) }

    /// Frames in 24 hours of timecode, after which numbering restarts.
    public var framesPerDay: Int64 { framesPerTenMinutes * 144 }

    /// The frame that starts nearest to a time from 00:00:00:00, and how far from it; nil for a time that is no number, or whose frame needs
    /// more than 64 bits. Numbering restarts after `framesPerDay`; this number does not.
    public func frame(nearest time: Time) -> (number: Int64, distance: Time)? {
        guard time.isNumeric,
            let base = Timebase(
                numerator: Int32(clamping: frameDuration.value), denominator: frameDuration.timescale)
        else { return nil }
        let (number, isExact) = base.ticks(of: time)
        let start = base.time(ofTicks: number)
        guard isExact || Int64.min < number && number < Int64.max, start.isNumeric else { return nil }
        return (number, (start - time).absoluteValue)
    }

    /// The rate in decimals, with `drop-frame` if applicable: `29.97 drop-frame`.
    public var description: String {
        let (thousandths, _) = divide(
            Int128(frameRate.numerator) * 1000, by: Int128(frameRate.denominator),
            rounding: .halfAwayFromZero)
        return "\(Time(Int64(clamping: thousandths), 1000))" + (dropFrame ? " drop-frame" : "")
    }
}
