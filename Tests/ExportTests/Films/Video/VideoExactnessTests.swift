// Video of real films: every frame on screen in the range and no other, at its exact time, and it is that frame.
import Media
import MediaTime
import Signals
import Testing

@Suite(.timeLimit(.minutes(10))) struct VideoExactnessTests {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    /// Cut points between keyframes: on frames, inside frames, at the beginning and to the end.
    static let cuts: [(Time, Time?)] = [
        (Time(1234, 1000), Time(1845, 1000)), (.zero, Time(2, 5)), (Time(12, 5), nil),
    ]

    static let films: [Film] = [
        Film(name: "H.264 with B-frames in mp4", type: "mp4", words: Film.video() + Film.h264()),
        Film(
            name: "open GOPs at 29.97", type: "mp4",
            words: Film.video("30000/1001") + Film.h264("open-gop=1")),
        Film(
            name: "milliseconds in mkv", type: "mkv",
            words: Film.video("30000/1001") + Film.h264("open-gop=1")),
        Film(
            name: "a transport stream with audio", type: "ts",
            words: Film.video() + Film.noise() + Film.h264("open-gop=1") + ["-c:a", "aac"]),
        Film(
            name: "a variable rate", type: "mp4",
            words: Film.video("25", filters: "select='not(mod(n,3))+lt(mod(n,11),5)'") + Film.h264()
                + ["-fps_mode", "passthrough", "-video_track_timescale", "90000"]),
        Film(
            name: "a variable rate in mkv", type: "mkv",
            words: Film.video("25", filters: "select='not(mod(n,3))+lt(mod(n,11),5)'") + Film.h264()
                + ["-fps_mode", "passthrough"]),
        Film(
            name: "a frame that no other refers to and that stays", type: "mp4",
            words: Film.video("25", filters: "setpts='(N+30*gt(N,17))/25/TB'")
                + Film.h264("b-adapt=0:scenecut=0:keyint=300")
                + ["-fps_mode", "passthrough", "-video_track_timescale", "90000"]),
        Film(
            name: "59.94 under a cap of 30", type: "mp4", words: Film.video("60000/1001") + Film.h264(),
            every: 2),
        Film(
            name: "50 in milliseconds under a cap of 30", type: "mkv",
            words: Film.video("50") + Film.h264(), every: 2),
        Film(
            name: "MPEG-2 in a transport stream", type: "ts",
            words: Film.video() + ["-c:v", "mpeg2video", "-b:v", "3M", "-bf", "2", "-g", "15"]),
        Film(
            name: "MPEG-4 in avi", type: "avi",
            words: Film.video() + ["-c:v", "mpeg4", "-b:v", "3M", "-g", "30"]),
        Film(
            name: "H.264 in flv", type: "flv",
            words: Film.video() + Film.noise() + Film.h264() + ["-c:a", "aac"]),
        Film(
            name: "intra frames in mov", type: "mov",
            words: Film.video("24000/1001") + ["-c:v", "mjpeg", "-q:v", "2", "-pix_fmt", "yuvj420p"]),
        Film(
            name: "fragments", type: "mp4",
            words: Film.video() + Film.h264() + [
                "-movflags", "frag_keyframe+empty_moov+default_base_moof",
            ]),
        Film(
            name: "a start far from 0", type: "mkv",
            words: Film.video() + Film.noise() + Film.h264() + [
                "-c:a", "pcm_s16le", "-output_ts_offset", "100.123",
            ]),
    ]

    @Test(arguments: films) func everyFrameIsAtItsTime(_ film: Film) throws {
        let input = try film.make(in: scratch)
        let truth = try Truth(input)
        let frames = try truth.frames()
        let sourceThumbnails = try truth.thumbnails()
        try #require(frames.count == sourceThumbnails.count)
        try #require(frames.count > 40)
        for (start, end) in Self.cuts {
            try check(input, frames, sourceThumbnails, start, end, every: film.every)
        }
    }

    private func check(
        _ input: String, _ frames: [Shown], _ sourceThumbnails: [[UInt8]], _ start: Time, _ end: Time?,
        every: Int
    ) throws {
        let made = try export(input, "m4v720", start: start, end: end, in: scratch)
        let output = try Truth(made.file)
        let video = try #require(output.video)
        let wanted = try expected(frames, start: start, end: end, every: every)
        let range = "[\(start), \(end.map { "\($0)" } ?? "end"))"
        let shown = try output.frames()
        #expect(output.origin == .zero, "\(range)")
        #expect(shown.map(\.time) == wanted.times, "\(range)")
        #expect(video.start + video.duration == wanted.end, "\(range): the last frame's end")
        // It is the frame that is meant: no neighbour is more like it.
        let thumbnails = try output.thumbnails()
        #expect(thumbnails.count == wanted.indices.count)
        for (thumbnail, index) in zip(thumbnails, wanted.indices) {
            let near = max(0, index - 3)...min(sourceThumbnails.count - 1, index + 3)
            let best = near.min {
                difference(thumbnail, sourceThumbnails[$0]) < difference(thumbnail, sourceThumbnails[$1])
            }
            #expect(best == index, "\(range): a frame is the source's \(best ?? -1), not \(index)")
        }
        try verify(made, in: scratch)
        let result = try #require(made.result.tracks.first { $0.kind == .video })
        #expect(result.framesEncoded == Int64(wanted.indices.count))
        #expect(result.actual == TimeSpan(start: start, end: start + wanted.end))
        let isCut = frames[try #require(wanted.indices.first)].time < start
        #expect((made.result.notes ?? []).contains { $0.code == .firstFrameCut } == isCut, "\(range)")
    }
}
