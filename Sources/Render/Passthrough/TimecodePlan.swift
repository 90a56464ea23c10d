// The timecode of an output's first frame: the source's, advanced by the in point, at the output's frame rate. Pure.
internal import Media
internal import MediaTime

/// The timecode of an output.
struct TimecodePlan: Hashable, Sendable {
    /// At the output's first frame.
    let timecode: Timecode

    /// The timecode, where the asset has one that the frame rate can count.
    /// - Parameters:
    ///   - start: the in point.
    ///   - rate: the output's frame rate.
    init?(_ asset: Asset, start: Time, rate: Ratio) {
        guard let text = asset.timecode, let own = asset.mainVideo?.video?.frameRate,
            case .timecode(let h, let m, let s, let f, let drop)? = try? TimeSpelling.parse(text),
            let source = TimecodeRate.counting(own, dropFrame: drop),
            let first = try? Timecode(hours: h, minutes: m, seconds: s, frames: f, rate: source)
        else { return nil }
        // The frame on screen at the in point: the last one that has begun.
        let shown = start.multiplied(by: source.frameRate.numerator, over: source.frameRate.denominator)
            .converted(to: 1, rounding: .towardNegativeInfinity).value
        let frame = first.frameNumber + shown
        guard rate != own else {
            timecode = Timecode(frameNumber: frame, rate: source)
            return
        }
        // Every nth frame, or another grid: the same clock, and other numbers within a second.
        guard let target = TimecodeRate.counting(rate, dropFrame: drop) else { return nil }
        timecode = Timecode(
            frameNumber: frame * Int64(target.quanta) / Int64(source.quanta), rate: target)
    }
}
