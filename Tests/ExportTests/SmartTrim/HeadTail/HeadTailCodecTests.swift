// Codecs without parameter sets in a header: a part of such a film has encoded frames first and copied ones after them, and decodes
// correctly wherever a decoder begins.
import Libav
import Media
import MediaTime
import Signals
import Testing

@testable import Codecs
@testable import Render
@testable import Source

@Suite(.timeLimit(.minutes(10))) struct HeadTailCodecTests {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    struct Case: CustomTestStringConvertible, Sendable {
        var name: String
        /// The codec of the film, and the cut.
        var input: String, output: String
        /// The encoder and its options.
        var words: [String]
        /// No multiple of a macroblock in height. In a filtered picture so small, encoded frames are too far from the source's.
        var size = "96x72"
        /// The factor of its times; nil: 25 frames a second.
        var scale: String?
        var scheme: JoinScheme?
        /// Frames by which the first one is shown later than the first decoding time, which is asset time 0.
        var delay: Int64 = 0
        /// Encoding loses nothing.
        var isLossless = false
        var testDescription: String { "\(name), \(input) to \(output)" }
    }

    static let cases: [Case] = [
        Case(name: "MPEG-4", input: "mp4", output: "mp4", words: ["mpeg4", "-q:v", "4"], scheme: .match),
        Case(
            name: "MPEG-4 with B-frames", input: "mkv", output: "mkv",
            words: ["mpeg4", "-q:v", "4", "-bf", "2"], scheme: .match),
        Case(
            name: "MPEG-4 with B-frames, of which only the order is stored", input: "avi", output: "mov",
            words: ["mpeg4", "-q:v", "4", "-bf", "2"], scheme: .match, delay: 1),
        Case(
            name: "MPEG-4 with B-frames", input: "mp4", output: "ts",
            words: ["mpeg4", "-q:v", "4", "-bf", "2"], scheme: .match),
        Case(
            name: "MPEG-4 with matrices and quarters of a pixel", input: "mp4", output: "mp4",
            words: ["mpeg4", "-q:v", "4", "-mpeg_quant", "1", "-flags", "+qpel"], scheme: .match),
        Case(name: "Xvid", input: "avi", output: "mp4", words: ["libxvid", "-q:v", "4"], scheme: .inBand),
        Case(name: "H.263", input: "mov", output: "mov", words: ["h263", "-q:v", "4"], size: "128x96"),
        Case(name: "H.263 of any size", input: "mkv", output: "mov", words: ["h263p", "-q:v", "4"]),
        Case(name: "H.263", input: "mkv", output: "mkv", words: ["h263", "-q:v", "4"], size: "128x96"),
        Case(name: "Flash", input: "flv", output: "mkv", words: ["flv", "-q:v", "4"]),
        Case(name: "MS MPEG-4 version 2", input: "avi", output: "mkv", words: ["msmpeg4v2", "-q:v", "4"]),
        Case(name: "MS MPEG-4 version 3", input: "avi", output: "mov", words: ["msmpeg4", "-q:v", "4"]),
        Case(name: "Windows Media 7", input: "wmv", output: "mkv", words: ["wmv1", "-q:v", "4"]),
        Case(
            name: "Windows Media 8", input: "wmv", output: "mkv", words: ["wmv2", "-q:v", "4"],
            scheme: .match
        ),
        Case(
            name: "Windows Media 8 with the loop filter", input: "mkv", output: "mkv",
            words: ["wmv2", "-q:v", "4", "-flags", "+loop"], size: "160x120", scheme: .match),
        Case(
            name: "Theora", input: "ogv", output: "mkv", words: ["libtheora", "-q:v", "7"], scheme: .match),
        Case(
            name: "FFV1", input: "mkv", output: "mkv", words: ["ffv1", "-level", "3"], scheme: .match,
            isLossless: true),
        Case(
            name: "FFV1 by ranges, in slices", input: "mkv", output: "mkv",
            words: ["ffv1", "-level", "3", "-coder", "1", "-context", "1", "-slices", "6", "-slicecrc", "0"],
            scheme: .match, isLossless: true),
        Case(
            name: "FFV1 of its first version", input: "mkv", output: "mkv", words: ["ffv1", "-level", "1"],
            isLossless: true),
        Case(name: "Animation", input: "mov", output: "mov", words: ["qtrle"], isLossless: true),
        Case(name: "MPEG-1", input: "mkv", output: "mov", words: ["mpeg1video", "-q:v", "4", "-bf", "2"]),
        Case(
            name: "MPEG-1 with times for some pictures", input: "mpg", output: "mkv",
            words: ["mpeg1video", "-q:v", "4", "-bf", "2"]),
        Case(
            name: "MPEG-2 with times for some pictures", input: "mpg", output: "ts",
            words: ["mpeg2video", "-q:v", "4", "-bf", "2"]),
        Case(
            name: "MPEG-2 at a mean rate that it has no code for", input: "mov", output: "mov",
            words: ["mpeg2video", "-q:v", "4", "-bf", "2"], scale: "0.96"),
    ]

    private func film(_ film: Case) throws -> String {
        let made = try Film(
            name: film.name, type: film.input,
            words: Film.video(size: film.size, seconds: "4") + ["-g", "20", "-c:v"] + film.words
        ).make(in: scratch)
        guard let scale = film.scale else { return made }
        let scaled = scratch.name(film.input)
        try Tool.ffmpeg(["-itsscale", scale, "-i", made, "-c", "copy", scaled])
        return scaled
    }

    @Test(arguments: cases) func theRangeIsExact(_ film: Case) throws {
        let input = try self.film(film)
        let sums = try FrameSums.of(input)
        try #require(sums.count == 100)
        // Of AVI not all decoded frames have a time for ffprobe; all are as long as another.
        let shown =
            film.input == "avi"
            ? (film.delay..<(100 + film.delay)).map { Time($0, 25) } : try Truth(input).frames().map(\.time)
        let pictures = try Truth(input).thumbnails()
        for (from, to) in [(7, 83), (20, 60)] {
            let made = try export(
                input, "passthrough", start: shown[from], end: shown[to], in: scratch, type: film.output
            ) { ($0.render, $0.output.name) = (.smart, "out.\(film.output)") }
            let video = try #require(made.result.tracks.first)
            #expect(video.framesCopied + video.framesEncoded == Int64(to - from))
            #expect(video.framesEncoded <= 16 && video.framesCopied >= 24)
            if video.framesEncoded > 0 { #expect(video.scheme == film.scheme) }
            let times = try Truth(made.file).frames().map(\.time)
            try #require(times.count == to - from)
            for (index, time) in times.enumerated() {
                let off = (time - times[0] - (shown[from + index] - shown[from])).absoluteValue
                #expect(off <= Time(1, 999), "frame \(index) is \(off) off")
            }
            let own = try FrameSums.of(made.file)
            let same = Int64(zip(sums.dropFirst(from), own).count { $0 == $1 })
            #expect(same >= (film.isLossless ? Int64(to - from) : video.framesCopied))
            #expect(try likeness(pictures, from, made.file) < 4)
            try verify(made, in: scratch)
            // Of MPEG-4 in a transport stream FFmpeg finds no keyframes, in the source neither.
            if film.output != "ts" { try checkSeeking(made.file, own) }
        }
    }

    /// Matroska may keep AVI's samples as AVI has them: with the order of decoding alone.
    @Test func videoThatMatroskaTookFromAVIHasItsTimes() throws {
        let avi = try Film(
            name: "", type: "avi",
            words: Film.video(seconds: "4") + ["-g", "20", "-bf", "2", "-c:v", "mpeg4", "-q:v", "4"]
        ).make(in: scratch)
        let input = scratch.name("mkv")
        _ = try Tool.output(["mkvmerge", "-q", "-o", input, avi])
        let made = try export(
            input, "passthrough", start: Time(12, 25), end: Time(80, 25), in: scratch, type: "mkv"
        ) { ($0.render, $0.output.name) = (.smart, "out.mkv") }
        let video = try #require(made.result.tracks.first)
        #expect(video.framesCopied > 40 && video.framesCopied + video.framesEncoded == 68)
        let (sums, own) = (try FrameSums.of(input), try FrameSums.of(made.file))
        #expect(own.count == 68)
        // FFmpeg counts asset time from the first decoding time there.
        let first = try #require(
            (0..<20).max { a, b in
                func same(_ from: Int) -> Int { zip(sums.dropFirst(from), own).count { $0 == $1 } }
                return same(a) < same(b)
            })
        #expect(Int64(zip(sums.dropFirst(first), own).count { $0 == $1 }) >= video.framesCopied)
        try verify(made, in: scratch)
    }

    /// The mean difference in brightness of the thumbnails from those of the source's frames, of 255.
    private func likeness(_ source: [[UInt8]], _ from: Int, _ output: String) throws -> Double {
        let pairs = zip(source.dropFirst(from), try Truth(output).thumbnails())
        return pairs.map { source, made in
            Double(difference(source, made)) / Double(source.count)
        }.max() ?? 255
    }

    /// A decoder that begins in the middle has not seen the first frames.
    private func checkSeeking(_ file: String, _ sums: [Substring]) throws {
        let middle = "\(Double(sums.count) / 25 * 0.55)"
        let words = [
            "-ss", middle, "-i", file, "-map", "0:v:0", "-fps_mode", "passthrough", "-f", "framemd5", "-",
        ]
        let reached = String(decoding: try Tool.ffmpeg(words), as: UTF8.self).split(separator: "\n")
            .filter { !$0.hasPrefix("#") }.compactMap { $0.split(separator: " ").last }
        #expect(reached.count > 10)
        #expect(reached.elementsEqual(sums.suffix(reached.count)), "\(file)")
    }

    /// One sentence says why, and what to do.
    @Test func whatCannotBeJoinedIsRefused() throws {
        let cases: [(type: String, words: [String], why: String)] = [
            ("mov", ["cinepak"], "no encoder for cinepak"),
            ("mov", ["qtrle", "-pix_fmt", "gray"], "does not take pixels of the format"),
        ]
        for film in cases {
            let input = try Film(
                name: "", type: film.type,
                words: Film.video(seconds: "2") + ["-g", "20", "-c:v"] + film.words
            ).make(in: scratch)
            let error = try refusal(input, "passthrough", start: Time(7, 25), in: scratch) {
                ($0.render, $0.output.name) = (.smart, "out.\(film.type)")
            }
            #expect(error.code == .spliceFailed && error.message.contains(film.why), "\(error)")
            #expect(error.remedy?.contains("preset that encodes") == true)
        }
    }

    /// One header holds the tables, or the tools, of all frames: those of the encoder must equal the stream's.
    @Test(arguments: ["libtheora", "wmv2", "ffv1"]) func aHeaderThatIsNotTheEncodersIsRefused(
        _ encoder: String
    ) throws {
        let film = try Film(
            name: "", type: "mkv",
            words: Film.video(seconds: "1") + ["-level", "3", "-c:v", encoder, "-pix_fmt", "yuv420p"]
        ).make(in: scratch)
        let source = try scratch.source(film)
        let track = try #require(try Probe.asset(of: source).tracks.first)
        let demuxer = try Demuxer(source)
        let packet = try Packet()
        guard case .packet = demuxer.read(into: packet) else { return #expect(Bool(false)) }
        var stored = StoredStream(
            header: try CodecParameters(demuxer, track: 0).extradata, first: packet.bytes)
        let headTail = HeadTailSetup(track: track, delay: 0)
        let codec = try #require(track.videoCodec as? any HeadTailCodec.Type)
        #expect(try codec.join(headTail, to: stored, JoinOptions()).scheme == .match)
        stored.header[stored.header.count - 2] ^= 0x10
        let error = try #require(throws: MediaError.self) {
            try codec.join(headTail, to: stored, JoinOptions())
        }
        #expect(error.code == .spliceFailed && error.track == 0, "\(error)")
        #expect(error.message.contains("all frames"))
    }

    /// Only AVI has packets with two frames, and packets with none: each frame gets a packet of its own.
    @Test func packedFramesAreUnpacked() throws {
        let input = try Film(
            name: "", type: "avi",
            words: Film.video(seconds: "2") + ["-g", "20", "-bf", "2", "-c:v", "libxvid", "-q:v", "4"]
        ).make(in: scratch)
        for start in [Time.zero, Time(7, 25)] {
            let made = try export(input, "passthrough", start: start, in: scratch, type: "mkv") {
                ($0.render, $0.output.name) = (.smart, nil)
            }
            try verify(made, in: scratch)
        }
    }
}
