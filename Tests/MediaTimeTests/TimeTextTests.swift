// How times look: description, clock and JSON, and what JSON is refused.
import MediaTime
import Testing

@Suite struct TimeTextTests {
    @Test(arguments: [
        (Time(21, 2), "10.5"), (Time(10, 1), "10"), (Time(441000, 44100), "10"), (Time(-1, 4), "-0.25"),
        (Time(1, 3), "0.333333"), (Time(30000, 1001), "29.970030"), (Time(-2, 3), "-0.666667"), (.zero, "0"),
        (Time(1, 1_000_000_000), "0.000000001"), (Time(1, 1 << 10), "0.000977"),
        (Time(1, 512), "0.001953125"),
        (Time(.min, 1), "-9223372036854775808"), (Time(.max, 2), "4611686018427387903.5"),
        (Time(value: 1, timescale: 2, epoch: 3), "0.5 in epoch 3"), (.invalid, "invalid"),
        (.indefinite, "indefinite"), (.positiveInfinity, "+infinity"), (.negativeInfinity, "-infinity"),
    ]) func description(time: Time, text: String) {
        #expect(time.description == text)
    }

    @Test(arguments: [
        (Time(7025, 100), 3, "00:01:10.250"), (Time(7025, 100), 0, "00:01:10"),
        (Time(36_000_000, 1), 1, "10000:00:00.0"),
        (Time(1, 3), 3, "00:00:00.333"), (Time(2, 3), 2, "00:00:00.67"), (Time(1, 2), 0, "00:00:01"),
        (Time(-1, 2), 0, "-00:00:01"), (Time(-1, 2000), 3, "-00:00:00.001"),
        (Time(-1, 9000), 3, "00:00:00.000"),
        (Time(59_9999, 10000), 3, "00:01:00.000"), (Time(1, 2), -5, "00:00:01"),
        (Time(1, 2), 99, "00:00:00.500000000"),
        (.indefinite, 3, "indefinite"),
    ]) func clock(time: Time, digits: Int, text: String) {
        #expect(time.clock(digits: digits) == text)
    }

    @Test func textOfEveryEdge() {
        for time in Samples.edges {
            #expect(!time.description.isEmpty)
            #expect(time.clock(digits: 9).contains(":") == time.isNumeric)
        }
    }

    @Test func json() throws {
        #expect(try encoded(Time(441000, 44100)) == #"{"seconds":10,"timescale":44100,"value":441000}"#)
        #expect(try encoded(Time.indefinite) == #"{"flags":17,"timescale":0,"value":0}"#)
        #expect(try encoded(Time.positiveInfinity) == #"{"flags":5,"timescale":0,"value":0}"#)
        #expect(try encoded(Time.negativeInfinity) == #"{"flags":9,"timescale":0,"value":0}"#)
        #expect(try encoded(Time.invalid) == #"{"flags":0,"timescale":0,"value":0}"#)
        let rounded = Time(1, 3).converted(to: 10)
        #expect(try encoded(rounded) == #"{"flags":3,"seconds":0.3,"timescale":10,"value":3}"#)
        let later = Time(value: 1, timescale: 2, epoch: 3)
        #expect(try encoded(later) == #"{"epoch":3,"seconds":0.5,"timescale":2,"value":1}"#)
    }

    @Test func jsonRoundTrip() throws {
        let times = Samples.edges + Samples.wild(500, seed: 31) + [Time(1, 3).converted(to: 10)]
        for time in times {
            let back = try parsed(Time.self, encoded(time))
            #expect(back.isIdentical(to: time), "\(time)")
        }
        #expect(try parsed(Time.self, #"{"value":3,"timescale":2,"seconds":99}"#).isIdentical(to: Time(3, 2)))
    }

    @Test(arguments: [
        (#"{"value":1,"timescale":0}"#, "a timescale is from 1 to 2147483647"),
        (#"{"value":1,"timescale":-5}"#, "a timescale is from 1 to 2147483647"),
        (#"{"value":1,"timescale":2147483648}"#, "the nearest times are 0/1 and 1/2147483647"),
        (#"{"value":20000000000,"timescale":4000000000}"#, "the same time in lowest terms is 5/1"),
    ]) func refusedJSON(text: String, reason: String) throws {
        let error = try #require(throws: DecodingError.self) { try parsed(Time.self, text) }
        #expect("\(error)".contains(reason), "\(error)")
    }

    @Test(arguments: [#"{"value":1}"#, #"{"timescale":1}"#, #"{"value":1.5,"timescale":1}"#, "[]", #""10""#])
    func noTimeAtAll(text: String) {
        #expect(throws: DecodingError.self) { try parsed(Time.self, text) }
    }
}
