// Every spelling of the contract, read and printed; everything else refused with words that help.
import MediaTime
import Testing

@Suite struct TimeSpellingTests {
    private static func share(_ numerator: Int64, _ denominator: Int64) -> Ratio {
        Ratio(numerator, denominator) ?? Ratio(0)
    }

    private static let spellings: [(String, TimeSpelling, String)] = [
        ("10", .decimal(Time(10, 1)), "10"),
        ("10.5", .decimal(Time(105, 10)), "10.5"),
        ("10.250", .decimal(Time(10250, 1000)), "10.25"),
        ("1:10", .decimal(Time(70, 1)), "70"),
        ("90:00", .decimal(Time(5400, 1)), "5400"),
        ("00:01:10.250", .decimal(Time(70250, 1000)), "70.25"),
        ("100:00:00", .decimal(Time(360000, 1)), "360000"),
        ("441000/44100", .time(Time(441000, 44100)), "441000/44100"),
        ("30000/1001", .time(Time(30000, 1001)), "30000/1001"),
        ("0/5", .time(.zero), "0/5"),
        ("1/2147483647", .time(Time(1, .max)), "1/2147483647"),
        ("9223372036854775807", .decimal(Time(.max, 1)), "9223372036854775807"),
        ("4611686018427387903.5", .decimal(Time(.max, 2)), "4611686018427387903.5"),
        ("0.000000001", .time(Time(1, 1_000_000_000)), "0.000000001"),
        // Ten decimals, but in lowest terms 31 bits hold it.
        ("0.0000000005", .time(Time(1, 2_000_000_000)), "1/2000000000"),
        ("10.50000000000000000000000000000000", .time(Time(105, 10)), "105/10"),
        ("250f", .frame(250), "250f"),
        ("0f", .frame(0), "0f"),
        ("9223372036854775807f", .frame(.max), "9223372036854775807f"),
        (
            "01:00:10:12", .timecode(hours: 1, minutes: 0, seconds: 10, frames: 12, dropFrame: false),
            "01:00:10:12"
        ),
        (
            "01:00:10;12", .timecode(hours: 1, minutes: 0, seconds: 10, frames: 12, dropFrame: true),
            "01:00:10;12"
        ),
        (
            "1:2:3:119", .timecode(hours: 1, minutes: 2, seconds: 3, frames: 119, dropFrame: false),
            "01:02:03:119"
        ),
        ("-30", .decimalFromEnd(Time(30, 1)), "end-30"),
        ("end-30", .decimalFromEnd(Time(30, 1)), "end-30"),
        ("-1:10.5", .decimalFromEnd(Time(705, 10)), "end-70.5"),
        ("end-1:10", .decimalFromEnd(Time(70, 1)), "end-70"),
        ("end-30000/1001", .fromEnd(Time(30000, 1001)), "end-30000/1001"),
        ("-0", .decimalFromEnd(.zero), "end-0"),
        ("end", .end, "end"),
        (".5", .decimal(Time(5, 10)), "0.5"), ("-.5", .decimalFromEnd(Time(5, 10)), "end-0.5"),
        ("10s", .decimal(Time(10, 1)), "10"), ("10.5s", .decimal(Time(105, 10)), "10.5"),
        ("90s", .decimal(Time(90, 1)), "90"),
        ("1m10s", .decimal(Time(70, 1)), "70"), ("1m", .decimal(Time(60, 1)), "60"),
        ("90m", .decimal(Time(5400, 1)), "5400"),
        ("1h2m3.5s", .decimal(Time(37235, 10)), "3723.5"), ("1h", .decimal(Time(3600, 1)), "3600"),
        ("1h30s", .decimal(Time(3630, 1)), "3630"), ("end-1m10s", .decimalFromEnd(Time(70, 1)), "end-70"),
        (".5s", .decimal(Time(5, 10)), "0.5"),
        ("00:01:10,250", .decimal(Time(70250, 1000)), "70.25"), ("1:10,5", .decimal(Time(705, 10)), "70.5"),
        ("-1f", .frameFromEnd(1), "end-1f"), ("end-250f", .frameFromEnd(250), "end-250f"),
        ("-0f", .frameFromEnd(0), "end-0f"),
        ("10.123456", .decimal(Time(10_123_456, 1_000_000)), "10.123456"),
        ("10.1234567", .time(Time(101_234_567, 10_000_000)), "10.1234567"),
        ("10.1234560", .time(Time(101_234_560, 10_000_000)), "101234560/10000000"),
        ("end-0.1234567", .fromEnd(Time(1_234_567, 10_000_000)), "end-0.1234567"),
        ("-30/1", .fromEnd(Time(30, 1)), "end-30/1"),
        ("500ms", .decimal(Time(500, 1000)), "0.5"), ("1500ms", .decimal(Time(1500, 1000)), "1.5"),
        ("0.5ms", .decimal(Time(5, 10_000)), "0.0005"), ("7ms", .decimal(Time(7, 1000)), "0.007"),
        ("-500ms", .decimalFromEnd(Time(500, 1000)), "end-0.5"),
        ("1,5ms", .decimal(Time(15, 10_000)), "0.0015"),
        ("0.1234ms", .time(Time(1234, 10_000_000)), "0.0001234"),
        ("10,5", .decimal(Time(105, 10)), "10.5"), ("-0,25", .decimalFromEnd(Time(25, 100)), "end-0.25"),
        (",5", .decimal(Time(5, 10)), "0.5"), ("10,5s", .decimal(Time(105, 10)), "10.5"),
        ("50%", .percent(Ratio(50)), "50%"), ("0%", .percent(Ratio(0)), "0%"),
        ("100%", .percent(Ratio(100)), "100%"),
        ("33.3%", .percent(share(333, 10)), "33.3%"), ("12,5%", .percent(share(25, 2)), "12.5%"),
        ("+10", .afterStart(.decimal(Time(10, 1))), "+10"), ("+250f", .afterStart(.frame(250)), "+250f"),
        ("+1:10.5", .afterStart(.decimal(Time(705, 10))), "+70.5"),
        ("+500ms", .afterStart(.decimal(Time(1, 2))), "+0.5"),
        ("+30000/1001", .afterStart(.time(Time(30000, 1001))), "+30000/1001"),
        ("  10.5\t", .decimal(Time(105, 10)), "10.5"),
        (" end-30\r\n", .decimalFromEnd(Time(30, 1)), "end-30"),
    ]

