// Every option over a preset in chunks and in one run: the streams have the same codecs, sizes, frames, channels and rates. An option that
// is lost where a plan is stored or sent shows here.
import Foundation
import Media
import MediaTime
import Synchronization
import Testing

@testable import Codecs
@testable import Render

@Suite(.timeLimit(.minutes(10))) struct OptionChunkTests {
    private let scratch: Scratch

    init() throws {
        scratch = try Scratch()
        let font = "/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf"
        SubtitleFonts.use([.init("font", Array(try Data(contentsOf: URL(filePath: font))))])
    }

    /// A value of each option that none of the presets below has by itself.
    private static let texts = [
        "crf": "34", "bitrate": "300k", "size": "160x90", "video-codec": "hevc", "audio-bitrate": "192k",
        "audio-codec": "ac3", "crop": "128:96", "rotate": "90", "deinterlace": "field", "speed": "2",
        "fps": "10", "burn-subtitles": "default",
    ]

    /// The streams without any option, which are the same for all of them.
    private static let plain = Mutex<[Answer.Stream]?>(nil)

    private func plain(_ film: String) throws -> [Answer.Stream] {
        try Self.plain.withLock { known in
            if let known { return known }
            let made = try export(film, "640x480", in: scratch, type: "mp4") { $0.output.name = "o.mp4" }
            let streams = try streams(made.file)
            known = streams
            return streams
        }
    }

    /// Four seconds with mono sound that no encoder makes small, and a subtitle.
    private func film() throws -> String {
        let (words, file) = (scratch.name("srt"), scratch.name("mkv"))
        try "1\n00:00:01,000 --> 00:00:03,000\nText\n".write(toFile: words, atomically: true, encoding: .utf8)
        let video = Film.video(seconds: "4") + Film.noise(seconds: "4")
        let codecs = ["-c:a", "pcm_s16le", "-ac", "1", "-ar", "48000", "-c:s", "subrip"]
        _ = try Tool.ffmpeg(
            video + ["-i", words, "-map", "0", "-map", "1", "-map", "2"] + Film.h264() + codecs
                + ["-disposition:s:0", "default", file])
        return file
    }

    private struct Answer: Decodable {
        struct Stream: Decodable, Equatable {
            var codec_type: String
            var codec_name: String
            var width: Int?
            var height: Int?
            var channels: Int?
            var sample_rate: String?
            var nb_read_packets: String?
            var bit_rate: String?

            /// All but the bit rate, which is compared apart.
            var parameters: Stream {
                var copy = self
                copy.bit_rate = nil
                return copy
            }
        }
        var streams: [Stream]
    }

    private func streams(_ file: String) throws -> [Answer.Stream] {
        try Tool.ffprobe(["-count_packets", "-show_streams", file], as: Answer.self).streams
    }

    /// All but the choice of a playlist's variant, which is made before there is a plan.
    @Test(arguments: ExportOption.all.filter { $0.uses.contains(.lists) && $0.name != "variant" })
    func anOptionHoldsInChunks(_ option: ExportOption) throws {
        let film = try film()
        var options = ExportOptions()
        try option.set(#require(Self.texts[option.name]), in: &options, as: option.name)
        func adjust(_ request: inout ExportRequest) {
            (request.options, request.output.name) = (options, "o.mp4")
        }
        let plain = try plain(film)
        let whole = try streams(try export(film, "640x480", in: scratch, type: "mp4", adjust: adjust).file)
        let made = try exportInUnits(film, "640x480", seconds: 1, in: scratch, type: "mp4", adjust: adjust)
        let file = try #require(made.made, "\(made.misfit ?? "not divided")").file
        let divided = try streams(file)
        #expect(divided.map(\.parameters) == whole.map(\.parameters))
        for (one, two) in zip(whole, divided) {
            let rates = (Double(one.bit_rate ?? "") ?? 0, Double(two.bit_rate ?? "") ?? 0)
            // Chunks of a second are too short for x264 to meet an average.
            let tolerance = one.codec_type == "video" ? 0.4 : 0.1
            #expect(abs(rates.0 - rates.1) <= tolerance * rates.0, "\(option.name): \(rates)")
        }
        // The option does something to this film, so that its loss would show. Drawn text and deinterlaced frames are read from pictures elsewhere.
        #expect(["burn-subtitles", "deinterlace"].contains(option.name) || plain != whole)
    }
}
