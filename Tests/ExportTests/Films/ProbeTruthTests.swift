// The probe's report is true: of rates where one frame lasts long or frames have no times, of lengths that nobody wrote down, and
// of tracks that begin late.
import Export
import Libav
import Media
import MediaTime
import Testing

@testable import Source

@Suite(.timeLimit(.minutes(10))) struct ProbeTruthTests {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func probe(_ file: String) throws -> Asset { try Probe.asset(of: try scratch.source(file)) }

    /// A film of 25 frames a second in which one frame lasts two seconds more.
    private func film(_ type: String, long frame: Int, of count: Int) throws -> String {
        let file = scratch.name("mp4")
        try Tool.ffmpeg(
            Film.video(
                seconds: "\(Double(count) / 25)", filters: "setpts='if(gt(N,\(frame)),PTS+2/TB,PTS)'")
                + ["-fps_mode", "passthrough"] + Film.h264() + [file])
        guard type != "mp4" else { return file }
        let other = scratch.name(type)
        try Tool.ffmpeg(["-i", file, "-c", "copy", other])
        return other
    }

    /// Early in any container; in a movie, whose index names every sample, behind what is read as well.
    @Test(arguments: [
        ("mp4", 40, 100), ("mkv", 40, 100), ("ts", 40, 100), ("avi", 40, 100), ("mp4", 400, 500),
        ("mov", 400, 500),
    ]) func oneLongFrameMakesARateVariable(_ type: String, _ frame: Int, _ count: Int) throws {
        let asset = try probe(try film(type, long: frame, of: count))
        let format = try #require(asset.mainVideo?.video)
        #expect(format.isVariable)
        // A property, and no fault.
        #expect(asset.faults.isEmpty)
        let mean = Double(count) / (Double(count) / 25 + 2)
        #expect(abs(try #require(format.frameRate).value / mean - 1) < 0.02)
    }

    @Test func aLongLastFrameMakesARateVariable() throws {
        let plain = try Film(name: "", type: "mp4", words: Film.video(seconds: "3") + Film.h264())
            .make(in: scratch)
        #expect(try probe(plain).mainVideo?.video?.isVariable == false)
        // An edit of the source that shows the last frame for longer, as slide shows end.
        let made = scratch.name("mp4")
        try Tool.ffmpeg(
            Film.video(seconds: "3", filters: "setpts='if(gte(N,74),PTS+2/TB,PTS)',tpad=stop=0")
                + ["-fps_mode", "passthrough"] + Film.h264("bframes=0") + [made])
        #expect(try probe(made).mainVideo?.video?.isVariable == true)
    }

    /// A constant rate stays one however a muxer stretches the ends of its table.
    @Test(arguments: ["m4v720", "passthrough"]) func ownOutputsAreConstant(_ preset: String) throws {
        let input = try Film(name: "", type: "mp4", words: Film.video(seconds: "14") + Film.h264())
            .make(in: scratch)
        let made = try export(
            input, preset, start: Time(17, 25), end: Time(330, 25), in: scratch,
            type: preset == "m4v720" ? "m4v" : "mp4"
        ) {
            if preset == "passthrough" { ($0.render, $0.output.name) = (.smart, "out.mp4") }
        }
        #expect(try probe(made.file).mainVideo?.video?.isVariable == false)
    }

    @Test(arguments: [
        ("avi", Film.h264("bframes=2")), ("avi", ["-c:v", "mpeg4", "-bf", "2", "-g", "30"]),
        ("m2v", ["-c:v", "mpeg2video", "-bf", "2", "-g", "12"]),
        ("h264", Film.h264("bframes=2")),
    ]) func framesWithoutTimesAreNotVariable(_ type: String, _ words: [String]) throws {
        let asset = try probe(
            try Film(name: "", type: type, words: Film.video(seconds: "4") + words).make(in: scratch))
        let format = try #require(asset.mainVideo?.video)
        #expect(!format.isVariable && format.frameRate == Ratio(25))
    }

    @Test(.enabled(if: Paths.hasMedia("testfile_mpeg1video_mp2audio.mpg"), "no media"))
    func aProgramStreamWithFewTimesIsConstant() throws {
        let asset = try probe(Paths.media + "/testfile_mpeg1video_mp2audio.mpg")
        #expect(asset.mainVideo?.video?.isVariable == false)
        #expect(asset.mainVideo?.video?.frameRate == Ratio(30_000, 1001))
    }

    /// Quiet at first, loud later: a guess from the first frames' bit rate is off by seconds.
    @Test(arguments: [("aac", 1024), ("mp3", 1152), ("ac3", 1536)])
    func aBareStreamIsAsLongAsItsFrames(_ type: String, _ samples: Int) throws {
        let file = scratch.name(type)
        try Tool.ffmpeg(
            [
                "-f", "lavfi", "-i", "sine=d=3:r=44100", "-f", "lavfi", "-i", "anoisesrc=d=20:r=44100",
                "-filter_complex", "[0][1]concat=n=2:v=0:a=1",
            ] + (type == "mp3" ? ["-q:a", "4", "-write_xing", "0"] : []) + [file])
        struct Answer: Decodable {
            struct Packet: Decodable { var size: String }
            var packets: [Packet]
        }
        let frames = try Tool.ffprobe(["-show_entries", "packet=size", file], as: Answer.self).packets.count
        let asset = try probe(file)
        #expect(asset.duration == Time(Int64(frames * samples), 44_100))
        #expect(asset.audioTracks.first?.duration == asset.duration)
        #expect(!asset.faults.contains { $0.code == .estimatedDuration })
    }

    /// A track whose first packet lies behind what FFmpeg looks at.
    private func lateAudio() throws -> String {
        let (video, file) = (scratch.name("ts"), scratch.name("ts"))
        try Tool.ffmpeg(
            Film.video(size: "320x240", seconds: "10", filters: "noise=alls=100:allf=t") + [
                "-c:v", "mpeg2video", "-b:v", "10M", "-minrate", "10M", "-maxrate", "10M", "-bufsize", "2M",
                video,
            ])
        try Tool.ffmpeg([
            "-i", video, "-itsoffset", "7", "-f", "lavfi", "-i", "sine=d=2", "-map", "0:v", "-map", "1:a",
            "-c:v", "copy", "-c:a", "libmp3lame", file,
        ])
        return file
    }

    @Test func aTrackThatBeginsLateIsFound() throws {
        let file = try lateAudio()
        try #require(try scratch.source(file).size > 9_000_000, "the film is too small")
        let asset = try probe(file)
        let track = try #require(asset.audioTracks.first)
        #expect(track.codec == "mp3" && track.isDecodable && track.obstacle == nil)
        #expect(track.audio?.sampleRate == 44_100)
        for (preset, type) in [("m4v480", "m4v"), ("passthrough", "mkv")] {
            let made = try export(file, preset, start: Time(6, 1), end: Time(9, 1), in: scratch, type: type) {
                ($0.render, $0.output.name) = (.auto, "out.\(type)")
            }
            #expect(made.result.tracks.map(\.kind) == [.video, .audio])
            #expect(!made.result.dropped.contains { $0.reason.contains("decoder") })
        }
    }

    /// A track that never comes has a decoder all the same.
    @Test func aTrackWithoutSamplesIsNotCalledUndecodable() throws {
        let file = try lateAudio()
        let source = try scratch.source(file)
        // Cut off before its first packet.
        let bytes = source.bytes(at: 0, count: Int(source.size / 2 / 188 * 188))
        let short = scratch.name("ts")
        _ = try scratch.source(bytes: bytes, name: short)
        let asset = try Probe.asset(of: try scratch.source(bytes: bytes, name: "short.ts"))
        let track = try #require(asset.audioTracks.first)
        #expect(!track.isDecodable && track.obstacle == .unknownFormat)
        #expect(track.obstacleWords.contains("not known"))
    }
}
