// Tracks whose containers do not say where they end, or how long their last frame lasts.
import Foundation
import Media
import MediaTime
import Testing

@testable import Export
@testable import Source

@Suite(.timeLimit(.minutes(10))) struct UnstoredEndTests {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    /// A movie of fragments does not say how long its tracks are, and FFmpeg counts only the fragments that it has read.
    @Test func audioOfFragmentsLastsUntilTheLastOne() throws {
        let film = try Film(
            name: "", type: "mp4",
            words: Film.video(seconds: "4") + Film.noise(48_000, seconds: "4") + Film.h264() + [
                "-c:a", "aac", "-movflags", "+dash+delay_moov", "-frag_duration", "500000",
            ]
        ).make(in: scratch)
        let made = try export(film, "passthrough", start: Time(13, 4), in: scratch, type: "mp4") {
            ($0.render, $0.output.name) = (.auto, "out.mp4")
        }
        for track in try Probe.asset(of: scratch.source(made.file)).tracks {
            #expect(((track.duration ?? .zero) - Time(3, 4)).absoluteValue < Time(1, 10))
        }
    }

    /// A transport stream stores the time of the first of several audio frames, and the last ones of these are no less part of it.
    @Test(arguments: ["ts", "mpg"]) func audioOfAStreamLastsUntilItsLastFrame(_ type: String) throws {
        let codecs =
            type == "ts"
            ? Film.h264() + ["-c:a", "aac"] : ["-c:v", "mpeg2video", "-q:v", "4", "-c:a", "mp2"]
        let film = try Film(
            name: "", type: type,
            words: Film.video(seconds: "2") + Film.noise(48_000, seconds: "3") + codecs
        ).make(in: scratch)
        let length = try #require(Probe.asset(of: scratch.source(film)).duration)
        #expect((length - Time(3, 1)).absoluteValue < Time(1, 20), "\(length)")
        let made = try export(film, "passthrough", start: Time(1, 1), end: length, in: scratch, type: "mp4") {
            ($0.render, $0.output.name) = (.auto, "out.mp4")
        }
        let audio = try #require(Probe.asset(of: scratch.source(made.file)).audioTracks.first)
        #expect(((audio.duration ?? .zero) - (length - Time(1, 1))).absoluteValue < Time(1, 20))
    }

    /// The edit list tells when the last frame of a movie ends, where nothing says how long that lasts and the mean is longer.
    @Test(arguments: [RenderMode.encode, .smart]) func theLastFrameEndsWithTheEditList(_ render: RenderMode)
        throws
    {
        let film = try Film(
            name: "", type: "mp4",
            words: Film.video("30", seconds: "4", filters: "select='gt(mod(n*7919,10),2)',settb=1/90000")
                + Film.noise(48_000, seconds: "5")
                + Film.h264() + [
                    "-vf", "setpts='PTS+mod(N*104729,1500)'", "-fps_mode", "passthrough", "-enc_time_base",
                    "1:90000", "-video_track_timescale", "90000", "-c:a", "aac",
                ]
        ).make(in: scratch)
        let asset = try Probe.asset(of: scratch.source(film))
        let video = try #require(asset.videoTracks.first)
        let end = try (video.start ?? .zero) + #require(video.duration)
        let preset = render == .smart ? "passthrough" : "highest"
        let made = try export(film, preset, start: Time(1, 1), in: scratch, type: "mp4") {
            ($0.render, $0.output.name) = (render, "out.mp4")
        }
        let last = try #require(made.result.tracks.first { $0.kind == .video }).actual.end
        #expect((last - end).absoluteValue <= Time(1, 10_000), "\(last), not \(end)")
    }

    /// Frames of phones are stored out of order in ticks of 1/600 s, and nothing says how long the last one lasts.
    @Test(arguments: [RenderMode.encode, .smart]) func theLastFrameInLongTicks(_ render: RenderMode) throws {
        let film = try Film(
            name: "", type: "mov",
            words: Film.video("30", seconds: "3", filters: "select='gt(mod(n*7919,10),1)',settb=1/600")
                + ["-fps_mode", "passthrough", "-enc_time_base", "1/600", "-video_track_timescale", "600"]
                + Film.h264("bframes=2:force-cfr=0")
        ).make(in: scratch)
        let shown = try Truth(film).frames().map(\.time)
        let last = try #require(shown.last)
        let ranges: [(Time, Time?)] = [
            (shown[20], nil), (last, last + Time(1, 50)), (shown[30], last + Time(1, 50)),
        ]
        for (start, end) in ranges {
            let preset = render == .smart ? "passthrough" : "highest"
            let made = try export(film, preset, start: start, end: end, in: scratch, type: "mov") {
                ($0.render, $0.output.name) = (render, "out.mov")
            }
            let whole = try #require(Probe.asset(of: scratch.source(made.file)).tracks.first?.duration)
            #expect((whole - ((end ?? last + Time(1, 30)) - start)).absoluteValue <= Time(1, 600))
        }
    }

    /// The durations of a movie are those of decoding: where the frame that is decoded last is not the one that is shown last,
    /// and the rate varies, their sum ends before the last frames are shown.
    @Test(arguments: [RenderMode.encode, .smart]) func framesAfterTheSumAreShown(_ render: RenderMode) throws
    {
        let film = try Film(
            name: "", type: "mp4",
            words: Film.video("25", seconds: "8", filters: "select='not(mod(n,3))+lt(mod(n,11),5)'")
                + ["-fps_mode", "passthrough"] + Film.h264()
        ).make(in: scratch)
        let shown = try Truth(film).frames().map(\.time)
        let last = try #require(shown.last)
        #expect(try #require(Probe.asset(of: scratch.source(film)).duration) > last)
        let preset = render == .smart ? "passthrough" : "highest"
        let made = try export(film, preset, start: Time(1, 1), in: scratch, type: "mp4") {
            ($0.render, $0.output.name) = (render, "out.mp4")
        }
        let frames = try Truth(made.file).frames().map(\.time)
        #expect(frames.count == shown.count { $0 >= Time(1, 1) })
        #expect(frames.last.map { ($0 + Time(1, 1) - last).absoluteValue < Time(1, 1000) } == true)
    }
}
