// A range whose parts exclude each other is refused by every method that takes one, before a worker is asked: none picks a part
// and ignores the rest.
import Glibc
import Media
import MediaTime
import Testing
import Wire

@testable import trimd

struct RangeRefusalTests {
    private static let methods: [Wire.Method] = [
        .jobSubmit, .jobPlan, .assetCheck, .assetSheet, .assetVerify,
    ]

    /// The refusal of each, and the code.
    private static func wrong() throws -> [(RangeRequest, ErrorCode)] {
        let part = try RangeSpelling.parse("1..2")
        var both = RangeRequest(start: .time(.zero))
        both.keep = [part]
        var none = RangeRequest()
        none.keep = []
        var inverted = RangeRequest()
        inverted.remove = [try RangeSpelling.parse("2..1")]
        return [
            (both, .invalidRequest), (none, .invalidRequest), (inverted, .invalidTime),
            (RangeRequest(end: .end, duration: .time(Time(1, 1))), .invalidRequest),
            (RangeRequest(start: .time(Time(2, 1)), end: .time(Time(1, 1))), .invalidTime),
            (RangeRequest(duration: .time(.zero)), .invalidTime),
        ]
    }

    @Test(arguments: methods) func aRangeThatContradictsItselfIsRefused(_ method: Wire.Method) throws {
        let rig = try ServiceRig()
        let client = try rig.connect(as: geteuid())
        for (range, code) in try Self.wrong() {
            let called: Called
            switch method {
            case .assetCheck:
                var params = CheckParams(path: rig.film)
                params.range = range
                called = try client.ask(method, params)
            case .assetSheet:
                var params = SheetParams(path: rig.film)
                (params.range, params.picture) = (range, rig.out + "/s.png")
                called = try client.ask(method, params)
            case .assetVerify:
                var params = VerifyParams(path: rig.film, output: rig.film)
                params.range = range
                called = try client.ask(method, params)
            default:
                var params = SubmitParams(input: rig.film)
                (params.range, params.output) = (range, rig.out + "/")
                called = try client.ask(method, params)
            }
            #expect(called.code == code.rawValue, "\(range): \(called)")
        }
    }
}
