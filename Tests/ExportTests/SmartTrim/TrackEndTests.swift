// Tracks that do not begin or end where the asset does: behind the end of an edit list, after the audio, or with a frame that is
// shown for long.
import Foundation
import Media
import MediaTime
import Testing

@testable import Export
@testable import Render
@testable import Source

@Suite(.timeLimit(.minutes(10))) struct TrackEndTests {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func film(_ type: String, _ before: [String] = [], _ more: String = "") throws -> String {
        let words =
            before + Film.video(seconds: "4") + Film.noise(48_000, seconds: "4") + Film.h264(more) + [
                "-c:a", "aac",
            ]
        return try Film(name: "", type: type, words: words).make(in: scratch)
    }

    /// Makes the edit lists end before the samples do.
    private func hideTheEnd(of film: String, from end: Time) throws {
        let patch = EditListPatch(descriptor: try scratch.existing(film))
        for track in 0...1 { try patch.setLength(ofTrack: track, to: end) }
    }

    /// Samples behind the end of an edit list are not part of the film, although frames before it need them.
    @Test(arguments: [nil, Time(9, 1)], ["", "bframes=0"])
    func whatTheEditListLeavesOutStaysOut(_ end: Time?, _ more: String) throws {
        let whole = try film("mp4", [], more)
        let shown = try Truth(whole).frames().map(\.time)
        try hideTheEnd(of: whole, from: shown[71])
        let made = try export(
            whole, "passthrough", start: shown[10], end: end, in: scratch, type: "mov"
        ) {
            ($0.render, $0.output.name) = (.smart, "out.mov")
        }
        #expect(made.result.tracks.first.map { $0.framesCopied > 0 } == true)
        #expect(try Truth(made.file).frames().map(\.time) == (10..<71).map { shown[$0] - shown[10] })
        try verify(made, in: scratch)
    }

    /// A range that begins or ends within half a tick of the start of a frame, in a container with millisecond ticks.
    @Test(arguments: ["mkv", "mp4"]) func whatIsShownForLessThanATick(_ type: String) throws {
        let film = try Film(
            name: "", type: "mp4",
            words: Film.video("30", seconds: "4")
                + Film.h264("keyint=10:min-keyint=10:scenecut=0")
        ).make(in: scratch)
        for (start, end) in [(Time(333, 1000), Time(2, 1)), (Time(1, 10), Time(3001, 3000))] {
            let made = try export(film, "passthrough", start: start, end: end, in: scratch, type: type) {
                ($0.render, $0.output.name) = (.auto, "out.\(type)")
            }
            try verify(made, in: scratch)
            let count = try Truth(film).frames().count { $0.time < end && $0.time + Time(1, 30) > start }
            #expect(try Truth(made.file).frames().count == count)
        }
    }

    /// The end of a track that begins after the range does.
    @Test(arguments: [RenderMode.copy, .encode]) func audioThatBeginsLateEndsWithTheRange(
        _ render: RenderMode
    ) throws {
        let film = try Film(
            name: "", type: "mp4",
            words: Film.video(seconds: "4") + ["-itsoffset", "2"] + Film.noise(48_000, seconds: "2")
                + Film.h264("keyint=5") + ["-c:a", "aac"]
        ).make(in: scratch)
        let made = try export(
            film, render == .copy ? "passthrough" : "m4v480", start: Time(1, 1), end: Time(3, 1),
            in: scratch, type: render == .copy ? "mp4" : "m4v"
        ) { ($0.render, $0.output.name) = (render == .copy ? .auto : .encode, nil) }
        let audio = try #require(made.result.tracks.first { $0.kind == .audio })
        #expect((audio.actual.end - Time(3, 1)).absoluteValue <= Time(1, 1000))
        #expect((made.result.actual.end - Time(3, 1)).absoluteValue <= Time(1, 1000))
        try verify(made, in: scratch)
    }

    /// Readers of MPEG audio pass on the data behind the last frame.
    @Test(arguments: ["mp4", "mka", "mov"]) func dataBetweenAudioFramesIsLeftOut(_ type: String) throws {
        let film = try Film(
            name: "", type: "mp3", words: Film.noise(44_100, seconds: "2") + ["-c:a", "libmp3lame"]
        ).make(in: scratch)
        let file = try FileHandle(forWritingTo: URL(filePath: film))
        try file.seekToEnd()
        try file.write(contentsOf: Data([UInt8](repeating: 0x11, count: 5000)))
        try file.close()
        let made = try export(film, "passthrough", in: scratch, type: type) {
            ($0.render, $0.output.name) = (.auto, "out.\(type)")
        }
        #expect(made.result.warnings.contains { $0.code == .damagedMedia })
        try verify(made, in: scratch)
        let length = try #require(made.result.tracks.first?.length)
        #expect((length - Time(2, 1)).absoluteValue < Time(1, 10))
    }

    /// After the last frame there is audio only.
    @Test(arguments: ["mp4", "mkv"]) func videoThatHasEndedIsLeftOut(_ type: String) throws {
        let whole = try film("mp4")
        let patch = EditListPatch(descriptor: try scratch.existing(whole))
        try patch.setLength(ofTrack: 0, to: Time(2, 1))
        let made = try export(
            whole, "passthrough", start: Time(5, 2), end: Time(7, 2), in: scratch, type: type
        ) { ($0.render, $0.output.name) = (.auto, "out.\(type)") }
        #expect(made.result.tracks.map(\.kind) == [.audio])
        #expect(made.result.dropped.contains { $0.track == 0 && $0.reason.contains("nothing in the range") })
        try verify(made, in: scratch)
    }

    /// The same copied whole, and hidden anew.
    @Test(arguments: [nil, Time(9, 1)], ["", "bframes=0"])
    func whatIsHiddenStaysHidden(_ end: Time?, _ more: String) throws {
        let whole = try film("mp4", [], more)
        let shown = try Truth(whole).frames().map(\.time)
        try hideTheEnd(of: whole, from: shown[71])
        for start in [0, 35] {
            let made = try export(
                whole, "passthrough", start: shown[start], end: end, in: scratch, type: "mov"
            ) { ($0.render, $0.output.name) = (.copy, "out.mov") }
            #expect(
                try Truth(made.file).frames().map(\.time) == (start..<71).map { shown[$0] - shown[start] })
            try verify(made, in: scratch)
        }
    }

    /// An empty edit before the video, and an edit that ends before the samples do.
    @Test func aCopyThatBeginsWithAudioAlone() throws {
        let late = try film("mkv", ["-itsoffset", "0.067"])
        let made = try export(late, "passthrough", end: Time(1, 2), in: scratch, type: "mp4") {
            ($0.render, $0.output.name) = (.copy, "out.mp4")
        }
        try verify(made, in: scratch)
        let asset = try Probe.asset(of: scratch.source(made.file))
        #expect(asset.duration.map { ($0 - Time(1, 2)).absoluteValue < Time(1, 100) } == true)
    }

    @Test(arguments: ["ts", "mkv", "mp4"]) func videoThatBeginsAfterTheAudioStaysThere(_ type: String) throws
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
        let begin = track.start - (type == "ts" ? Time(7, 5) : .zero)
        #expect((begin - (first - Time(1, 4))).absoluteValue <= Time(1, 500))
    }

    /// A transport stream does not store how long its last frame is shown.
    @Test(arguments: ["ts", "mkv", "mp4"]) func aLongLastFrame(_ type: String) throws {
        let film = try Film(
            name: "", type: "mp4",
            words: Film.video(seconds: "4", filters: "setpts='if(gt(N,60),PTS+2/TB,PTS)'") + [
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
        #expect(made.result.warnings.contains { $0.code == .lastPictureLength } == (type == "ts"))
        var wrong = made
        for index in wrong.result.tracks.indices where wrong.result.tracks[index].lastPicture != nil {
            wrong.result.tracks[index].lastPicture = Time(1, 1)
        }
        guard type != "mp4" else { return }
        #expect(throws: MediaError.self) { try verify(wrong, in: scratch) }
    }

    /// Readers begin at any sync sample of a transport stream, also at one that is no IDR picture, and at encoded head and tail.
    @Test(arguments: [
        ("open-gop=1", 0, 100), ("cqm=jvt", 30, 75), ("cqm=jvt", 40, 99), ("bframes=2", 30, 75),
    ])
    func everySyncSampleOfATransportStreamHasItsParameterSets(_ more: String, _ from: Int, _ to: Int) throws {
        let open = try film("mp4", [], more)
        let shown = try Truth(open).frames().map(\.time)
        let made = try export(
            open, "passthrough", start: shown[from], end: to < 100 ? shown[to] : nil, in: scratch, type: "ts"
        ) { ($0.render, $0.output.name) = (.smart, "out.ts") }
        try verify(made, in: scratch)
        let scheme = made.result.tracks.first?.scheme
        #expect(scheme == (more == "cqm=jvt" ? .ids : more == "bframes=2" ? .match : nil))
        struct Answer: Decodable {
            struct Packet: Decodable { var flags: String }
            var packets: [Packet]
        }
        let packets = try Tool.ffprobe(
            ["-select_streams", "v", "-show_entries", "packet=flags", made.file], as: Answer.self
        ).packets
        let keys = packets.count { $0.flags.hasPrefix("K") }
        try #require(keys >= 2)
        let bytes = try Tool.ffmpeg(["-i", made.file, "-map", "0:v", "-c", "copy", "-f", "h264", "-"])
        let sets = bytes.indices.dropLast(3).count {
            bytes[$0] == 0 && bytes[$0 + 1] == 0 && bytes[$0 + 2] == 1 && bytes[$0 + 3] & 31 == 7
        }
        #expect(sets == keys * (scheme == .ids ? 2 : 1))
        #expect(bytes.starts(with: [0, 0, 0, 1, 9]), "a delimiter comes first")
    }

    /// Ticks as long as a frame: an out point between them still cuts the frame that it lies in.
    @Test func anOutPointBetweenCoarseTicksCutsItsFrame() throws {
        let whole = try film("mp4")
        let coarse = scratch.name("mp4")
        try Tool.ffmpeg(["-i", whole, "-map", "0:v", "-c", "copy", "-video_track_timescale", "25", coarse])
        let made = try export(
            coarse, "passthrough", start: Time(3, 5), end: Time(251, 100), in: scratch, type: "mov"
        ) { ($0.render, $0.output.name) = (.smart, "out.mov") }
        try verify(made, in: scratch)
        let last = try #require(Truth(made.file).frames().last)
        #expect(last.time == Time(188, 100) && last.duration <= Time(3, 100))
    }

    /// A recording that begins between keyframes: nothing of the part before the first one decodes.
    @Test func aPartWithoutADecodableFrameIsRefused() throws {
        let whole = try film("ts")
        let shown = try Truth(whole).frames().map(\.time)
        let late = scratch.name("ts")
        struct Answer: Decodable {
            struct Packet: Decodable {
                var pos: String
                var flags: String
            }
            var packets: [Packet]
        }
        let packets = try Tool.ffprobe(
            ["-select_streams", "v", "-show_entries", "packet=pos,flags", whole], as: Answer.self
        ).packets
        // From the second packet on.
        let from = try #require(packets.dropFirst().first.flatMap { Int($0.pos) })
        try Data(contentsOf: URL(filePath: whole)).dropFirst(from).write(to: URL(filePath: late))
        try #require(shown.count == 100)
        let error = try refusal(late, "passthrough", start: .zero, end: Time(1, 2), in: scratch) {
            ($0.render, $0.output.name) = (.smart, "out.mp4")
        }
        #expect(error.code == .undecodableMediaData)
        #expect(error.remedy?.contains("later start") == true)
        let report = try Checker(
            scratch.source(late), presets: [preset("passthrough")], fileType: nil,
            range: RangeRequest(start: .time(.zero), end: .time(Time(1, 2)))
        ).report()
        #expect(report.presets.map(\.valid) == [false])
        #expect(report.presets.first?.reasons.map(\.code) == ["undecodableMediaData"])
    }
}
