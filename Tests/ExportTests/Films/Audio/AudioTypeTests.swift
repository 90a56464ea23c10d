// Audio files keep their type when they are cut without encoding: every sample at its place, as ffmpeg decodes it.
import Export
import Libav
import Media
import MediaTime
import Testing

@testable import Source

@Suite(.timeLimit(.minutes(10))) struct AudioTypeTests {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    /// How exactly a type can be cut.
    enum Exactness: Sendable {
        /// To the sample; decoded samples differ by no more than this.
        case sample(within: Int16)
        /// It begins with the first packet in the range, and ends at the sample.
        case fromPacket(most: Int)
        /// It begins and ends with a packet.
        case packets(most: Int)
    }

    struct Kind: CustomTestStringConvertible, Sendable {
        var film: Film
        var exactness: Exactness
        var rate: Int
        var testDescription: String { film.name }

        init(_ name: String, _ type: String, _ words: [String], _ exactness: Exactness, rate: Int = 44_100) {
            film = Film(name: name, type: type, words: Film.noise(rate) + words)
            (self.exactness, self.rate) = (exactness, rate)
        }
    }

    static let kinds = [
        Kind("MP3", "mp3", ["-c:a", "libmp3lame", "-b:a", "128k"], .sample(within: 1)),
        Kind("MP3 of a variable rate", "mp3", ["-c:a", "libmp3lame", "-q:a", "5"], .sample(within: 1)),
        Kind(
            "MP3 with a large reservoir", "mp3", ["-c:a", "libmp3lame", "-b:a", "32k"], .sample(within: 2),
            rate: 22_050),
        Kind(
            "MP3 without a LAME tag", "mp3", ["-c:a", "libmp3lame", "-b:a", "192k", "-write_xing", "0"],
            .sample(within: 1), rate: 48_000),
        Kind("ADTS", "aac", ["-c:a", "aac", "-aac_pns", "0", "-b:a", "160k"], .packets(most: 1024)),
        Kind("Vorbis", "ogg", ["-c:a", "libvorbis"], .fromPacket(most: 2048)),
        // Decoders converge within 80 ms: no sample is the same, and none is elsewhere.
        Kind("Opus", "opus", ["-c:a", "libopus", "-b:a", "128k"], .sample(within: 6000), rate: 48_000),
        Kind(
            "Opus of long packets", "ogg", ["-c:a", "libopus", "-frame_duration", "60"],
            .sample(within: 6000), rate: 48_000),
        Kind("FLAC in Ogg", "ogg", ["-c:a", "flac"], .sample(within: 0)),
        Kind("FLAC", "flac", ["-c:a", "flac"], .sample(within: 0)),
        Kind("FLAC of 24 bits", "flac", ["-c:a", "flac", "-sample_fmt", "s32"], .sample(within: 0)),
        Kind("WAV", "wav", ["-c:a", "pcm_s16le"], .sample(within: 0)),
        Kind("WAV of floats", "wav", ["-c:a", "pcm_f32le"], .sample(within: 0)),
        Kind("AIFF", "aiff", ["-c:a", "pcm_s24be"], .sample(within: 0)),
        Kind("PCM in CAF", "caf", ["-c:a", "pcm_s16be"], .sample(within: 0)),
        Kind("ALAC in CAF", "caf", ["-c:a", "alac"], .sample(within: 0)),
    ]

    static let cuts: [(Time, Time?)] = [
        (.zero, nil), (Time(44_101, 44_100), Time(2345, 1000)), (Time(1, 100), Time(2, 5)),
        (Time(1734, 1000), nil),
    ]

    private func pass(_ input: String, _ start: Time?, _ end: Time?, type: String) throws -> Made {
        try export(input, "passthrough", start: start, end: end, in: scratch, type: type) {
            $0.render = .auto
            $0.output.name = "o.\(type)"
        }
    }

    @Test(arguments: kinds) func everySampleIsAtItsPlace(_ kind: Kind) throws {
        let input = try kind.film.make(in: scratch)
        let whole = try Truth(input).samples(rate: kind.rate)
        for (start, end) in Self.cuts {
            let made = try pass(input, start, end, type: kind.film.type)
            let range = "[\(start), \(end.map { "\($0)" } ?? "end"))"
            let track = try #require(made.result.tracks.first)
            let decoded = try Truth(made.file).samples(rate: kind.rate)
            let first = sample(start, kind.rate)
            let last = end.map { sample($0, kind.rate) } ?? whole.count
            var begin = first
            switch kind.exactness {
            case .sample:
                #expect((track.remainder ?? .zero).absoluteValue < Time(1, Int32(kind.rate)), "\(range)")
                #expect(abs(decoded.count - (last - first)) <= 1, "\(range): \(decoded.count) samples")
            case .fromPacket(let most), .packets(let most):
                begin = sample(track.actual.start, kind.rate)
                if case .packets = kind.exactness {
                    #expect(abs(begin - first) <= most / 2, "\(range): begins at \(begin)")
                    #expect(abs(decoded.count - (last - begin)) <= most / 2, "\(range)")
                } else {
                    #expect(first..<first + most ~= begin, "\(range): begins at \(begin)")
                    #expect(abs(decoded.count - (last - begin)) <= 1, "\(range): \(decoded.count) samples")
                }
            }
            #expect(try lag(of: decoded, in: whole, at: begin) == 0, "\(range)")
            if case .sample(let within) = kind.exactness {
                let off = zip(decoded, whole[begin...]).map { abs(Int($0) - Int($1)) }.max() ?? 0
                #expect(off <= Int(within), "\(range): samples differ by \(off)")
            }
            #expect(made.result.warnings.isEmpty, "\(range): \(made.result.warnings)")
            #expect(made.result.fileType == kind.film.type)
            try verify(made, in: scratch)
        }
    }

    private func sample(_ time: Time, _ rate: Int) -> Int {
        Int(time.multiplied(by: Int64(rate), over: 1).converted(to: 1, rounding: .halfAwayFromZero).value)
    }

    /// WebM and Matroska of audio alone, with the extension of films.
    @Test(arguments: [("webm", "libopus"), ("webm", "libvorbis"), ("mkv", "flac"), ("mka", "flac")])
    func theSourcesExtensionIsKept(_ type: String, _ codec: String) throws {
        let input = try Film(name: "", type: type, words: Film.noise(48_000) + ["-c:a", codec]).make(
            in: scratch)
        let asset = try Probe.asset(of: try scratch.source(input))
        #expect(FileType(of: asset)?.rawValue == type)
        let made = try pass(input, Time(1, 2), Time(3, 2), type: type)
        #expect(made.result.fileType == type && made.result.tracks.count == 1)
        #expect(try abs(Truth(made.file).samples(rate: 48_000).count - 48_000) <= 2048)
        try verify(made, in: scratch)
    }

    /// A decoder of Vorbis gives no samples of its first packet: one alone would be silence.
    @Test(arguments: ["mka", "webm"]) func aRangeWithinAPacketIsNotSilence(_ type: String) throws {
        let input = try Film(name: "", type: type, words: Film.noise(48_000) + ["-c:a", "libvorbis"]).make(
            in: scratch)
        for hundredths in Int64(50)..<58 {
            let start = Time(hundredths, 100)
            do {
                let made = try pass(input, start, start + Time(400, 48_000), type: type)
                #expect(try !Truth(made.file).samples(rate: 48_000).isEmpty, "from \(start)")
            } catch let error as MediaError {
                #expect(error.code == .operationNotSupported && error.message.contains("packet"), "\(error)")
            }
        }
    }

    /// Matroska's times begin with it, and no packet says so.
    @Test func thePrimingOfAnotherContainerIsNotPlayed() throws {
        let input = try Film(name: "", type: "webm", words: Film.noise(48_000) + ["-c:a", "libopus"]).make(
            in: scratch)
        let made = try pass(input, nil, nil, type: "opus")
        #expect(try Truth(made.file).samples(rate: 48_000) == Truth(input).samples(rate: 48_000))
    }

    /// As PCM and FLAC are stored: an equal sound could have lost its lowest bits.
    @Test(arguments: [("flac", "flac"), ("flac", "mka"), ("wav", "wav")])
    func nothingIsLostOf24Bits(type: String, to output: String) throws {
        let words = type == "wav" ? ["-c:a", "pcm_s24le"] : ["-c:a", "flac", "-sample_fmt", "s32"]
        let input = try Film(name: "", type: type, words: Film.noise() + words).make(in: scratch)
        let made = try pass(input, Time(1, 1), Time(2, 1), type: output)
        func decoded(_ file: String, _ cut: [String] = []) throws -> [UInt8] {
            try Tool.ffmpeg(["-i", file] + cut + ["-f", "s32le", "-c:a", "pcm_s32le", "-"])
        }
        let wanted = try decoded(input, ["-af", "atrim=start_sample=44100:end_sample=88200"])
        #expect(try decoded(made.file) == wanted)
    }

    /// The encoder's last packet may be padding alone, which FFmpeg's muxer does not count.
    @Test func theMP3PresetWritesAsManySamplesAsTheRangeHas() throws {
        let input = try Film(name: "", type: "wav", words: Film.noise() + ["-c:a", "pcm_s16le"]).make(
            in: scratch)
        for count in stride(from: 44_100, to: 44_100 + 1152, by: 96) {
            let made = try export(
                input, "mp3", start: Time(1, 2), end: Time(22_050 + Int64(count), 44_100), in: scratch,
                type: "mp3"
            ) { $0.output.name = "o.mp3" }
            #expect(try Truth(made.file).samples(rate: 44_100).count == count, "\(count)")
            try verify(made, in: scratch)
        }
    }

    @Test func withoutANameTheTypeIsTheSources() throws {
        for kind in Self.kinds {
            let asset = try Probe.asset(of: try scratch.source(try kind.film.make(in: scratch)))
            #expect(FileType(of: asset)?.rawValue == kind.film.type, "\(kind.film.name)")
        }
    }

    @Test func onlyTypesThatHoldTheCodecAreOffered() throws {
        for (type, words, wanted) in [
            ("mp3", ["-c:a", "libmp3lame"], ["mp3", "mka", "mov", "mp4"]),
            ("aac", ["-c:a", "aac"], ["aac", "m4a", "mka", "mov", "mp4", "m4b", "m4r"]),
            ("opus", ["-c:a", "libopus"], ["opus", "ogg", "mka", "mp4", "oga"]),
            ("ogg", ["-c:a", "libvorbis"], ["ogg", "mka", "oga"]),
            ("flac", ["-c:a", "flac"], ["flac", "ogg", "mka", "mp4", "oga"]),
            ("wav", ["-c:a", "pcm_s16le"], ["wav", "aiff", "caf", "mka", "mov", "w64", "aif"]),
        ] {
            let input = try Film(name: "", type: type, words: Film.noise(48_000) + words).make(in: scratch)
            let report = try Checker(
                try scratch.source(input), presets: [try preset("passthrough")], fileType: nil
            ).report()
            #expect(report.presets.first?.fileTypes == wanted, "\(type)")
        }
    }

    @Test func aRawStreamIsAsLongAsItsFrames() throws {
        for (type, words, packet) in [("aac", ["-c:a", "aac"], 1024), ("ac3", ["-c:a", "ac3"], 1536)] {
            // A loud end after silence: the bit rate says nothing of the length.
            let input = scratch.name(type)
            try Tool.ffmpeg(
                [
                    "-f", "lavfi", "-i",
                    "aevalsrc=if(lt(t\\,20)\\,0\\,random(0)-0.5):d=23:s=44100",
                ] + words + [input])
            struct Answer: Decodable {
                struct Stream: Decodable { var nb_read_packets: String }
                var streams: [Stream]
            }
            let counted = try Tool.ffprobe(
                ["-count_packets", "-show_entries", "stream=nb_read_packets", input], as: Answer.self)
            let packets = try #require(counted.streams.first.flatMap { Int64($0.nb_read_packets) })
            let asset = try Probe.asset(of: try scratch.source(input))
            #expect(asset.duration == Time(packets * Int64(packet), 44_100), "\(type)")
            #expect(!asset.faults.contains { $0.code == .estimatedDuration })
        }
    }
}
