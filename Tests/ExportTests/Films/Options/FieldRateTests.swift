// A frame for each field: twice the frames, each at its field's time, for the part of it that the range shows; and what stays one
// frame.
import Check
import Foundation
import Media
import MediaTime
import Testing

struct FieldRateTests {
    private struct Answer: Decodable {
        struct Packet: Decodable { var pts_time: String }
        struct Stream: Decodable { var duration: String? }
        var packets: [Packet]
        var streams: [Stream]
    }
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    /// 25 interlaced frames a second, each of two of 50.
    private func film(_ type: String = "mp4", top: Bool = true, seconds: String = "2") throws -> String {
        try Film(
            name: "", type: type,
            words: Film.video(
                "50", seconds: seconds,
                filters: "tinterlace=mode=\(top ? 4 : 5),setfield=\(top ? "tff" : "bff")")
                + [
                    "-c:v", "libx264", "-preset", "veryfast", "-crf", "10", "-pix_fmt", "yuv420p", "-g", "25",
                    "-flags", "+ildct+ilme", "-x264-params", top ? "tff=1" : "bff=1",
                ]
        ).make(in: scratch)
    }

    private func made(
        _ input: String, _ way: Deinterlacing, start: Time, end: Time, type: String = "mp4"
    ) throws -> (made: Made, answer: Answer, findings: [String]) {
        var options = ExportOptions()
        options.deinterlace = way
        options.crf = 10
        let made = try export(input, "highest", start: start, end: end, in: scratch, type: type) {
            $0.options = options
            $0.output.name = "o.\(type)"
        }
        try verify(made, in: scratch)
        let answer = try Tool.ffprobe(["-show_streams", "-show_packets", made.file], as: Answer.self)
        let report = try Comparison(
            try scratch.source(input), try scratch.source(made.file),
            RangeRequest(start: .time(start), end: .time(end)), options: options
        ).run(picture: nil)
        return (made, answer, report.findings.map { "\($0.code) \($0.message)" })
    }

    @Test(arguments: [true, false], ["mp4", "ts"])
    func eachFieldIsAFrame(_ top: Bool, _ type: String) throws {
        let input = try film(type, top: top)
        let found = try made(input, .field, start: Time(2, 5), end: Time(7, 5))
        #expect(found.answer.packets.count == 50)
        #expect(found.findings.isEmpty, "\(found.findings)")
        let times = found.answer.packets.compactMap { Double($0.pts_time) }.sorted()
        for (number, time) in times.enumerated() { #expect(abs(time - Double(number) / 50) < 1e-4) }
    }

    /// The range begins in the second field of a frame, and ends in the first one of another.
    @Test func aCutBetweenFieldsKeepsTheShownOne() throws {
        let input = try film()
        let found = try made(input, .field, start: Time(43, 100), end: Time(81, 100))
        let times = found.answer.packets.compactMap { Double($0.pts_time) }.sorted()
        #expect(times.count == 20, "one field of 0.40, nine frames, one field of 0.80")
        #expect(abs((times.dropFirst().first ?? 0) - 0.01) < 1e-4)
        #expect(found.findings.isEmpty, "\(found.findings)")
        #expect(abs((found.answer.streams.first?.duration.flatMap { Double($0) } ?? 0) - 0.38) < 1e-4)
    }

    @Test func aWrongFieldIsNoticed() throws {
        let input = try film()
        let found = try made(input, .field, start: .zero, end: Time(1, 1))
        let late = try Comparison(
            try scratch.source(input), try scratch.source(found.made.file),
            RangeRequest(start: .time(Time(1, 50)), end: .time(Time(51, 50))),
            options: ExportOptions(deinterlace: .field)
        ).run(picture: nil)
        #expect(!late.exact)
        let halved = try made(input, .auto, start: .zero, end: Time(1, 1))
        #expect(halved.answer.packets.count == 25)
        #expect(halved.findings.isEmpty, "\(halved.findings)")
        let missing = try Comparison(
            try scratch.source(input), try scratch.source(halved.made.file),
            RangeRequest(start: .time(.zero), end: .time(Time(1, 1))),
            options: ExportOptions(deinterlace: .field)
        ).run(picture: nil)
        #expect(missing.findings.contains { $0.code == "frameMissing" })
    }

    @Test func offKeepsBothFieldsInAFrame() throws {
        let input = try film()
        let found = try made(input, .off, start: .zero, end: Time(1, 1))
        #expect(found.answer.packets.count == 25)
        #expect(found.findings.isEmpty, "\(found.findings)")
        #expect(!found.made.result.warnings.contains { $0.code == .deinterlaced })
    }

    @Test func progressiveFramesStayWhole() throws {
        let input = try Film(
            name: "", type: "mp4", words: Film.video(seconds: "1") + Film.h264()
        ).make(in: scratch)
        let found = try made(input, .field, start: .zero, end: Time(4, 5))
        #expect(found.answer.packets.count == 20)
        #expect(found.findings.isEmpty, "\(found.findings)")
    }

    @Test func aRateAboveThePresetsIsRefused() throws {
        let error = try refusal(try film(seconds: "1"), "m4v720", in: scratch) {
            $0.options = ExportOptions(deinterlace: .field)
        }
        #expect(error.code == .presetNotValid)
        #expect(error.message.contains("30"))
    }
}

extension ExportOptions {
    fileprivate init(deinterlace: Deinterlacing) {
        self.init()
        self.deinterlace = deinterlace
    }
}
