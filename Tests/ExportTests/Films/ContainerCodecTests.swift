// The table of what each container holds, compared with what FFmpeg's muxers write and its demuxers read back; and audio, which is
// never left out unasked, whatever the container, the codec and the render mode.
import Export
import FoundationEssentials
import Media
import MediaTime
import Signals
import Testing

@Suite(.timeLimit(.minutes(10))) struct ContainerCodecTests {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    /// A codec, and the words by which ffmpeg makes half a second of it.
    struct Sample: CustomTestStringConvertible, Sendable {
        var codec: String
        var isVideo: Bool
        var words: [String]
        var testDescription: String { codec }

        static func video(_ codec: String, _ encoder: String, _ more: String...) -> Sample {
            Sample(
                codec: codec, isVideo: true,
                words: Film.video(size: more.first ?? "64x64", seconds: "0.6") + ["-c:v", encoder]
                    + more.dropFirst() + ["-g", "5"])
        }

        static func audio(_ codec: String, _ encoder: String, rate: Int = 48_000, channels: Int = 1) -> Sample
        {
            Sample(
                codec: codec, isVideo: false,
                words: Film.noise(rate, seconds: "1") + ["-ac", "\(channels)", "-c:a", encoder])
        }
    }

    /// A few of each kind; all of them, 70 codecs in 40 types, with CODECS=all, which takes a quarter of an hour.
    static let samples: [Sample] = {
        let few: [Sample] = [
            .video("h264", "libx264"), .video("mpeg2video", "mpeg2video"), .video("mjpeg", "mjpeg"),
            .audio("aac", "aac"), .audio("mp3", "libmp3lame"), .audio("pcm_s16be", "pcm_s16be"),
            .audio("speex", "libspeex", rate: 16_000), .audio("gsm_ms", "libgsm_ms", rate: 8000),
        ]
        guard ProcessInfo.processInfo.environment["CODECS"] == "all" else { return few }
        let pcm = """
            alaw mulaw u8 s8 s16le s24le s24be s32le s32be f32le f32be f64le f64be s64le
            """.split(separator: " ").map { "pcm_\($0)" }
        let simple = """
            ac3 eac3 mp2 flac wavpack wmav1 wmav2 adpcm_ms adpcm_ima_wav adpcm_yamaha
            """.split(whereSeparator: \.isWhitespace).map(String.init)
        let frames = """
            mpeg1video mpeg4 msmpeg4v2 wmv1 wmv2 ffv1 huffyuv ffvhuff utvideo png jpeg2000 v210 svq1 prores theora
            """.split(whereSeparator: \.isWhitespace).map(String.init)
        let encoders = ["theora": "libtheora"]
        return few + (pcm + simple).map { .audio($0, $0) } + frames.map { .video($0, encoders[$0] ?? $0) } + [
            .video("hevc", "libx265"), .video("vp8", "libvpx"), .video("vp9", "libvpx-vp9"),
            .video("h263", "h263", "176x144"), .video("flv1", "flv", "176x144"),
            .video("dvvideo", "dvvideo", "720x576", "-pix_fmt", "yuv420p"),
            .audio("opus", "libopus"), .audio("vorbis", "libvorbis"), .audio("dts", "dca"),
            .audio("adpcm_g722", "g722", rate: 16_000), .audio("adpcm_swf", "adpcm_swf", rate: 44_100),
        ]
    }()

    /// Whether FFmpeg's muxer writes the codec into a type of file, and its demuxer reads as many packets of it back.
    private func roundTrips(_ sample: Sample, _ source: String, _ type: FileType) throws -> Bool {
        let file = scratch.name(type.rawValue)
        let options = type.muxerOptions([sample.codec]).filter { $0.name != "brand" }
        // MXF has nothing to count by but frames.
        let beside =
            type.needsVideo && !sample.isVideo ? ["-i", try companion(), "-map", "1:v", "-map", "0:a"] : []
        let words =
            ["-i", source] + beside + ["-c", "copy", "-strict", "-2", "-f", type.muxer(for: [sample.codec])]
            + options.flatMap { ["-\($0.name)", $0.value] }
        let ffmpeg = ["ffmpeg", "-nostdin", "-v", "quiet", "-y"]
        guard try Tool.attempt(ffmpeg + words + [file]) != nil else { return false }
        return try packets(file)[sample.codec].map { $0 > 0 } ?? false
    }

    private func companion() throws -> String {
        let file = scratch.name("nut")
        try Tool.ffmpeg(Film.video(size: "64x64", seconds: "1") + ["-c:v", "mpeg2video", file])
        return file
    }

    private func packets(_ file: String) throws -> [String: Int] {
        struct Answer: Decodable {
            struct One: Decodable {
                var codec_name: String?
                var nb_read_packets: String?
            }
            var streams: [One]
        }
        let probe = ["ffprobe", "-v", "quiet", "-of", "json", "-count_packets"]
        let entries = ["-show_entries", "stream=codec_name,nb_read_packets", file]
        guard let output = try Tool.attempt(probe + entries),
            let answer = try? JSONDecoder().decode(Answer.self, from: Data(output))
        else { return [:] }
        return answer.streams.reduce(into: [:]) {
            $0[$1.codec_name ?? ""] = Int($1.nb_read_packets ?? "") ?? 0
        }
    }

    /// Names by which FFmpeg reads what is another codec's stream: MPEG audio has one description in movies for its layers.
    private static let alike: Set<String> = ["mp2"]

    @Test(arguments: samples) func theTableIsWhatMuxersWriteAndReadBack(_ sample: Sample) throws {
        let source = scratch.name("nut")
        try Tool.ffmpeg(sample.words + ["-strict", "-2", source])
        for type in FileType.allCases {
            let reason = type.codecs.refused[sample.codec]
            let isWritten = try roundTrips(sample, source, type)
            if type.holds(sample.codec) {
                #expect(reason == nil, "\(type): \(sample.codec) is held and refused")
                #expect(
                    isWritten || Self.alike.contains(sample.codec), "\(type) does not hold \(sample.codec)")
            } else {
                // Newer muxers of raw streams refuse other codecs themselves.
                #expect(
                    isWritten == (reason != nil) || !isWritten && FFmpegFaults.isNewer,
                    "\(type) refuses \(sample.codec): \(reason?.rawValue ?? "no reason")")
            }
        }
    }

    // MARK: Audio is never left out unasked

    /// A film or audio alone, in a container of its own.
    static let sources: [(type: String, audio: [String], hasVideo: Bool)] = [
        ("mp4", ["-c:a", "aac"], true), ("mp4", ["-c:a", "pcm_s16be", "-f", "mov"], true),
        ("mov", ["-c:a", "pcm_s24le"], true), ("mkv", ["-c:a", "flac"], true),
        ("mkv", ["-c:a", "libvorbis"], true),
        ("m2ts", ["-c:a", "pcm_bluray", "-f", "mpegts", "-mpegts_m2ts_mode", "1"], true),
        ("avi", ["-c:a", "adpcm_ms"], true), ("wav", ["-c:a", "adpcm_ima_wav"], false),
        ("wav", ["-c:a", "libgsm_ms", "-ar", "8000", "-ac", "1"], false),
        ("ogg", ["-c:a", "libspeex", "-ar", "16000", "-ac", "1"], false), ("aif", [], false),
        ("wv", [], false),
        ("tta", [], false), ("m4b", ["-c:a", "aac"], false), ("au", [], false), ("mp2", [], false),
    ]
    static let types = [
        "", "mp4", "mov", "mkv", "ts", "m2ts", "avi", "flv", "vob", "wav", "m4b", "ogg", "tta",
    ]

    @Test(arguments: sources.indices) func theOnlyAudioIsNeverLeftOut(_ index: Int) throws {
        let (type, audio, hasVideo) = Self.sources[index]
        let film = scratch.name(type)
        var words: [String] = hasVideo ? Film.video(size: "96x64", seconds: "2") : []
        words += Film.noise(48_000, seconds: "2") + ["-ac", "2"]
        if hasVideo { words += Film.h264("keyint=10") + ["-bf", "0"] }
        try Tool.ffmpeg(words + audio + [film])
        for output in Self.types {
            for mode in [RenderMode.auto, .smart, .copy] {
                for named in mode == .auto ? [false, true] : [true] {
                    let what = "\(type) \(audio) to .\(output), \(mode), \(named ? "named" : "nothing named")"
                    do {
                        let made = try export(
                            film, "passthrough", start: Time(1, 2), end: Time(3, 2), in: scratch,
                            type: output.isEmpty ? type : output
                        ) {
                            $0.render = mode
                            $0.output.name = output.isEmpty ? nil : "o.\(output)"
                            $0.fallback = named ? nil : try? preset("highest")
                        }
                        #expect(made.result.tracks.contains { $0.kind == .audio }, "\(what): silent")
                        if made.result.tracks.contains(where: { $0.kind == .audio && $0.way == .encode }),
                            !named, let track = made.result.tracks.first(where: { $0.kind == .audio }),
                            track.codec == "aac" || track.codec == "mp3"
                        {
                            #expect(
                                made.result.warnings.contains { $0.code == .encodedInstead },
                                "\(what): unsaid")
                        }
                    } catch let error as MediaError {
                        #expect(
                            error.code == .presetNotValid || error.code == .operationNotSupported,
                            "\(what): \(error)")
                        #expect(error.remedy?.isEmpty == false, "\(what): \(error)")
                        // Audio keeps its type, and what is not named is never refused.
                        #expect(named || !output.isEmpty, "\(what): \(error)")
                    }
                }
            }
        }
    }

    /// Cameras store PCM in MP4, as QuickTime describes it.
    @Test(arguments: ["pcm_s16be", "pcm_s16le", "pcm_s24be", "pcm_s32be", "pcm_f32be", "pcm_mulaw"])
    func pcmInMP4IsCopiedToTheSample(_ codec: String) throws {
        let film = scratch.name("mp4")
        try Tool.ffmpeg(
            Film.video(seconds: "2") + Film.noise(48_000, seconds: "2") + Film.h264("keyint=10")
                + ["-c:a", codec, "-f", "mov", film])
        let whole = try Truth(film).samples(rate: 48_000)
        for mode in [RenderMode.auto, .smart] {
            let made = try export(
                film, "passthrough", start: Time(1, 2), end: Time(3, 2), in: scratch, type: "mp4"
            ) {
                ($0.render, $0.output.name) = (mode, "o.mp4")
            }
            let sound = try #require(made.result.tracks.first { $0.kind == .audio })
            #expect(sound.way == .copy && sound.codec == codec)
            #expect(try Truth(made.file).samples(rate: 48_000) == Array(whole[24_000..<72_000]))
            try verify(made, in: scratch)
            let bytes = Array(try Data(contentsOf: URL(filePath: made.file)).prefix(12))
            #expect(bytes[4..<8].elementsEqual("ftyp".utf8) && bytes[8..<12].elementsEqual("mp42".utf8))
        }
    }

    /// Samples that cannot be cut where they are stored are PCM of the same samples, and the output says so.
    @Test(arguments: [
        ["-c:a", "adpcm_ima_wav"], ["-c:a", "adpcm_ms"], ["-c:a", "libgsm_ms", "-ar", "8000"],
        ["-c:a", "g726", "-b:a", "32k", "-ar", "8000"],
    ])
    func voiceInWAVEBecomesPCM(_ words: [String]) throws {
        let film = scratch.name("wav")
        try Tool.ffmpeg(Film.noise(8000, seconds: "4") + words + [film])
        let whole = try Truth(film).samples(rate: 8000)
        for name in ["o.wav", nil] {
            let made = try export(
                film, "passthrough", start: Time(1, 1), end: Time(3, 1), in: scratch, type: "wav"
            ) {
                ($0.render, $0.output.name, $0.fallback) = (.auto, name, try? preset("highest"))
            }
            #expect(made.result.fileType == "wav" && made.result.tracks.first?.codec == "pcm_s16le")
            #expect(made.result.warnings.map(\.code) == [.encodedInstead])
            let message = made.result.warnings.first?.message ?? ""
            #expect(message.contains("pcm_s16le") && message.count < 200, "\(message)")
            #expect(try Truth(made.file).samples(rate: 8000) == Array(whole[8000..<24_000]))
            try verify(made, in: scratch)
        }
    }

    /// Types that once became others: every sample at its place, in a file of the source's type.
    @Test(
        arguments: [
            ("aif", [], 0), ("au", [], 0), ("w64", [], 0), ("wv", [], 0), ("tta", [], 0), ("oga", [], 0),
            ("m4b", ["-c:a", "aac", "-f", "ipod"], 512), ("m4r", ["-c:a", "aac", "-f", "ipod"], 512),
            ("mp2", ["-c:a", "mp2"], 700), ("ac3", ["-c:a", "ac3"], 900), ("eac3", ["-c:a", "eac3"], 900),
            ("ogg", ["-c:a", "libspeex", "-ar", "16000", "-ac", "1"], 400),
            ("spx", ["-c:a", "libspeex", "-ar", "16000", "-ac", "1"], 400),
        ] as [(String, [String], Int)])
    func anUnnamedOutputHasTheSourcesType(_ type: String, _ words: [String], _ most: Int) throws {
        let film = scratch.name(type)
        try Tool.ffmpeg(Film.noise(48_000, seconds: "4") + words + [film])
        let made = try export(
            film, "passthrough", start: Time(1, 1), end: Time(3, 1), in: scratch, type: type
        ) {
            $0.render = .auto
        }
        #expect(made.result.fileType == type && made.result.warnings.isEmpty, "\(made.result.warnings)")
        try verify(made, in: scratch)
        let rate = type == "spx" || type == "ogg" ? 16_000 : 48_000
        let (whole, cut) = (try Truth(film).samples(rate: rate), try Truth(made.file).samples(rate: rate))
        #expect(abs(cut.count - 2 * rate) <= 2 * most, "\(cut.count)")
        // Speex predicts from what was before: the waveform is another for the first packets.
        if rate == 48_000, most != 512 {
            #expect(try abs(lag(of: cut, in: whole, at: rate, reach: most + 40)) <= most)
            if most == 0 { #expect(cut == Array(whole[rate..<3 * rate])) }
        }
    }

    @Test(arguments: [
        ("flv", ["-c:v", "libx264", "-bf", "2", "-c:a", "aac"]),
        ("flv", ["-c:v", "flv", "-c:a", "libmp3lame", "-ar", "44100"]),
        ("vob", ["-c:v", "mpeg2video", "-q:v", "2", "-bf", "2", "-c:a", "ac3"]),
        ("mpg", ["-c:v", "mpeg2video", "-q:v", "2", "-bf", "0", "-c:a", "mp2", "-f", "vob"]),
        ("mxf", ["-c:v", "mpeg2video", "-q:v", "2", "-bf", "2", "-c:a", "pcm_s16le"]),
    ]) func filmsKeepTheirType(_ type: String, _ words: [String]) throws {
        let film = scratch.name(type)
        try Tool.ffmpeg(
            Film.video(seconds: "4") + Film.noise(48_000, seconds: "4") + words + ["-g", "25", film])
        let truth = try Truth(film)
        let (frames, pictures) = (try truth.frames(), try truth.thumbnails())
        let (start, end) = try (
            #require(frames.dropFirst(28).first?.time), #require(frames.dropFirst(77).first?.time)
        )
        let made = try export(film, "passthrough", start: start, end: end, in: scratch, type: type) {
            $0.render = .auto
        }
        #expect(made.result.fileType == type, "\(made.result.warnings)")
        let output = try Truth(made.file)
        let got = try output.frames()
        let wanted = try expected(frames, start: start, end: end)
        #expect(got.count == wanted.times.count)
        let first = try #require(got.first?.time)
        for (one, time) in zip(got, wanted.times) {
            #expect((one.time - first - time).absoluteValue <= Time(1, 900), "\(one.time), not \(time)")
        }
        for (index, picture) in zip(wanted.indices, try output.thumbnails()) {
            #expect(difference(picture, pictures[index]) < 4 * picture.count, "frame \(index) is another")
        }
        let stream = try #require(truth.audio)
        let whole = try truth.samples(rate: 48_000)
        let own = try truth.firstSample(of: stream, rate: 48_000)
        let sound = try #require(output.audio)
        let offset = try output.firstSample(of: sound, rate: 48_000) - first.seconds * 48_000
        let at = Int((start.seconds * 48_000 - own + offset).rounded())
        #expect(abs(try lag(of: output.samples(rate: 48_000), in: whole, at: at, reach: 120)) <= 60)
        try verify(made, in: scratch)
    }

    /// Capture tools leave frames out, and AVI has an empty chunk for each.
    @Test(arguments: [(Time(12, 25), Time(62, 25)), (Time(22, 25), Time(34, 25)), (Time(0, 1), Time(23, 25))])
    func droppedFramesOfAVIAreEmptyChunks(_ start: Time, _ end: Time) throws {
        let film = scratch.name("avi")
        try Tool.ffmpeg(
            Film.video(filters: "select=not(between(n\\,20\\,26))") + Film.noise(48_000) + [
                "-fps_mode", "vfr", "-c:v", "mjpeg", "-q:v", "3", "-c:a", "pcm_s16le", film,
            ])
        let truth = try Truth(film)
        let frames = try truth.frames()
        let wanted = try expected(frames, start: start, end: end)
        let made = try export(film, "passthrough", start: start, end: end, in: scratch, type: "avi") {
            $0.render = .auto
        }
        #expect(made.result.fileType == "avi" && made.result.render == .copy, "\(made.result.warnings)")
        #expect(try Truth(made.file).frames().map(\.time) == wanted.times)
        let (pictures, own) = (try Truth(made.file).thumbnails(), try truth.thumbnails())
        #expect(pictures == wanted.indices.map { own[$0] })
        try verify(made, in: scratch)
    }

    /// The time reference is that of the first sample (EBU Tech 3285): in a chunk of WAVE, and in the tags of other types.
    @Test(arguments: ["wav", "flac"]) func theTimeReferenceAdvancesByTheInPoint(_ type: String) throws {
        let film = scratch.name("wav")
        try Tool.ffmpeg(
            Film.noise(8000, seconds: "4") + [
                "-write_bext", "1", "-metadata", "time_reference=28800000", "-metadata",
                "originator=recorder",
                "-metadata", "description=scene 1", "-metadata", "originator_reference=R1", film,
            ])
        let made = try export(
            film, type == "wav" ? "passthrough" : type, start: Time(2, 1), end: Time(3, 1), in: scratch,
            type: type
        ) {
            $0.render = .auto
        }
        struct Answer: Decodable {
            struct Format: Decodable { var tags: [String: String] }
            var format: Format
        }
        let tags = try Tool.ffprobe(["-show_format", made.file], as: Answer.self).format.tags
        #expect(tags["time_reference"] == "28816000", "\(tags)")
        #expect(tags["originator_reference"] == "R1" && tags["encoded_by"] == "recorder", "\(tags)")
        #expect(made.result.dropped.isEmpty, "\(made.result.dropped)")
        guard type == "wav" else { return }
        let bytes = Array(try Data(contentsOf: URL(filePath: made.file)))
        let chunk = try #require(bytes.indices.first { bytes[$0...].starts(with: "bext".utf8) })
        // Behind the description, the originator, its reference, date and time.
        let at = chunk + 8 + 256 + 32 + 32 + 10 + 8
        #expect((0..<8).reduce(0) { $0 | Int(bytes[at + $1]) << (8 * $1) } == 28_816_000)
    }

    /// Blocks of WavPack last for seconds at low rates.
    @Test(arguments: [
        (Time(1, 1), Time(3, 1)), (Time(2, 1), Time(5, 1)), (Time(0, 1), Time(3, 1)),
        (Time(5, 4), Time(4, 1)),
    ])
    func rangesOfWavPackAreExactOnBlockBoundariesAndElsewhere(_ start: Time, _ end: Time) throws {
        let film = scratch.name("wv")
        try Tool.ffmpeg(Film.noise(16_000, seconds: "5") + ["-c:a", "wavpack", "-sample_fmt", "s16p", film])
        let whole = try Truth(film).samples(rate: 16_000)
        for type in ["wv", "mka"] {
            let made = try export(film, "passthrough", start: start, end: end, in: scratch, type: type) {
                ($0.render, $0.output.name) = (.auto, "o.\(type)")
            }
            let part = whole[Int(start.seconds * 16_000)..<Int(end.seconds * 16_000)]
            #expect(try Truth(made.file).samples(rate: 16_000) == Array(part), "\(type)")
            try verify(made, in: scratch)
        }
    }

    /// Samples in floating point do not become integers where packets are encoded again.
    @Test(arguments: ["wv", "mka"]) func samplesInFloatingPointOfWavPackStay(_ type: String) throws {
        let film = scratch.name("wv")
        try Tool.ffmpeg(Film.noise(48_000, seconds: "4") + ["-c:a", "wavpack", "-sample_fmt", "fltp", film])
        let made = try export(
            film, "passthrough", start: Time(11, 10), end: Time(27, 10), in: scratch, type: type
        ) { ($0.render, $0.output.name) = (.auto, "o.\(type)") }
        func samples(_ file: String) throws -> [UInt8] {
            try Tool.ffmpeg(["-i", file, "-c:a", "pcm_f32le", "-f", "f32le", "-"])
        }
        let part = try samples(film)[(52_800 * 4)..<(129_600 * 4)]
        #expect(try samples(made.file) == Array(part))
        try verify(made, in: scratch)
    }
}
