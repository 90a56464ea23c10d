// Options as text: each way that people write one value is that value.
import MediaTime
import Testing

@testable import Media

struct ExportOptionTests {
    private func options(_ option: ExportOption, _ text: String) throws -> ExportOptions {
        var options = ExportOptions()
        try option.set(text, in: &options, as: option.name)
        return options
    }

    @Test(
        arguments: [
            ("90", 90), ("+90", 90), ("right", 90), ("Right", 90), ("cw", 90), ("-270", 90), ("180", 180),
            ("-180", 180), ("270", 270), ("left", 270), ("-90", 270), ("ccw", 270), ("45", nil), ("0", nil),
            ("up", nil),
        ] as [(String, Int?)])
    func aQuarterTurnHasNames(text: String, degrees: Int?) {
        #expect((try? options(.rotate, text))?.rotate == degrees)
    }

    @Test(
        arguments: [
            ("2", 2.0), ("2x", 2), ("1.5x", 1.5), ("3/2", 1.5), ("0.5×", 0.5), ("x", nil), ("2xx", nil),
            ("9x", nil),
        ] as [(String, Double?)])
    func aSpeedIsAFactor(text: String, factor: Double?) {
        #expect((try? options(.speed, text))?.speed?.value == factor)
    }

    @Test(
        arguments: [
            ("720", "1280x720"), ("720p", "1280x720"), ("480", "854x480"), ("1280x720", "1280x720"),
            ("1280X720", "1280x720"), ("1280×720", "1280x720"), ("15", nil), ("0", nil), ("-720", nil),
            ("x720", nil),
            ("1280x", nil), ("1280xx720", nil), ("99999", nil), ("9223372036854775807", nil), ("720i", nil),
        ] as [(String, String?)])
    func aBoxIsASizeOrLines(text: String, box: String?) {
        #expect((try? options(.size, text))?.size?.description == box)
    }
}
