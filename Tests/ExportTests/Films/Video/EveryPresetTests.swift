// Every preset that comes with trimd, on a small film with more than it may keep: what comes out is read back by ffprobe,
// and has the codec, profile, level, size, rate and code that the preset promises.
import Export
import Foundation
import Media
import MediaTime
import Testing

struct EveryPresetTests {
    /// The expected report of ffprobe about the video and the audio track; nil: there is none.
    struct Promise: CustomTestStringConvertible, Sendable {
        var id: String
        var type: String
        var video: String?
        var audio: String?
        var testDescription: String { "\(id) \(type)" }
        init(_ id: String, _ type: String, _ video: String?, _ audio: String?) {
            (self.id, self.type, self.video, self.audio) = (id, type, video, audio)
        }
    }

    private struct Answer: Decodable {
        struct Stream: Decodable {
            var codec_type: String, codec_name: String, profile: String?, codec_tag_string: String
            var width: Int?, height: Int?, level: Int?, pix_fmt: String?
            var sample_rate: String?, channels: Int?, has_b_frames: Int?
        }
        var streams: [Stream]
    }

    // 640x360 at 30 frames a second, stereo at 48 kHz; the larger ones are not made larger.
    static let promises: [Promise] = [
        Promise("low", "mp4", "h264 Constrained Baseline 30 avc1 480x270 yuv420p", "aac LC 48000 2"),
        Promise("medium", "mp4", "h264 Main 31 avc1 640x360 yuv420p", "aac LC 48000 2"),
        Promise("highest", "mov", "h264 High 30 avc1 640x360 yuv420p", "aac LC 48000 2"),
        Promise("640x480", "mp4", "h264 Main 30 avc1 640x360 yuv420p", "aac LC 48000 2"),
        Promise("960x540", "mp4", "h264 High 31 avc1 640x360 yuv420p", "aac LC 48000 2"),
        Promise("1280x720", "mov", "h264 High 32 avc1 640x360 yuv420p", "aac LC 48000 2"),
        Promise("1920x1080", "mp4", "h264 High 42 avc1 640x360 yuv420p", "aac LC 48000 2"),
        Promise("3840x2160", "mp4", "h264 High 52 avc1 640x360 yuv420p", "aac LC 48000 2"),
        Promise("hevc-highest", "mp4", "hevc Main 10 63 hvc1 640x360 yuv420p10le", "aac LC 48000 2"),
        Promise("hevc1080", "mov", "hevc Main 10 123 hvc1 640x360 yuv420p10le", "aac LC 48000 2"),
        Promise("hevc2160", "mp4", "hevc Main 10 153 hvc1 640x360 yuv420p10le", "aac LC 48000 2"),
        Promise("hevc4320", "mp4", "hevc Main 10 183 hvc1 640x360 yuv420p10le", "aac LC 48000 2"),
        Promise("m4v-cellular", "m4v", "h264 Constrained Baseline 13 avc1 320x180 yuv420p", "aac LC 48000 1"),
        Promise("m4v-ipod", "m4v", "h264 Constrained Baseline 30 avc1 640x360 yuv420p", "aac LC 48000 2"),
        Promise("m4v-wifi", "m4v", "h264 Constrained Baseline 30 avc1 480x270 yuv420p", "aac LC 48000 2"),
        Promise("m4v-appletv", "m4v", "h264 Main 31 avc1 640x360 yuv420p", "aac LC 48000 2"),
        Promise("m4v480", "m4v", "h264 Main 31 avc1 640x360 yuv420p", "aac LC 48000 2"),
        Promise("m4v720", "m4v", "h264 High 31 avc1 640x360 yuv420p", "aac LC 48000 2"),
        Promise("m4v1080", "m4v", "h264 High 40 avc1 640x360 yuv420p", "aac LC 48000 2"),
        Promise("m4a", "m4a", nil, "aac LC 48000 2"),
        Promise("prores422", "mov", "prores Standard -99 apcn 640x360 yuv422p10le", "pcm_s16le - 48000 2"),
        Promise("prores4444", "mov", "prores 4444 -99 ap4h 640x360 yuv444p12le", "pcm_s16le - 48000 2"),
        Promise("av1-1080", "mp4", "av1 Main 1 av01 640x360 yuv420p10le", "opus - 48000 2"),
        Promise("av1-2160", "webm", "av1 Main 1 [0][0][0][0] 640x360 yuv420p10le", "opus - 48000 2"),
        Promise("av1-1080", "mkv", "av1 Main 1 [0][0][0][0] 640x360 yuv420p10le", "opus - 48000 2"),
        Promise("vp9-720", "webm", "vp9 Profile 0 -99 [0][0][0][0] 640x360 yuv420p", "opus - 48000 2"),
        Promise("vp9-1080", "mp4", "vp9 Profile 0 -99 vp09 640x360 yuv420p", "opus - 48000 2"),
        Promise("vp9-720", "mkv", "vp9 Profile 0 -99 [0][0][0][0] 640x360 yuv420p", "opus - 48000 2"),
        Promise("opus", "ogg", nil, "opus - 48000 2"), Promise("opus", "opus", nil, "opus - 48000 2"),
        Promise("opus", "webm", nil, "opus - 48000 2"), Promise("flac", "flac", nil, "flac - 48000 2"),
        Promise("wav", "wav", nil, "pcm_s16le - 48000 2"),
    ]

    @Test(arguments: promises) func itIsWhatItPromises(_ promise: Promise) throws {
        let scratch = try Scratch()
        let film = scratch.name("mkv")
        try Tool.ffmpeg(
            Film.video("30", size: "640x360", seconds: "1") + Film.noise(48_000, seconds: "1")
                + [
                    "-c:v", "libx264", "-preset", "ultrafast", "-pix_fmt", "yuv420p", "-ac", "2", "-c:a",
                    "flac", "-sample_fmt", "s16", film,
                ])
        let preset = try storedPreset(promise.id)
        let made = try export(
            film, promise.id, start: Time(1, 5), end: Time(3, 5), in: scratch, type: promise.type
        ) { ($0.preset, $0.output.name) = (preset, "out.\(promise.type)") }
        try verify(made, in: scratch)
        let answer = try Tool.ffprobe(["-show_streams", made.file], as: Answer.self)
        let video = answer.streams.first { $0.codec_type == "video" }
        let audio = answer.streams.first { $0.codec_type == "audio" }
        #expect(
            video.map {
                "\($0.codec_name) \($0.profile ?? "-") \($0.level ?? 0) \($0.codec_tag_string) "
                    + "\($0.width ?? 0)x\($0.height ?? 0) \($0.pix_fmt ?? "-")"
            } == promise.video)
        #expect(
            audio.map {
                "\($0.codec_name) \($0.profile ?? "-") \($0.sample_rate ?? "-") \($0.channels ?? 0)"
            } == promise.audio)
        #expect(made.result.actual.start == Time(1, 5))
        #expect((made.result.actual.end - Time(3, 5)).absoluteValue <= Time(1, 1000))
        guard let own = preset.video, promise.video != nil else { return }
        #expect(made.result.tracks.first?.framesEncoded == (own.maxFrameRate == Ratio(15) ? 6 : 12))
        if own.profile == "baseline" { #expect(video?.has_b_frames == 0) }
    }
}