    @Test(arguments: spellings) func everySpelling(text: String, spelling: TimeSpelling, printed: String)
        throws
    {
        let read = try TimeSpelling.parse(text)
        #expect(read == spelling)
        #expect(read.description == printed)
        #expect(try TimeSpelling.parse(printed) == spelling)
        #expect(try TimeSpelling.parse(Substring(text)) == spelling)
        #expect(try parsed([TimeSpelling].self, encoded([text])) == [spelling])
        #expect(try parsed([TimeSpelling].self, encoded([read])) == [spelling])
    }

    @Test func decimalsKeepTheirTimescale() throws {
        guard case .decimal(let time) = try TimeSpelling.parse("00:01:10.250") else {
            throw TimeError(.notATime, "")
        }
        #expect(time.isIdentical(to: Time(70250, 1000)))
    }

    private static let refusals: [(String, TimeError.Kind, String)] = [
        ("", .notATime, "there is no time"), ("   ", .notATime, "there is no time"),
        ("ten", .notATime, "\"ten\" is not a time"), (".", .notATime, "not a time"),
        ("10.", .notATime, "not a time"),
        ("++10", .notATime, "not a time"), ("+-10", .notATime, "not a time"), ("+", .notATime, "not a time"),
        ("+end", .notATime, "not a time"), ("+50%", .notATime, "not a time"),
        ("+01:00:10:12", .notATime, "no timecode"),
        ("101%", .notATime, "from 0% to 100%"), ("-5%", .notATime, "not a time"),
        ("%", .notATime, "not a time"),
        ("1:10%", .notATime, "from 0% to 100%"), ("1/2%", .notATime, "from 0% to 100%"),
        ("5s%", .notATime, "from 0% to 100%"),
        ("1m500ms", .notATime, "milliseconds"), ("ms", .notATime, "milliseconds"),
        ("1:10ms", .notATime, "milliseconds"),
        ("1,000,000", .notATime, "not a time"), ("1.000,5", .notATime, "not a time"),
        ("1e3", .notATime, "not a time"),
        ("10s1m", .notATime, "not a time"),
        ("1.2.3", .notATime, "not a time"), ("inf", .notATime, "not a time"),
        ("nan", .notATime, "not a time"),
        ("1 0", .notATime, "not a time"), ("٣", .notATime, "not a time"),
        ("0x10", .notATime, "not a time"), ("1:", .notATime, "not a time"), (":10", .notATime, "not a time"),
        ("1::10", .notATime, "not a time"), ("--30", .notATime, "not a time"), ("-", .notATime, "not a time"),
        ("end-", .notATime, "not a time"), ("end+5", .notATime, "not a time"),
        ("End", .notATime, "not a time"),
        ("end -30", .notATime, "not a time"), ("end--5", .notATime, "not a time"),
        ("1:-10", .notATime, "not a time"),
        ("1:60", .notATime, "go from 00 to 59"), ("1:60:00", .notATime, "go from 00 to 59"),
        ("0:00:60.5", .notATime, "go from 00 to 59"), ("end-1:75", .notATime, "go from 00 to 59"),
        ("1/", .notATime, "two whole numbers"), ("/1", .notATime, "two whole numbers"),
        ("1/2/3", .notATime, "two whole numbers"), ("1.5/2", .notATime, "two whole numbers"),
        ("10/-5", .notATime, "two whole numbers"), ("10/0", .notATime, "a timescale is from 1 to 2147483647"),
        ("f", .notATime, "a frame is a whole number"), ("2.5f", .notATime, "a frame is a whole number"),
        ("-2.5f", .notATime, "a frame is a whole number"), ("-f", .notATime, "a frame is a whole number"),
        ("end-01:00:10:12", .notATime, "no timecode"), ("end-01:00:10;12", .notATime, "no timecode"),
        ("1m90s", .notATime, "go from 00 to 59"), ("s", .notATime, "not a time"),
        ("1h1:10", .notATime, "units are"),
        ("1m10", .notATime, "units are h, m and s"), ("m10s", .notATime, "not a time"),
        ("10ss", .notATime, "units are h, m and s"), ("1:10s", .notATime, "not a time"),
        ("1:,5", .notATime, "not a time"), ("1:.5", .notATime, "not a time"),
        ("1:10,5.5", .notATime, "not a time"),
        ("1:2:3:4:5", .notATime, "a timecode has four numbers"),
        ("10;12", .notATime, "a timecode has four numbers"),
        ("01;00;10;12", .notATime, "a timecode has four numbers"),
        ("01:00:10;1.5", .notATime, "a timecode has four numbers"),
        ("001:00:10:12", .notATime, "a timecode has four numbers"),
        ("24:00:00:00", .noSuchTimecode, "hours go to 23"), ("01:60:00;02", .noSuchTimecode, "seconds to 59"),
        ("9223372036854775808", .outOfRange, "larger than a time can be"),
        ("9223372036854775808/1", .outOfRange, "more than 64 bits"),
        ("9223372036854775808f", .outOfRange, "larger than a time can be"),
        ("9223372036854775807.5", .outOfRange, "larger than a time can be"),
        ("99999999999999999999999999999999999999999:00", .outOfRange, "larger than a time can be"),
        ("1/99999999999999999999999999999999999", .outOfRange, "larger than a time can be"),
        ("1/2147483648", .timescaleTooLarge, "the nearest times are 0/1 and 1/2147483647"),
        ("441000000000/44100000000", .timescaleTooLarge, "the same time in lowest terms is 10/1"),
        ("0.1234567891", .timescaleTooLarge, "in decimals 0.123456789 and 0.123456790"),
        (
            "1:00.00000000001", .timescaleTooLarge,
            "60/1 and 128849018821/2147483647, in decimals 60.000000000"
        ),
        ("0.3333333333333333333333333333", .timescaleTooLarge, "715827882/2147483647 and 1/3"),
        ("0.5000000000000000000000000000000001", .timescaleTooLarge, "the nearest times are 1/2 and"),
        (String(repeating: "1", count: 65), .notATime, "too long"),
    ]

