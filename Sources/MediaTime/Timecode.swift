// Timecode: one SMPTE timecode at one rate, and its frame number. It counts from 00:00:00:00; the start timecode of an asset is
// known to its reader. It does not parse text; TimeSpelling does.

/// An SMPTE timecode, hours to frames, that exists at its rate.
public struct Timecode: Hashable, Sendable, CustomStringConvertible {
    /// Hours, 0 to 23.
    public let hours: Int
    /// Minutes, 0 to 59.
    public let minutes: Int
    /// Seconds, 0 to 59.
    public let seconds: Int
    /// The frame number within its second.
    public let frames: Int
    /// The rate at which it counts.
    public let rate: TimecodeRate

    /// The timecode of a frame counted from 00:00:00:00.
    ///
    /// Timecode wraps after 24 hours: the frame after the last one is 00:00:00:00 again, and frame −1 is the last one.
    public init(frameNumber: Int64, rate: TimecodeRate) {
        let rest = frameNumber % rate.framesPerDay
        let frame = rest < 0 ? rest + rate.framesPerDay : rest
        let (quanta, dropped) = (Int64(rate.quanta), Int64(rate.droppedPerMinute))
        let (tens, within) = frame.quotientAndRemainder(dividingBy: rate.framesPerTenMinutes)
        // Only the first minute of ten has all its numbers.
        let shortMinutes = within < quanta * 60 ? 0 : (within - quanta * 60) / (quanta * 60 - dropped) + 1
        let number = frame + dropped * (9 * tens + shortMinutes)
        let second = number / quanta
        self.init(
            trusted: (
                Int(second / 3600), Int(second / 60 % 60), Int(second % 60), Int(number % quanta)
            ), rate)
    }

    /// The timecode with these numbers, or an error that names the nearest valid ones.
    public init(
        hours: Int, minutes: Int, seconds: Int, frames: Int, rate: TimecodeRate
    ) throws(TimeError) {
        self.init(trusted: (hours, minutes, seconds, frames), rate)
        let text = description
        guard (0..<24).contains(hours), (0..<60).contains(minutes), (0..<60).contains(seconds), frames >= 0
        else {
            let last = Timecode(frameNumber: -1, rate: rate)
            throw TimeError(
                .noSuchTimecode,
                "there is no timecode \(text): hours go to 23, minutes and seconds to 59, up to \(last)"
            )
        }
        let first = minutes % 10 != 0 && seconds == 0 ? rate.droppedPerMinute : 0
        guard frames >= first, frames < rate.quanta else {
            let beforeDrop = frames < first
            // The nominal frame at or after which numbering continues, and the one before.
            let next = Timecode(
                frameNumber: beforeDrop
                    ? Timecode(trusted: (hours, minutes, seconds, first), rate).frameNumber
                    : Timecode(trusted: (hours, minutes, seconds, rate.quanta - 1), rate).frameNumber + 1,
                rate: rate)
            let previous = Timecode(frameNumber: next.frameNumber - 1, rate: rate)
            let reason =
                beforeDrop
                ? "drop-frame counting leaves out the first \(first) numbers of each minute but every tenth"
                : "at \(rate) the frames of a second go from 00 to \(rate.quanta - 1)"
            throw TimeError(
                .noSuchTimecode,
                "there is no timecode \(text): \(reason); the nearest ones are \(previous) and \(next)")
        }
    }

    private init(trusted numbers: (Int, Int, Int, Int), _ rate: TimecodeRate) {
        (hours, minutes, seconds, frames) = numbers
        self.rate = rate
    }

    /// The frame number counted from 00:00:00:00, which is frame 0.
    public var frameNumber: Int64 {
        let minute = Int64(hours) * 60 + Int64(minutes)
        let number = (minute * 60 + Int64(seconds)) * Int64(rate.quanta) + Int64(frames)
        return number - Int64(rate.droppedPerMinute) * (minute - minute / 10)
    }

    /// The start of the frame, counted from 00:00:00:00: the frame number times the exact frame duration.
    public var time: Time {
        let frame = rate.frameDuration
        return Time(frameNumber * frame.value, frame.timescale)
    }

    /// `01:00:10:12`, or `01:00:10;12` in drop-frame.
    public var description: String {
        Timecode.text(hours, minutes, seconds, frames, dropFrame: rate.dropFrame)
    }

    static func text(_ hours: Int, _ minutes: Int, _ seconds: Int, _ frames: Int, dropFrame: Bool) -> String {
        let clock = [hours, minutes, seconds].map { padded($0, to: 2) }.joined(separator: ":")
        return clock + (dropFrame ? ";" : ":") + padded(frames, to: 2)
    }
}
