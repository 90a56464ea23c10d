// Exports whose samples cannot be copied: with a fallback they are encoded and say so, without one they fail and name what
// works, which then does.
import Export
import Foundation
import Media
import MediaTime
import Testing

struct FallbackTests {
    /// RGB in one GOP, as screen recorders write it: the encoder of head and tail does not take it.
    private func rgbFilm(_ scratch: Scratch) throws -> String {
        let film = scratch.name("mp4")
        try Tool.ffmpeg(
            Film.video("25", size: "160x120") + [
                "-c:v", "libx264rgb", "-pix_fmt", "rgb24", "-g", "200", "-t", "2", film,
            ])
        return film
    }

    private func plain(_ scratch: Scratch) throws -> String {
        let film = scratch.name("mp4")
        try Tool.ffmpeg(Film.video("25", size: "160x120") + Film.h264("keyint=200") + ["-t", "3", film])
        return film
    }

    @Test func anAssetThatCannotBeCutIsEncodedAndSaysSo() throws {
        let scratch = try Scratch()
        let film = try rgbFilm(scratch)
        let made = try export(
            film, "passthrough", start: Time(1, 2), end: Time(3, 2), in: scratch, type: "mp4"
        ) {
            $0.render = .auto
            $0.fallback = try? preset("highest")
        }
        #expect(made.result.preset == "highest")
        #expect(made.result.fileType == "mp4")
        #expect(made.result.render == .encode)
        #expect(made.result.warnings.first?.code == .encodedInstead)
        #expect(made.result.warnings.filter { $0.code == .encodedInstead }.count == 1)
        let video = made.result.tracks.first { $0.kind == .video }
        #expect(video?.framesEncoded == 26)
        try verify(made, in: scratch)
    }

    /// The reason is told, not FFmpeg's.
    @Test func framesOfRGBAreEncodedForTheReasonThatTheyAre() throws {
        let scratch = try Scratch()
        let film = try rgbFilm(scratch)
        let made = try export(
            film, "passthrough", start: Time(1, 2), end: Time(3, 2), in: scratch, type: "mp4"
        ) {
            $0.render = .auto
            $0.fallback = try? preset("highest")
        }
        let told = try #require(made.result.warnings.first { $0.code == .encodedInstead })
        #expect(told.message.contains("its pixels are red, green and blue"), "\(told.message)")
        try verify(made, in: scratch)
    }

    /// The fallback writes every type that holds its codecs, not only those of the preset's file.
    @Test(arguments: ["mkv", "m4v", "mov"]) func theFallbackKeepsTheRequestedType(type: String) throws {
        let scratch = try Scratch()
        let film = try plain(scratch)
        let made = try export(film, "passthrough", start: Time(1, 1), in: scratch, type: type) {
            $0.render = .encode
            $0.output.name = "o.\(type)"
            $0.fallback = try? preset("highest")
        }
        #expect(made.result.fileType == type)
        #expect(made.result.render == .encode)
        #expect(made.result.warnings.isEmpty)
        try verify(made, in: scratch)
    }

    /// A job that can be copied is.
    @Test func theFallbackIsNotUsedWithoutNeed() throws {
        let scratch = try Scratch()
        let film = try plain(scratch)
        let made = try export(film, "passthrough", in: scratch, type: "mp4") {
            $0.render = .auto
            $0.fallback = try? preset("highest")
        }
        #expect(made.result.preset == nil)
        #expect(made.result.render == .copy)
    }