    @Test(arguments: refusals) func everythingElseIsRefused(text: String, kind: TimeError.Kind, words: String)
        throws
    {
        let error = try #require(throws: TimeError.self) { try TimeSpelling.parse(text) }
        #expect(error.kind == kind, "\(error)")
        #expect(error.message.contains(words), "\(error)")
        if kind == .notATime, !words.contains("timescale") {
            #expect(error.message.contains(TimeSpelling.examples))
        }
        let decoding = try #require(throws: DecodingError.self) {
            try parsed([TimeSpelling].self, encoded([text]))
        }
        guard case .dataCorrupted(let context) = decoding else {
            Issue.record("\(decoding)")
            return
        }
        #expect(context.debugDescription == error.message && context.underlyingError as? TimeError == error)
    }

    @Test func hostileTextIsShownSafely() throws {
        let error = try #require(throws: TimeError.self) { try TimeSpelling.parse("1\u{1B}[2J\n0\u{0}") }
        #expect(!error.message.unicodeScalars.contains { $0.value < 32 })
        let long = try #require(throws: TimeError.self) {
            try TimeSpelling.parse(String(repeating: "é", count: 5000))
        }
        #expect(long.message.utf8.count < 500)
    }

    @Test func noTextTraps() {
        var random = Seeded(61)
        let letters = Array("0123456789999:::;;..//--fend ")
        var read = 0
        for _ in 0..<30000 {
            let text = String(
                (0..<Int.random(in: 0...14, using: &random)).map { _ in
                    letters.randomElement(using: &random) ?? "0"
                })
            guard let spelling = try? TimeSpelling.parse(text) else { continue }
            read += 1
            let again = try? TimeSpelling.parse(spelling.description)
            if again != spelling {
                Issue.record("\(text) is \(spelling), again \(String(describing: again))")
            }
        }
        #expect(read > 500)
    }

    @Test func wholeSecondsAndSamplesPrintAndParse() throws {
        for time in Samples.ordinary(2000, seed: 62) + Samples.edges where time.isNumeric && time >= .zero {
            for spelling in [TimeSpelling.time(time), .fromEnd(time)] {
                #expect(try TimeSpelling.parse(spelling.description) == spelling)
            }
        }
    }

    @Test func json() throws {
        #expect(try parsed(TimeSpelling.self, #"{"value":441000,"timescale":44100}"#) == .time(Time(10, 1)))
        #expect(try encoded(TimeSpelling.time(Time(21, 2))) == #"{"seconds":10.5,"timescale":2,"value":21}"#)
        #expect(try encoded([TimeSpelling.frame(250), .end]) == #"["250f","end"]"#)
        #expect(try encoded([TimeSpelling.decimal(Time(105, 10))]) == #"["10.5"]"#)
        #expect(try encoded([TimeSpelling.fromEnd(Time(30, 1))]) == #"["end-30/1"]"#)
        #expect(try encoded([TimeSpelling.decimalFromEnd(Time(30, 1))]) == #"["end-30"]"#)
        let negative = TimeSpelling.time(Time(-5, 1))
        #expect(try parsed(TimeSpelling.self, encoded(negative)) == negative)
        for wrong in ["10", "true", #"{"value":"x","timescale":1}"#] {
            let error = try #require(throws: DecodingError.self) {
                try parsed([TimeSpelling].self, "[\(wrong)]")
            }
            #expect("\(error)".contains("end-30"), "\(error)")
        }
        for unsayable in [
            TimeSpelling.frame(-1), .frameFromEnd(-1), .decimal(Time(1, 3)), .decimal(Time(-1, 1)),
            .fromEnd(Time(-1, 1)), .fromEnd(.positiveInfinity),
            .timecode(hours: 25, minutes: 0, seconds: 0, frames: 0, dropFrame: true),
        ] {
            #expect(throws: TimeError.self) { try encoded([unsayable]) }
        }
    }
}

