// TimeSpelling: a point in time as a user writes it. Some spellings (frames, timecodes, "end") become a time only in the worker,
// which knows the asset; until then they are passed unchanged. TimeSpellingParser parses the text.

/// A point in time as written on a command line, in a list or on the socket.
public indirect enum TimeSpelling: Hashable, Sendable {
    /// A time of the asset, to be taken exactly: `441000/44100`, or more than six decimals.
    case time(Time)
    /// A time of the asset in at most six decimals, as other programs print frame times rounded: `10`, `10.5`, `.5`, `10s`, `1m10s`,
    /// `1:10`, `00:01:10.250`, `00:01:10,250`. A frame within a microsecond of it is meant.
    case decimal(Time)
    /// A frame of the video track, counted from 0: `250f`.
    case frame(Int64)
    /// A SMPTE timecode: `01:00:10:12`, or in drop-frame `01:00:10;12`.
    case timecode(hours: Int, minutes: Int, seconds: Int, frames: Int, dropFrame: Bool)
    /// A time before the end, to be taken exactly: `-30000/1001`.
    case fromEnd(Time)
    /// A time before the end in at most six decimals: `-30`, `end-30`. A frame within a microsecond of it is meant.
    case decimalFromEnd(Time)
    /// A frame of the video track, counted back from the end: `-1f` or `end-1f` is the last one, `-0f` the end.
    case frameFromEnd(Int64)
    /// The end of the asset: `end`.
    case end
    /// A part of the asset's duration, from 0 to 100: `50%`.
    case percent(Ratio)
    /// So long after the start of a range, as its end: `+10`, `+250f`. The length is a `time`, a `decimal` or a `frame`.
    case afterStart(TimeSpelling)

    /// All time formats, for messages.
    public static let examples =
        "10, 10.5, 500ms, 1m10s, 1:10, 00:01:10.250, 441000/44100, 250f, 01:00:10:12, 01:00:10;12, -30, end-30, -1f, 50%, +10 (behind the start) or end"

    /// The most decimals of a time that may be a rounded frame time: what ffprobe prints.
    static let mostDecimals = 6

    /// The time of the asset, where it does not depend on the asset; nil: counted from the end or in frames.
    public var assetTime: Time? {
        switch self {
        case .time(let time), .decimal(let time): time
        case .frame, .timecode, .fromEnd, .decimalFromEnd, .frameFromEnd, .end, .percent, .afterStart: nil
        }
    }

    /// How long after the start of its range it is; nil: it is counted otherwise.
    public var lengthAfterStart: TimeSpelling? {
        if case .afterStart(let length) = self { length } else { nil }
    }

    /// Whether a frame within a microsecond is meant.
    public var isDecimal: Bool {
        switch self {
        case .decimal, .decimalFromEnd: true
        case .time, .frame, .timecode, .fromEnd, .frameFromEnd, .end, .percent: false
        case .afterStart(let length): length.isDecimal
        }
    }

    /// Parses any spelling; throws for everything else, with the mistake and the correct form.
    public static func parse(_ text: some StringProtocol) throws(TimeError) -> TimeSpelling {
        try TimeSpellingParser(text).spelling()
    }

    /// The asset time of this spelling.
    ///
    /// `duration` is the asset's, nil if unknown; the closures return the start of a frame, counted from 0 or back from the end,
    /// and of a timecode, and throw for those that the asset does not have. Throws for a time before 0, and for one that would not be exact; does not check for a
    /// time past the duration.
    public func resolve(
        duration: Time?,
        frameTime: (_ frame: Int64, _ isFromEnd: Bool) throws(TimeError) -> Time,
        timecode: (
            _ hours: Int, _ minutes: Int, _ seconds: Int, _ frames: Int, _ dropFrame: Bool
        ) throws(TimeError) -> Time
    ) throws(TimeError) -> Time {
        let time: Time
        switch self {
        case .time(let own), .decimal(let own): time = own
        case .frame(let number): time = try frameTime(number, false)
        case .frameFromEnd(let number): time = try frameTime(number, true)
        case .timecode(let hours, let minutes, let seconds, let frames, let dropFrame):
            time = try timecode(hours, minutes, seconds, frames, dropFrame)
        case .end: time = try known(duration)
        case .fromEnd(let length), .decimalFromEnd(let length):
            time = try before(end: known(duration), length)
        case .percent(let share):
            // A share of a duration is rarely a frame's time, and is rounded where no timescale holds it.
            time = try known(duration).multiplied(by: share.numerator, over: 100)
                .multiplied(by: 1, over: share.denominator)
        case .afterStart:
            throw TimeError(
                .notATime, "\(self) counts from the start of a range: only its end can be written so")
        }
        guard time.isNumeric else {
            throw TimeError(.notATime, "\(self) is no point in time; write it as \(TimeSpelling.examples)")
        }
        guard time >= .zero else {
            let length = duration.map { ", which lasts \($0) s" } ?? ""
            throw TimeError(
                .outOfRange, "\(self) is before the start of the file\(length); its times begin at 0")
        }
        return time
    }

    private func known(_ duration: Time?) throws(TimeError) -> Time {
        guard let duration, duration.isNumeric else {
            throw TimeError(
                .needsDuration,
                "\(self) needs the file's duration, which is not known; count from the start"
            )
        }
        return duration
    }

    /// The difference, or an error if a timescale cannot hold it: a cut is never moved silently.
    private func before(end: Time, _ length: Time) throws(TimeError) -> Time {
        let time = end - length
        guard time.hasBeenRounded, !end.hasBeenRounded, !length.hasBeenRounded else { return time }
        throw Time.tooFine(
            Int128(end.value) * Int128(length.timescale) - Int128(length.value) * Int128(end.timescale),
            Int128(end.timescale) * Int128(length.timescale), spelled: "\(self) of a file of \(end) s")
    }
}

