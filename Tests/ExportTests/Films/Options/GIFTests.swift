// Animated GIFs: their frames begin at the nearest hundredth of a second, the last one ends with the range, and they loop.
import Check
import Foundation
import Media
import MediaTime
import Testing

struct GIFTests {
    private struct Answer: Decodable {
        struct Packet: Decodable { var pts: Int, duration: Int }
        struct Stream: Decodable { var codec_name: String, width: Int, height: Int }
        var packets: [Packet], streams: [Stream]
    }
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func film(_ rate: String, _ size: String = "640x360") throws -> String {
        try Film(
            name: "", type: "mp4",
            words: Film.video(rate, size: size, seconds: "3") + Film.noise(seconds: "3") + Film.h264()
                + ["-c:a", "aac"]
        ).make(in: scratch)
    }

    private func made(
        _ input: String, start: Time, end: Time, _ change: (inout ExportOptions) -> Void = { _ in }
    ) throws -> (made: Made, answer: Answer, report: ComparisonReport) {
        var options = ExportOptions()
        change(&options)
        let made = try export(input, "gif", start: start, end: end, in: scratch, type: "gif") {
            $0.options = options
            $0.output.name = "o.gif"
        }
        try verify(made, in: scratch)
        let report = try Comparison(
            try scratch.source(input), try scratch.source(made.file),
            RangeRequest(start: .time(start), end: .time(end)), options: options
        ).run(picture: nil)
        return (
            made, try Tool.ffprobe(["-show_streams", "-show_packets", made.file], as: Answer.self), report
        )
    }

    @Test(arguments: [("25", 12.5), ("30", 15), ("30000/1001", 14.985), ("24", 12), ("10", 10), ("60", 15)])
    func framesKeepTheirTimes(_ source: String, _ rate: Double) throws {
        let found = try made(try film(source, "160x90"), start: Time(1, 2), end: Time(5, 2))
        #expect(abs(Double(found.answer.packets.count) - 2 * rate) < 2)
        for (number, packet) in found.answer.packets.enumerated() {
            let exact = Double(number) / rate * 100
            #expect(abs(Double(packet.pts) - exact) <= 100 / rate, "frame \(number)")
        }
        let last = try #require(found.answer.packets.last)
        #expect(last.pts + last.duration == 200, "the range is 2 s")
        #expect(found.report.exact, "\(found.report.findings)")
    }

    @Test func aRangeEndsAtTheNearestHundredth() throws {
        let found = try made(try film("25"), start: Time(103, 100), end: Time(2_218, 1000))
        let last = try #require(found.answer.packets.last)
        #expect(last.pts + last.duration == 119)
        #expect(found.answer.packets.first?.pts == 0)
    }

    @Test func itFitsTheWebAndLoops() throws {
        let wide = try made(try film("10"), start: .zero, end: Time(1, 1))
        #expect((wide.answer.streams.first?.width, wide.answer.streams.first?.height) == (480, 270))
        let tall = try made(try film("10", "270x480"), start: .zero, end: Time(1, 1)) {
            $0.size = FrameBox("240x180")
        }
        #expect((tall.answer.streams.first?.width, tall.answer.streams.first?.height) == (136, 240))
        let bytes = try Data(contentsOf: URL(filePath: wide.made.file))
        #expect(bytes.prefix(6) == Data("GIF89a".utf8))
        let loop = try #require(bytes.range(of: Data("NETSCAPE2.0".utf8)))
        #expect(Array(bytes[loop.upperBound...].prefix(4)) == [3, 1, 0, 0], "without end")
    }

    @Test func aFrameTooShortForViewersGivesItsTimeToTheNext() throws {
        // 10 ms of the first frame.
        let found = try made(try film("10"), start: Time(19, 100), end: Time(1, 1))
        #expect(found.answer.packets.first?.pts == 0)
        #expect(found.answer.packets.first?.duration == 11)
        #expect(found.answer.packets.allSatisfy { $0.duration >= 2 })
    }

    @Test func otherFramesAreNoticed() throws {
        let input = try film("10")
        let found = try made(input, start: .zero, end: Time(1, 1))
        let other = try Comparison(
            try scratch.source(input), try scratch.source(found.made.file),
            RangeRequest(start: .time(Time(1, 5)), end: .time(Time(6, 5)))
        ).run(picture: nil)
        #expect(!other.exact)
    }
}