@Suite struct TimeResolvingTests {
    private func resolve(_ text: String, duration: Time? = Time(100, 1)) throws(TimeError) -> Time {
        try resolve(TimeSpelling.parse(text), duration: duration)
    }

    private func resolve(_ spelling: TimeSpelling, duration: Time? = Time(100, 1)) throws(TimeError) -> Time {
        try spelling.resolve(
            duration: duration,
            frameTime: { frame, isFromEnd throws(TimeError) in
                guard frame < 2500 else { throw TimeError(.outOfRange, "the last frame is 2499") }
                return Time(isFromEnd ? 2500 - frame : frame, 25)
            },
            timecode: { hours, minutes, seconds, frames, dropFrame throws(TimeError) in
                if dropFrame { throw TimeError(.noSuchTimecode, "not at 25") }
                return Time(Int64(hours * 3600 + minutes * 60 + seconds) * 25 + Int64(frames), 25)
            })
    }

    @Test func everyCase() throws {
        #expect(try resolve("10.5") == Time(21, 2) && resolve("250f") == Time(10, 1))
        #expect(try resolve("00:00:10:05") == Time(255, 25) && resolve("end") == Time(100, 1))
        #expect(try resolve("-30") == Time(70, 1) && resolve("end-100") == .zero)
        #expect(try resolve("end-30000/1001") == Time(100, 1) - Time(30000, 1001))
        #expect(try resolve("500") == Time(500, 1))
        #expect(try resolve("-1f") == Time(2499, 25) && resolve("end-250f") == Time(90, 1))
        #expect(try resolve("10", duration: nil) == Time(10, 1))
    }