extension TimeSpelling: CustomStringConvertible {
    /// The spelling; `parse` returns an equal value for it.
    ///
    /// A negative or non-numeric time has none: it can only be encoded as an object.
    public var description: String {
        switch self {
        case .time(let time): time.exactSpelling
        case .decimal(let time): time.description
        case .frame(let number): "\(number)f"
        case .timecode(let hours, let minutes, let seconds, let frames, let dropFrame):
            Timecode.text(hours, minutes, seconds, frames, dropFrame: dropFrame)
        case .fromEnd(let length): "end-\(length.exactSpelling)"
        case .decimalFromEnd(let length): "end-\(length)"
        case .frameFromEnd(let number): "end-\(number)f"
        case .end: "end"
        case .percent(let share): "\(Time(share.numerator, Int32(clamping: share.denominator)))%"
        case .afterStart(let length): "+\(length)"
        }
    }
}

extension TimeSpelling: Codable {
    /// Decodes a string in any spelling, or an object with `value` and `timescale`.
    public init(from decoder: any Decoder) throws {
        let text: String
        do {
            text = try decoder.singleValueContainer().decode(String.self)
        } catch DecodingError.typeMismatch {
            do {
                self = .time(try Time(from: decoder))
            } catch DecodingError.typeMismatch {
                let object = #"{"value":441000,"timescale":44100}"#
                let forms = "the object \(object), or a string such as \(TimeSpelling.examples)"
                throw TimeError(.notATime, "this is not a time; write it as \(forms)")
                    .decoding(at: decoder.codingPath)
            }
            return
        }
        do throws(TimeError) {
            self = try TimeSpelling.parse(text)
        } catch {
            throw error.decoding(at: decoder.codingPath)
        }
    }

    /// Encodes an exact time as an object, everything else as its string.
    public func encode(to encoder: any Encoder) throws {
        if case .time(let time) = self { return try time.encode(to: encoder) }
        // A spelling created in code (frame −1, a negative length) must not be encoded as a string with another meaning.
        guard try TimeSpelling.parse(description) == self else {
            throw TimeError(.notATime, "\(self) does not say what is meant")
        }
        var single = encoder.singleValueContainer()
        try single.encode(description)
    }
}
