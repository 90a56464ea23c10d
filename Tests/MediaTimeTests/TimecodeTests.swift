// Timecode: counted against a naive counter that goes up frame by frame, and refused where a number does not
// exist.
import MediaTime
import Testing

@Suite struct TimecodeTests {
    /// The next timecode by the plain rule: count up, and step over the dropped numbers.
    private struct Counter {
        var hours = 0
        var minutes = 0
        var seconds = 0
        var frames = 0
        let rate: TimecodeRate
        let dropped: Int

        mutating func advance() {
            frames += 1
            guard frames == rate.quanta else { return }
            (frames, seconds) = (0, seconds + 1)
            guard seconds == 60 else { return }
            (seconds, minutes) = (0, minutes + 1)
            if minutes % 10 != 0 { frames = dropped }
            guard minutes == 60 else { return }
            (minutes, hours) = (0, hours + 1)
        }

        func matches(_ code: Timecode) -> Bool {
            code.hours == hours && code.minutes == minutes && code.seconds == seconds && code.frames == frames
        }
    }

    private func dropped(_ rate: TimecodeRate) -> Int {
        rate.dropFrame ? [30: 2, 60: 4, 120: 8][rate.quanta] ?? -1 : 0
    }

    @Test(
        arguments: [
            ("25", "25"), ("30000/1001", "30000/1001"), ("29.97", "30000/1001"), ("23.976", "24000/1001"),
            ("59.940", "60000/1001"), ("12.5", "25/2"), ("7.4925", "2997/400"), ("0x10", nil), ("1e2", nil),
            ("nan", nil), ("", nil), ("2.", nil),
        ] as [(String, String?)])
    func frameRatesAreReadInDecimals(_ text: String, _ rate: String?) {
        #expect(TimecodeRate.frameRate(text) == rate.flatMap { Ratio($0) })
    }