    @Test func refusals() throws {
        func refusal(_ spelling: TimeSpelling, duration: Time? = Time(100, 1)) throws -> TimeError {
            try #require(throws: TimeError.self) { try resolve(spelling, duration: duration) }
        }
        #expect(try refusal(.frame(2500)).message == "the last frame is 2499")
        let drop = TimeSpelling.timecode(hours: 0, minutes: 0, seconds: 1, frames: 0, dropFrame: true)
        #expect(try refusal(drop).kind == .noSuchTimecode)
        for unknown in [nil, Time.indefinite, .positiveInfinity, .invalid] {
            #expect(try refusal(.end, duration: unknown).kind == .needsDuration)
            #expect(try refusal(.fromEnd(Time(1, 1)), duration: unknown).kind == .needsDuration)
        }
        let early = try refusal(.fromEnd(Time(101, 1)))
        #expect(early.kind == .outOfRange && early.message.contains("which lasts 100 s"))
        #expect(try refusal(.time(Time(-1, 1))).kind == .outOfRange)
        for time in Samples.special { #expect(try refusal(.time(time)).kind == .notATime) }
    }

    @Test func aTimeFromTheEndIsExactOrRefused() throws {
        let error = try #require(throws: TimeError.self) {
            try resolve(.fromEnd(Time(1, .max)), duration: Time(1_000_003, 90001))
        }
        #expect(error.kind == .timescaleTooLarge && error.message.contains("the nearest times are"))
        #expect(
            try resolve(.fromEnd(Time(1, 44100)), duration: Time(9_000_001, 90000)).hasBeenRounded == false)
    }
}
