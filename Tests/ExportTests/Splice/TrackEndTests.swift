// Tracks that do not begin or end where the asset does: behind the end of an edit list, after the sound, or with a picture that
// is shown for long.
import Foundation
import Media
import MediaTime
import Testing

@testable import Export

@Suite(.timeLimit(.minutes(60))) struct TrackEndTests {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func film(_ type: String, _ before: [String] = [], _ more: String = "") throws -> String {
        let words =
            before + Film.pictures(seconds: "4") + Film.noise(48_000, seconds: "4") + Film.h264(more) + [
                "-c:a", "aac",
            ]
        return try Film(name: "", type: type, words: words).make(in: scratch)
    }

    /// Samples behind the end of an edit list are no part of the film, though pictures before it need them.
    @Test(arguments: [nil, Time(9, 1)]) func whatTheEditListLeavesOutStaysOut(_ end: Time?) throws {
        let whole = try film("mp4")
        let shown = try Truth(whole).frames().map(\.time)
        let hiding = try export(whole, "passthrough", end: shown[71], in: scratch, type: "mp4") {
            ($0.render, $0.output.name) = (.copy, "out.mp4")
        }
        try #require(hiding.result.tracks.contains { ($0.framesHidden ?? 0) > 0 })
        let made = try export(
            hiding.file, "passthrough", start: shown[10], end: end, in: scratch, type: "mov"
        ) {
            ($0.render, $0.output.name) = (.smart, "out.mov")
        }
        #expect(made.result.tracks.first.map { $0.framesCopied > 0 } == true)
        #expect(try Truth(made.file).frames().map(\.time) == (10..<71).map { shown[$0] - shown[10] })
        try verify(made, in: scratch)
    }

    @Test(arguments: ["ts", "mkv", "mp4"]) func picturesThatBeginAfterTheSoundStayThere(_ type: String) throws
    {
        let late = try film("ts", ["-itsoffset", "1"])
        let source = try Truth(late)
        let zero = try #require(source.streams.map(\.start).min())
        let first = try #require(source.streams.first { $0.codec_type == "video" }).start - zero
        try #require(first > Time(1, 2))
        let made = try export(
            late, "passthrough", start: Time(1, 4), end: first + Time(2, 1), in: scratch, type: type
        ) { ($0.render, $0.output.name) = (.smart, "out.\(type)") }
        try verify(made, in: scratch)
        let track = try #require(Truth(made.file).streams.first { $0.codec_type == "video" })
        let place = track.start - (type == "ts" ? Time(7, 5) : .zero)
        #expect((place - (first - Time(1, 4))).absoluteValue <= Time(1, 500))
    }

    /// A transport stream does not say how long its last picture is shown.
    @Test(arguments: ["ts", "mkv", "mp4"]) func aLongLastPicture(_ type: String) throws {
        let film = try Film(
            name: "", type: "mp4",
            words: Film.pictures(seconds: "4", filters: "setpts='if(gt(N,60),PTS+2/TB,PTS)'") + [
                "-fps_mode", "passthrough",
            ] + Film.h264()
        ).make(in: scratch)
        let made = try export(
            film, "passthrough", start: Time(1, 2), end: Time(4, 1), in: scratch, type: type
        ) {
            ($0.render, $0.output.name) = (.smart, "out.\(type)")
        }
        try verify(made, in: scratch)
        #expect(try Truth(made.file).frames().count == 49)
        #expect(made.result.warnings.contains { $0.code == "lastPictureLength" } == (type == "ts"))
        var wrong = made
        for index in wrong.result.tracks.indices where wrong.result.tracks[index].lastPicture != nil {
            wrong.result.tracks[index].lastPicture = Time(1, 1)
        }
        guard type != "mp4" else { return }
        #expect(throws: MediaError.self) { try verify(wrong, in: scratch) }
    }

    /// Readers begin at any sync sample of a transport stream, also at one that is no IDR picture.
    @Test func everySyncSampleOfATransportStreamHasItsParameterSets() throws {
        let open = try film("mp4", [], "open-gop=1")
        let made = try export(open, "passthrough", in: scratch, type: "ts") {
            ($0.render, $0.output.name) = (.smart, "out.ts")
        }
        try verify(made, in: scratch)
        struct Answer: Decodable {
            struct Packet: Decodable { var flags: String }
            var packets: [Packet]
        }
        let packets = try Tool.ffprobe(
            ["-select_streams", "v", "-show_entries", "packet=flags", made.file], as: Answer.self
        ).packets
        let keys = packets.count { $0.flags.hasPrefix("K") }
        try #require(keys >= 3)
        let bytes = try Tool.ffmpeg(["-i", made.file, "-map", "0:v", "-c", "copy", "-f", "h264", "-"])
        let sets = bytes.indices.dropLast(3).count {
            bytes[$0] == 0 && bytes[$0 + 1] == 0 && bytes[$0 + 2] == 1 && bytes[$0 + 3] & 31 == 7
        }
        #expect(sets == keys)
    }
}
