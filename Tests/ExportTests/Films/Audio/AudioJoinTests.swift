// Parts of audio files that are joined: sample for sample the source's, in every type that a file keeps; the rates of codecs that are
// encoded for it; and gaps of hours.
import FoundationEssentials
import Libav
import Media
import MediaTime
import Signals
import Testing

@testable import Codecs
@testable import Pictures
@testable import Render
@testable import Source

@Suite(.timeLimit(.minutes(10))) struct AudioJoinTests {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    /// An audio file that loses nothing.
    struct Kind: CustomTestStringConvertible, Sendable {
        var type: String, codec: [String]
        /// The type of the output.
        var to: FileType
        var testDescription: String { "\(codec[1]) in \(type)" }
    }

    static let kinds = [
        Kind(type: "wav", codec: ["-c:a", "pcm_s16le"], to: .wav),
        Kind(type: "wav", codec: ["-c:a", "pcm_s24le", "-ac", "6"], to: .wav),
        Kind(type: "wav", codec: ["-c:a", "pcm_u8"], to: .wav),
        Kind(type: "aiff", codec: ["-c:a", "pcm_s16be"], to: .aiff),
        Kind(type: "caf", codec: ["-c:a", "pcm_s16le"], to: .caf),
        Kind(type: "flac", codec: ["-c:a", "flac"], to: .flac),
        Kind(type: "tta", codec: ["-c:a", "tta"], to: .mka),
        Kind(type: "wv", codec: ["-c:a", "wavpack"], to: .mka),
    ]
    /// In hundredths of a second.
    static let parts = [[(100, 200), (310, 455)], [(310, 455), (5, 107)], [(0, 133), (150, 500)]]

    @Test(arguments: kinds) func joinedPartsAreTheSources(_ kind: Kind) throws {
        let input = try Film(name: "", type: kind.type, words: Film.noise(seconds: "5") + kind.codec).make(
            in: scratch)
        let whole = try samples(of: input)
        for parts in Self.parts {
            let made = try export(input, "passthrough", in: scratch, type: kind.to.rawValue) {
                $0.render = .auto
                $0.output.name = "o.\(kind.to.rawValue)"
                $0.keep = parts.map { part in
                    RangeSpelling(
                        start: .time(Time(Int64(part.0), 100)), end: .time(Time(Int64(part.1), 100)))
                }
            }
            try verify(made, in: scratch)
            #expect(try samples(of: made.file) == parts.flatMap { whole[($0.0 * 441)..<($0.1 * 441)] })
        }
    }

    private func samples(of file: String) throws -> [Int16] {
        let bytes = try Tool.ffmpeg(["-i", file, "-af", "pan=mono|c0=c0", "-f", "s16le", "-"])
        return Signals.samples(bytes)
    }

    /// The rate is at least the source's, and one that the encoder takes.
    @Test(arguments: ["aac", "opus", "mp3", "ac3", "vorbis"], 1...8) func theRateFitsTheTrack(
        _ codec: String, _ channels: Int
    ) {
        for rate in [32_000, 96_000, 160_000] {
            var track = Track(index: 0, kind: .audio, codec: codec, timebase: .milliseconds)
            track.audio = AudioFormat(
                sampleRate: 48_000, channels: channels, channelLayout: "", sampleFormat: nil, priming: 0)
            track.bitRate = Int64(rate * channels)
            let made = AudioSettings.keepingCodec(of: track, in: .mka).bitRate(
                channels: channels, sampleRate: 48_000)
            let most = AudioCodecChoice(rawValue: codec)?.highestBitRate ?? (256_000, 2_000_000)
            let highest = min(most.track, most.channel * channels)
            #expect(made <= highest)
            #expect(made >= min(rate * channels, highest, 128_000 * channels), "\(rate)")
        }
    }

    /// Silence comes in pieces, so that it needs no memory of its own.
    @Test func aGapOfAnHourComesInPieces() throws {
        let input = try Film(
            name: "", type: "mka",
            words: Film.noise(8000, seconds: "2") + [
                "-c:a", "pcm_s16le", "-af", "asetpts=PTS+gte(T\\,1)*3600/TB",
            ]
        ).make(in: scratch)
        let source = try scratch.source(input)
        let asset = try Probe.asset(of: source)
        var (longest, sum) = (0, 0)
        let audio = CutAudio(
            source: source, track: try #require(asset.tracks.first), origin: asset.start, rate: 8000,
            diagnostics: Diagnostics())
        try audio.read(from: .zero, to: nil) { piece in
            longest = max(longest, piece.sampleCount)
            sum += piece.sampleCount
            return true
        }
        #expect(longest <= 8000)
        #expect(abs(sum - 3602 * 8000) <= 16)
    }

    /// Half a transport stream with a hole in it: the frame at its edge has no whole header.
    @Test func partsOfFramesAreLeftOut() throws {
        let input = try Film(
            name: "", type: "ts", words: Film.video() + Film.noise(48_000) + Film.h264() + ["-c:a", "aac"]
        ).make(in: scratch)
        var bytes = Array(try Data(contentsOf: URL(filePath: input)))
        let packets = bytes.count / 188
        bytes.removeSubrange((packets * 4 / 10 * 188)..<(packets * 6 / 10 * 188))
        try Data(bytes).write(to: URL(filePath: input))
        let made = try export(input, "passthrough", start: Time(1, 2), in: scratch, type: "mp4") {
            $0.output.name = "o.mp4"
            $0.render = .copy
        }
        try verify(made, in: scratch)
        #expect(made.result.tracks.count == 2)
        #expect(made.result.warnings.contains { $0.code == .damagedMedia })
    }

    @Test func anADTSFrameIsAsLongAsItSays() {
        let frame: [UInt8] = [0xFF, 0xF1, 0x50, 0x80, 0x01, 0x40, 0xFC, 1, 2, 3]
        #expect(AACCodec.isWholeADTS(frame))
        #expect(!AACCodec.isWholeADTS(Array(frame.dropLast())))
        #expect(!AACCodec.isWholeADTS(Array(frame.dropFirst())))
        for length in 0..<7 { #expect(!AACCodec.isWholeADTS(Array(frame.prefix(length)))) }
        // Sample rate index 15.
        #expect(!AACCodec.isWholeADTS([0xFF, 0xF1, 0x7C] + frame.dropFirst(3)))
    }
}