    @Test func theKnownRates() {
        let rates = TimecodeRate.known.map(\.description)
        #expect(
            rates == [
                "23.976", "24", "25", "29.97", "29.97 drop-frame", "30", "47.952", "48", "50", "59.94",
                "59.94 drop-frame", "60", "100", "119.88", "119.88 drop-frame", "120",
            ])
        for rate in TimecodeRate.known {
            #expect(rate.droppedPerMinute == dropped(rate))
            let (above, below) = (rate.frameRate.numerator, rate.frameRate.denominator)
            #expect(rate.frameDuration.multiplied(by: above, over: below) == Time(1, 1))
        }
        #expect(
            TimecodeRate.known.map(\.quanta) == [
                24, 24, 25, 30, 30, 30, 48, 48, 50, 60, 60, 60, 100, 120, 120, 120,
            ])
    }

    @Test func ratesAreFound() throws {
        for rate in TimecodeRate.known {
            #expect(TimecodeRate.rate(for: rate.frameRate, dropFrame: rate.dropFrame) == rate)
        }
        func found(_ above: Int64, _ below: Int64, drop: Bool = false) throws -> String? {
            TimecodeRate.rate(for: try #require(Ratio(above, below)), dropFrame: drop)?.description
        }
        #expect(
            try found(2997, 100) == "29.97" && found(2398, 100) == "23.976" && found(19001, 634) == "29.97")
        #expect(try found(2997, 100, drop: true) == "29.97 drop-frame")
        #expect(
            try found(24, 1, drop: true) == nil && found(30, 1, drop: true) == nil
                && found(25, 1, drop: true) == nil)
        #expect(
            try found(15, 1) == nil && found(0, 1) == nil && found(-25, 1) == nil && found(.max, 1) == nil)
        #expect(try found(2395, 100) == nil && found(2401, 100) == nil && found(1, .max) == nil)
    }

    @Test(arguments: TimecodeRate.known) func countsAsANaiveCounter(rate: TimecodeRate) {
        var counter = Counter(rate: rate, dropped: dropped(rate))
        for frame in 0..<Int64(rate.quanta) * 60 * 11 {
            let code = Timecode(frameNumber: frame, rate: rate)
            guard counter.matches(code), code.frameNumber == frame else {
                Issue.record("frame \(frame) is \(code), counted \(counter)")
                return
            }
            counter.advance()
        }
    }

    @Test(arguments: TimecodeRate.known) func aDayOfFrames(rate: TimecodeRate) throws {
        let drops = 24 * 54 * dropped(rate)
        #expect(rate.framesPerDay == Int64(86400 * rate.quanta - drops))
        // Around every minute of the day, where numbers are dropped.
        var last: Int64 = -1
        for minute in 0..<1440 {
            let first = minute % 10 == 0 ? 0 : dropped(rate)
            let code = try Timecode(
                hours: minute / 60, minutes: minute % 60, seconds: 0, frames: first, rate: rate)
            let before = Timecode(frameNumber: code.frameNumber - 1, rate: rate)
            let same = before.seconds == 59 && before.frames == rate.quanta - 1
            #expect(
                same && before.minutes == (minute + 59) % 60
                    && Timecode(frameNumber: code.frameNumber, rate: rate) == code)
            #expect(code.frameNumber > last)
            last = code.frameNumber
        }
        // And at a stride that meets every residue.
        for frame in stride(from: Int64(0), to: rate.framesPerDay, by: 997) {
            let code = Timecode(frameNumber: frame, rate: rate)
            let again = try Timecode(
                hours: code.hours, minutes: code.minutes, seconds: code.seconds, frames: code.frames,
                rate: rate)
            guard again == code, again.frameNumber == frame else {
                Issue.record("frame \(frame) is \(code), again \(again.frameNumber)")
                return
            }
        }
    }

    @Test(arguments: TimecodeRate.known) func theDayWraps(rate: TimecodeRate) {
        let last = Timecode(frameNumber: -1, rate: rate)
        #expect(
            last.hours == 23 && last.minutes == 59 && last.seconds == 59 && last.frames == rate.quanta - 1)
        #expect(last.frameNumber == rate.framesPerDay - 1)
        #expect(Timecode(frameNumber: rate.framesPerDay, rate: rate) == Timecode(frameNumber: 0, rate: rate))
        for frame in [Int64.min, .max] {
            let code = Timecode(frameNumber: frame, rate: rate)
            #expect((0..<rate.framesPerDay).contains(code.frameNumber))
            #expect((frame % rate.framesPerDay - code.frameNumber) % rate.framesPerDay == 0)
        }
    }

    @Test func knownNumbers() throws {
        let ntsc = try #require(Ratio(30000, 1001))
        let drop = try #require(TimecodeRate.rate(for: ntsc, dropFrame: true))
        #expect(drop.framesPerDay == 2_589_408)
        let hour = try Timecode(hours: 1, minutes: 0, seconds: 0, frames: 0, rate: drop)
        #expect(hour.frameNumber == 107892 && hour.description == "01:00:00;00")
        // Drop-frame keeps up with the clock: an hour of timecode is 3.6 ms short of an hour.
        #expect(hour.time == Time(107892 * 1001, 30000) && (Time(3600, 1) - hour.time) == Time(36, 10000))
        #expect(Timecode(frameNumber: 1800, rate: drop).description == "00:01:00;02")
        #expect(Timecode(frameNumber: 17982, rate: drop).description == "00:10:00;00")
        let film = try #require(TimecodeRate.rate(for: Ratio(24), dropFrame: false))
        #expect(try Timecode(hours: 1, minutes: 0, seconds: 10, frames: 12, rate: film).time == Time(7221, 2))
        #expect(
            try Timecode(hours: 1, minutes: 0, seconds: 10, frames: 12, rate: film).description
                == "01:00:10:12")
        let fast = try #require(TimecodeRate.rate(for: Ratio(120), dropFrame: false))
        #expect(Timecode(frameNumber: 119, rate: fast).description == "00:00:00:119")
    }

    @Test(arguments: TimecodeRate.known.filter(\.dropFrame)) func droppedNumbersAreRefused(rate: TimecodeRate)
        throws
    {
        for minute in 0..<60 {
            for frame in 0..<dropped(rate) {
                let make = { () throws(TimeError) in
                    try Timecode(hours: 7, minutes: minute, seconds: 0, frames: frame, rate: rate)
                }
                guard minute % 10 != 0 else {
                    #expect(try make().frames == frame)
                    continue
                }
                let error = try #require(throws: TimeError.self) { try make() }
                #expect(error.kind == .noSuchTimecode)
                let tens = minute < 10 ? "0" : ""
                #expect(error.message.contains("07:\(tens)\(minute):00;0\(dropped(rate))"), "\(error)")
                #expect(error.message.contains(":59;\(rate.quanta - 1) and "), "\(error)")
            }
            #expect(try Timecode(hours: 7, minutes: minute, seconds: 1, frames: 0, rate: rate).seconds == 1)
        }
    }

    @Test func numbersThatDoNotExist() throws {
        let rate = try #require(TimecodeRate.rate(for: Ratio(25), dropFrame: false))
        func refusal(_ h: Int, _ m: Int, _ s: Int, _ f: Int) throws -> String {
            let error = try #require(throws: TimeError.self) {
                try Timecode(hours: h, minutes: m, seconds: s, frames: f, rate: rate)
            }
            #expect(error.kind == .noSuchTimecode)
            return error.message
        }
        #expect(try refusal(1, 2, 3, 25).contains("the nearest ones are 01:02:03:24 and 01:02:04:00"))
        #expect(try refusal(23, 59, 59, .max).contains("23:59:59:24 and 00:00:00:00"))
        #expect(try refusal(24, 0, 0, 0).contains("hours go to 23"))
        #expect(try refusal(0, 60, 0, 0).contains("minutes and seconds to 59"))
        #expect(try refusal(0, 0, 60, 0).contains("23:59:59:24"))
        for wrong in [Int.min, -1, .max] {
            #expect(try !refusal(wrong, 0, 0, 0).isEmpty && !refusal(0, wrong, 0, 0).isEmpty)
            #expect(try !refusal(0, 0, wrong, 0).isEmpty && !refusal(0, 0, 0, wrong).isEmpty)
        }
    }
}
