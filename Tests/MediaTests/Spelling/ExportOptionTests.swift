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

    /// A value that the command line refuses is refused in JSON too, by its key.
    @Test(
        arguments: [
            ("background", #""pink""#, "is 'pink', and must be black, white, #rrggbb or refuse"),
            ("variant", #""best""#, "is 'best', and must be highest, lowest, a number or a size"),
            ("frameRate", #""500""#, "is 500, and must be 1 to 240"),
            ("loudness", "3", "is 3.0, and must be -70 to -5 LUFS"),
            ("limitSize", "5", "is 5, and must be at least 1024 bytes"),
            ("crf", "99", "is 99.0, and must be 0 to 63"),
            ("bitRate", "1", "is 1, and must be 1000 to 1000000000 bits a second"),
            ("audioBitRate", "1", "is 1, and must be 8000 to 2000000 bits a second"),
            ("rotate", "45", "is 45, and must be 90, 180 or 270"),
            ("speed", #""9""#, "is 9, and must be 0.5 to 4"),
            ("videoCodec", #""x264""#, "is 'x264'; it must be h264, hevc, av1, vp9 or prores"),
            (
                "crop", #""8:8""#,
                "is '8:8', and must be a rectangle W:H:X:Y or W:H of at least 16 pixels a side"
            ),
            ("sped", "2", "is not a known key; did you mean 'speed'?"),
        ])
    func aWrongValueInJSONIsNamed(_ key: String, _ value: String, _ words: String) throws {
        let error = #expect(throws: DecodingError.self) {
            try decoded(ExportOptions.self, "{\"\(key)\": \(value)}")
        }
        guard case .dataCorrupted(let context)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(context.codingPath.map(\.stringValue) == [key] && context.debugDescription == words)
    }

    /// What the command line sets is what JSON carries, for every option: none is forgotten on the way.
    @Test func everyOptionTravels() throws {
        let texts = [
            "crf": "34", "bitrate": "300k", "size": "160x90", "video-codec": "hevc", "audio-bitrate": "192k",
            "audio-codec": "ac3", "crop": "128:96", "rotate": "90", "deinterlace": "field", "speed": "2",
            "fps": "10", "burn-subtitles": "/a/b.srt", "variant": "lowest", "video": "1", "audio": "eng",
            "subtitles": "none", "background": "white", "hdr": "refuse", "loudness": "-16",
            "limit-size": "25M",
        ]
        for option in ExportOption.all {
            var options = ExportOptions()
            try option.set(texts[option.name] ?? "", in: &options, as: option.name)
            #expect(option.isGiven(in: options) && options != ExportOptions(), "\(option)")
            #expect(try roundTrip(options) == options, "\(option)")
            #expect(ExportOptions().completed(by: options) == options, "\(option)")
        }
        #expect(texts.count + ExportOption.all.filter { $0.form == .flag }.count == ExportOption.all.count)
    }

    /// A quality and a rate are one choice: what a line says of one leaves out the list's other.
    @Test func whatContradictsIsNotCompleted() throws {
        let (own, list) = (try options(.crf, "20"), try options(.bitRate, "5M"))
        #expect(own.completed(by: list) == own && list.completed(by: own) == list)
        #expect(ExportOption.crf.contradicts(.bitRate) && ExportOption.bitRate.contradicts(.crf))
    }
}
