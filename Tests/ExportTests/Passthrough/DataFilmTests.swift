// Tracks of data in real files: taken over where the container can hold them, else named.
import FoundationEssentials
import Media
import MediaTime
import Testing

@testable import Export

@Suite(.enabled(if: Paths.hasMedia("karma.mp4"), "the real films are not there"))
struct DataFilmTests {
    private let scratch: Scratch
    private let input = Paths.media + "/karma.mp4"

    init() throws { scratch = try Scratch() }

    private func cut(_ type: String, _ policy: MetadataPolicy = .keep) throws -> Made {
        try export(
            input, type == "m4v" ? "m4v480" : "1280x720", start: Time(33, 10), end: Time(5, 1), in: scratch,
            type: type
        ) {
            $0.output.name = "out.\(type)"
            $0.metadata = MetadataRequest(policy: policy)
        }
    }

    @Test(arguments: ["mp4", "mov"]) func telemetryIsTakenOver(type: String) throws {
        let made = try cut(type)
        let output = try Carried.of(made.file, packets: true)
        let data = output.streams("data")
        #expect(data.map(\.codec_tag_string) == ["gpmd", "fdsc", "tmcd"])
        #expect(output.format.duration == "1.700000")
        let source = try Carried.of(input, packets: true)
        let telemetry = try #require(data.first).index
        // Samples of 1.001 s: the one at the in point, cut short, and the next.
        #expect(output.events(of: telemetry).map(\.pts_time) == ["0.000000", "0.704000"])
        #expect(output.events(of: telemetry).map(\.size) == source.events(of: 3)[3...4].map(\.size))
        let uncut = made.result.warnings.filter { $0.code == .dataUncut && $0.track == 3 }
        // Once, although samples extend past both ends.
        #expect(uncut.count == 1 && !uncut.contains { $0.message.contains("more)") }, "\(uncut)")
        #expect(
            try Tool.output(["mediainfo", made.file]).contains(
                "Time code of first frame                 : 19:26:51:12"))
        try verify(made, in: scratch)
    }

    @Test func whereTheyCannotBeTheyAreNamed() throws {
        for (made, words) in [
            (try cut("m4v"), ".m4v holds no data tracks"), (try cut("mp4", .sharing), "place or a device"),
        ] {
            #expect(made.result.dropped.filter { $0.reason.contains(words) }.map(\.track) == [3, 4])
            #expect(try Carried.of(made.file).streams("data").map(\.codec_tag_string) == ["tmcd"])
        }
    }
}