    /// The film is copied, and its audio is heard, where the file type can hold only the video; a preset that copies, asked for by
    /// name, is refused: without audio it would be another film.
    @Test(arguments: [
        ("mkv", ["-c:a", "pcm_s16le"], "mp4", "aac"), ("mkv", ["-c:a", "libvorbis"], "mov", "aac"),
        ("mkv", ["-c:a", "flac"], "ts", "aac"), ("mov", ["-c:a", "pcm_s24be"], "mkv", "pcm_s24be"),
    ]) func audioThatTheTypeCannotHoldIsEncodedAlone(
        source: String, audio: [String], type: String, codec: String
    ) throws {
        let scratch = try Scratch()
        let film = scratch.name(source)
        try Tool.ffmpeg(
            Film.video("25", size: "160x120", seconds: "2") + Film.noise(48_000, seconds: "2")
                + Film.h264("keyint=10") + audio + [film])
        let isHeld = codec != "aac"
        for named in [false, true] {
            func made() throws -> Made {
                try export(
                    film, "passthrough", start: Time(2, 5), end: Time(8, 5), in: scratch, type: type
                ) {
                    $0.render = .auto
                    $0.output.name = "o.\(type)"
                    $0.fallback = named ? nil : try? preset("highest")
                }
            }
            guard isHeld || !named else {
                let error = try #require(throws: MediaError.self) { try made() }
                #expect(error.code == .presetNotValid && error.track == 1, "\(error)")
                continue
            }
            let made = try made()
            try verify(made, in: scratch)
            let video = try #require(made.result.tracks.first { $0.kind == .video })
            #expect(video.framesEncoded < 5 && made.result.preset == nil)
            #expect(
                made.result.warnings.filter { $0.code == .encodedInstead }.map(\.track) == (isHeld ? [] : [1])
            )
            let heard = try #require(made.result.tracks.first { $0.kind == .audio })
            #expect(heard.codec == codec)
            #expect(heard.actual.start == Time(2, 5) && heard.actual.end == Time(8, 5))
        }
    }

    /// One that failed, the type that was asked for, and the remedy: every way it names succeeds.
    @Test(arguments: [
        (RenderMode.auto, "webm", "use --preset vp9-720"),
        (
            .copy, "mkv",
            "use --render smart, or --preset highest --render auto, or --preset vp9-720 --render auto"
        ),
    ]) func anErrorNamesWhatWorks(render: RenderMode, type: String, remedy: String) throws {
        let scratch = try Scratch()
        let film = try plain(scratch)
        func request(_ id: String, _ render: RenderMode) throws -> ExportRequest {
            var request = ExportRequest(
                input: film, output: OutputTarget(folder: scratch.path, name: "o.\(type)", stem: "o"),
                range: RangeRequest(start: .time(Time(1, 1)), end: .time(Time(2, 1))), preset: try preset(id),
                render: render)
            request.key = "k"
            return request
        }
        func run(_ request: ExportRequest, _ others: EncodedPresets = .none) throws {
            _ = try Exporter(try scratch.source(film), request, alternatives: others).run(
                output: try scratch.output(scratch.name(type)), progress: { _ in }, log: { _ in })
        }
        let catalogue = PresetCatalogue([
            try preset("highest"), try preset("vp9-720"), try preset("m4a"), try preset("opus"),
        ])
        let asked = try request("passthrough", render)
        let error = try #require(
            throws: MediaError.self, performing: { try run(asked, catalogue.alternatives(to: asked)) })
        #expect(error.remedy == remedy)
        for way in (error.remedy ?? "").dropFirst(4).components(separatedBy: ", or ") {
            let words = way.split(separator: " ").map(String.init)
            var again = asked
            if words[0] == "--render" { again.render = try #require(RenderMode(rawValue: words[1])) }
            if words[0] == "--preset" {
                let own = words.count > 3 && words[2] == "--render" ? RenderMode(rawValue: words[3]) : render
                again = try request(words[1], try #require(own))
            }
            try run(again)
        }
    }

    /// Two passes of a whole film are no copy, and are not left out in silence.
    @Test func twoPassesAreRefusedWhereVideoIsCopied() throws {
        let scratch = try Scratch()
        let film = try plain(scratch)
        let error = try refusal(film, "passthrough", start: Time(1, 1), in: scratch) {
            $0.render = .auto
            $0.options = ExportOptions()
            $0.options?.twoPass = true
        }
        #expect(error.code == .presetNotValid)
        #expect(error.message.contains("in one pass"))
    }

    /// As stored it is too large in every render mode: none that copies is named.
    @Test func aCopyIsNoRemedyForItsSize() throws {
        let scratch = try Scratch()
        let film = try plain(scratch)
        var request = ExportRequest(
            input: film, output: OutputTarget(folder: scratch.path, name: "o.mp4", stem: "o"),
            range: RangeRequest(start: .time(Time(1, 1))), preset: try preset("passthrough"))
        request.options = ExportOptions()
        request.options?.limitSize = 20_000
        let error = try #require(throws: MediaError.self) {
            _ = try Exporter(
                try scratch.source(film), request, alternatives: EncodedPresets([try preset("highest")])
            ).run(output: try scratch.output(scratch.name("mp4")), progress: { _ in }, log: { _ in })
        }
        #expect(error.code == .maximumFileSizeReached)
        #expect(error.remedy?.contains("--render") != true)
    }

    /// Where nothing works, nothing is named: a preset for audio writes the type, and the film is silent.
    /// Where no preset writes the type, a copy of another does.
    @Test func noWayIsNamedThatDoesNotWork() throws {
        let scratch = try Scratch()
        let film = try plain(scratch)
        func run(_ name: String) throws {
            let request = ExportRequest(
                input: film, output: OutputTarget(folder: scratch.path, name: name, stem: "o"),
                preset: try preset("passthrough"))
            _ = try Exporter(
                try scratch.source(film), request,
                alternatives: EncodedPresets([try preset("opus"), try preset("m4a")])
            ).run(output: try scratch.output(scratch.name("webm")), progress: { _ in }, log: { _ in })
        }
        let error = try #require(throws: MediaError.self) { try run("o.webm") }
        #expect(error.code == .presetNotValid)
        #expect(error.message.contains(".webm cannot hold h264"))
        #expect(error.remedy == "use -o o.mkv")
        try run("o.mkv")
    }

    /// Less than a packet of audio alone: no other way of copying has one, and the end of a file may be padding.
    @Test(arguments: [("mp3", "libmp3lame", Time(301, 100)), ("ogg", "libvorbis", Time(1, 1))])
    func lessThanAPacketIsEncodedOrNothing(_ type: String, _ codec: String, _ start: Time) throws {
        let scratch = try Scratch()
        let film = scratch.name(type)
        try Tool.ffmpeg(Film.noise(44_100) + ["-c:a", codec, film])
        let own = try preset(type == "mp3" ? "mp3" : "opus")
        for render in [RenderMode.auto, .copy, .smart] {
            var request = ExportRequest(
                input: film, output: OutputTarget(folder: scratch.path, name: "o.\(type)", stem: "o"),
                range: RangeRequest(start: .time(start), end: .time(start + Time(1, 500))),
                preset: try preset("passthrough"), render: render)
            func run() throws {
                _ = try Exporter(try scratch.source(film), request, alternatives: EncodedPresets([own])).run(
                    output: try scratch.output(scratch.name(type)), progress: { _ in }, log: { _ in })
            }
            let error = try #require(throws: MediaError.self, performing: { try run() })
            // In the padding of MP3 there is nothing to encode.
            #expect(error.remedy?.hasPrefix("use ") == (type == "ogg"), "\(error.remedy ?? "")")
            guard type == "ogg" else { continue }
            #expect(error.remedy == "use --preset opus" + (render == .auto ? "" : " --render auto"))
            (request.preset, request.render) = (own, .auto)
            try run()
        }
    }

    /// Whatever a file type cannot hold, the error says what can be done.
    @Test(arguments: [
        ("opus", ["-c:a", "libopus"], ""), ("wav", ["-c:a", "adpcm_ima_wav"], ""),
        ("flv", ["-c:a", "libmp3lame"], "flashsv"), ("mov", ["-c:a", "pcm_s16be"], "qtrle"),
    ]) func everyRefusalOfATypeHasARemedy(source: String, audio: [String], video: String) throws {
        let scratch = try Scratch()
        let film = scratch.name(source)
        let frames = video.isEmpty ? [] : Film.video("25", size: "160x120", seconds: "1")
        try Tool.ffmpeg(
            frames + Film.noise(48_000, seconds: "1") + audio + (video.isEmpty ? [] : ["-c:v", video]) + [
                film
            ])
        let catalogue = PresetCatalogue([
            try preset("highest"), try preset("vp9-720"), try preset("m4a"), try preset("opus"),
            try preset("wav"), try preset("mp3"), try preset("flac"),
        ])
        var refused = 0
        for type in FileType.allCases where type != .gif {
            let request = ExportRequest(
                input: film,
                output: OutputTarget(folder: scratch.path, name: "o.\(type.rawValue)", stem: "o"),
                range: RangeRequest(start: .time(Time(1, 5)), end: .time(Time(3, 5))),
                preset: try preset("passthrough"))
            let exporter = Exporter(
                try scratch.source(film), request, alternatives: catalogue.alternatives(to: request))
            do throws(MediaError) {
                _ = try exporter.run(
                    output: try output(scratch, type), progress: { _ in }, log: { _ in })
            } catch {
                refused += 1
                // Of a film with Flash Screen Video, which is not decoded, only the audio can be had.
                let isLost = video == "flashsv" && !type.isAudio
                let first = isLost ? "neither a preset" : "use -"
                #expect(error.remedy?.hasPrefix(first) == true, "\(type): \(error)")
            }
        }
        #expect(refused > 5)
    }

    private func output(_ scratch: Scratch, _ type: FileType) throws(MediaError) -> Int32 {
        do { return try scratch.output(scratch.name(type.rawValue)) } catch {
            throw MediaError(.inputOutput, "\(error)")
        }
    }
}
