// Films that a list names one after the other: at each time of the output there is the frame and the sound of the film whose turn it is,
// by decoding each film with ffmpeg. Copied frames are the films' own.
import Check
import Export
import FoundationEssentials
import Libav
import Media
import MediaTime
import Testing

@testable import Source

@Suite(.timeLimit(.minutes(10))) struct FilmSequenceTests {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    /// A film with sound, of these seconds and this hue.
    private func film(
        _ type: String = "mov", seconds: String = "2.2", audio: String = "2.3", size: String = "160x120",
        hue: Int = 0, codec: [String] = ["-c:a", "pcm_s16le"]
    ) throws -> String {
        let file = scratch.name(type)
        try Tool.ffmpeg(
            Film.video(size: size, seconds: seconds, filters: "hue=h=\(hue)")
                + Film.noise(48_000, seconds: audio) + Film.h264() + codec + [file])
        return file
    }

    /// A list with these lines, and the source that it is.
    private func source(_ lines: [String]) throws -> (source: SourceFile, playlist: PlaylistSource) {
        let list = scratch.name("ffconcat")
        let text = (["ffconcat version 1.0"] + lines).joined(separator: "\n") + "\n"
        try Data(text.utf8).write(to: URL(filePath: list))
        let playlist = try #require(try PlaylistSource(try scratch.source(list), FolderFiles(scratch.path)))
        return (playlist.file, playlist)
    }

    private func line(_ file: String) -> String { "file \(file.split(separator: "/").last ?? "")" }

    /// Exports a list.
    private func export(
        _ lines: [String], to type: String = "mov", _ preset: String = "passthrough",
        _ range: RangeRequest = RangeRequest()
    ) throws -> (file: String, result: ExportResult) {
        let (source, playlist) = try source(lines)
        let resolved = try playlist.resolved(range)
        return try scratch.export(source, to: type, preset: preset) {
            $0.render = preset == "passthrough" ? .auto : .encode
            $0.range = resolved
        }
    }

    /// The times of a film's frames in milliseconds, later by what is before it.
    private func shownTimes(_ file: String, after milliseconds: Int) throws -> [Int] {
        let own = try FrameSums.milliseconds(of: file)
        return own.map { $0 - (own.first ?? 0) + milliseconds }
    }

    /// The samples of a film's sound as they are stored.
    private func samples(_ file: String) throws -> [UInt8] {
        try Tool.ffmpeg(["-i", file, "-map", "0:a", "-f", "s16le", "-c:a", "pcm_s16le", "-"])
    }

    @Test func copiedFilmsAreTheirFramesAndSamples() throws {
        let films = [try film("mov", hue: 0), try film("mov", hue: 90), try film("mov", hue: 180)]
        let made = try export(films.map(line))
        #expect(try FrameSums.of(made.file) == films.flatMap { try FrameSums.of($0) })
        let times = try films.enumerated().flatMap { try shownTimes($1, after: 2300 * $0) }
        #expect(try FrameSums.milliseconds(of: made.file) == times)
        #expect(try samples(made.file) == films.flatMap { try samples($0) })
        #expect(made.result.tracks.map(\.way) == [.copy, .encode])
        try Verification(try scratch.source(made.file), made.result).run()
        let seconds = made.result.tracks.first?.ranges?.map { $0.end.seconds }
        #expect(seconds == [2.3, 4.6, 6.9] || seconds == [2.3, 4.6, 6.8])
    }

    /// One that is not like the first is encoded to be like it; the others are copied.
    @Test func aFilmOfAnotherSizeIsEncoded() throws {
        let films = [try film("mov"), try film("mov", size: "192x108"), try film("mov", hue: 90)]
        let made = try export(films.map(line))
        let sums = try FrameSums.of(made.file)
        let (first, last) = (try FrameSums.of(films[0]), try FrameSums.of(films[2]))
        #expect(Array(sums.prefix(first.count)) == first && Array(sums.suffix(last.count)) == last)
        let all = try films.enumerated().flatMap { try shownTimes($1, after: 2300 * $0) }
        #expect(try FrameSums.milliseconds(of: made.file) == all)
        #expect(made.result.tracks.first?.framesEncoded == 55)
        #expect(made.result.tracks.first?.width == 160)
    }

    /// Films of other codecs and containers than the first are encoded to be like it, and the others stay copied.
    @Test(arguments: [
        (
            "mp4",
            ["-c:v", "libx265", "-preset", "ultrafast", "-x265-params", "log-level=none", "-c:a", "aac"]
        ),
        ("mkv", ["-c:v", "libx264", "-bf", "2", "-pix_fmt", "yuv420p", "-c:a", "flac"]),
        ("webm", ["-c:v", "libvpx-vp9", "-cpu-used", "8", "-deadline", "realtime", "-c:a", "libvorbis"]),
        ("ts", ["-c:v", "mpeg2video", "-q:v", "2", "-bf", "2", "-c:a", "mp2"]),
        ("mov", ["-c:v", "prores_ks", "-pix_fmt", "yuv422p10le", "-c:a", "pcm_s24le"]),
    ])
    func filmsOfOtherCodecsAreEncoded(_ type: String, _ words: [String]) throws {
        let first = try film("mov")
        let other = scratch.name(type)
        try Tool.ffmpeg(
            Film.video(size: "160x120", seconds: "2.2", filters: "hue=h=90")
                + Film.noise(48_000, seconds: "2.2")
                + words + [other])
        let made = try export([first, other, first].map(line))
        let (own, all) = (try FrameSums.of(first), try FrameSums.of(made.file))
        #expect(all.count == 3 * own.count && Array(all.prefix(55)) == own && Array(all.suffix(55)) == own)
        let track = try #require(made.result.tracks.first)
        #expect(track.way == .smart && track.framesEncoded == 55 && track.codec == "h264")
        let times = try FrameSums.milliseconds(of: made.file)
        // The sound of some containers begins before the frames: the first is shown from the beginning on.
        let late = times[56] - 2340
        #expect(late == 0 || (type == "webm" || type == "ts") && (1...12).contains(late), "\(late)")
        let second = [2300] + (1..<55).map { 2300 + late + $0 * 40 }
        #expect(Array(times.prefix(110)) == (0..<55).map { $0 * 40 } + second)
        #expect(try meanDifference(of: made.file, from: 55, other) < 3)
        // The rest of the sound is that of the first to the sample, wherever it is.
        let (one, sound) = (try samples(first), try samples(made.file))
        #expect(Array(sound.prefix(one.count)) == one && Array(sound.suffix(one.count)) == one)
        try Verification(try scratch.source(made.file), made.result).run()
    }

    /// Frames that players turn are turned, to be shown like the others.
    @Test(arguments: [90, 180, 270]) func filmsThatAreTurned(_ degrees: Int) throws {
        let first = try film("mov")
        let turned = try Film.turned(
            try film("mp4", hue: 90, codec: ["-c:a", "aac"]), by: degrees, in: scratch)
        let made = try export([line(first), line(turned), line(first)])
        let (own, all) = (try FrameSums.of(first), try FrameSums.of(made.file))
        #expect(all.count == 3 * own.count && Array(all.prefix(55)) == own && Array(all.suffix(55)) == own)
        #expect(made.result.tracks.first?.framesEncoded == 55)
        // ffmpeg turns frames as players do.
        let shown = scratch.name("mkv")
        let fit = degrees == 180 ? "null" : "scale=90:120:flags=bicubic,pad=160:120:35:0"
        try Tool.ffmpeg(["-i", turned, "-vf", fit, "-c:v", "ffv1", "-an", shown])
        #expect(try meanDifference(of: made.file, from: 55, shown) < 4)
        // Of the turned one alone nothing is encoded.
        let alone = try export(
            [line(first), line(turned)], to: "mov", "passthrough", RangeRequest(start: .time(Time(23, 10))))
        #expect(try FrameSums.of(alone.file) == FrameSums.of(turned))
        let asset = try Probe.asset(of: try scratch.source(alone.file))
        #expect(
            asset.mainVideo?.video?.rotation
                == (try Probe.asset(of: try scratch.source(turned))).mainVideo?.video?.rotation)
        // Encoded as a whole they are shown alike.
        let encoded = try export([line(first), line(turned)], to: "mov", "prores422")
        #expect(try meanDifference(of: encoded.file, from: 55, shown) < 4)
    }

    /// Sound of another rate and of other channels is resampled to be like the first; the first stays to the sample.
    @Test func soundsOfOtherFormats() throws {
        let (sound, other) = (scratch.name("wav"), scratch.name("wav"))
        try Tool.ffmpeg(Film.noise(48_000, seconds: "1") + [sound])
        try Tool.ffmpeg([
            "-f", "lavfi", "-i", "sine=f=500:r=44100:d=1", "-ac", "2", "-c:a", "pcm_s24le", other,
        ])
        let made = try export([sound, other, sound].map(line), to: "wav", "wav")
        let (one, all) = (try samples(sound), try samples(made.file))
        #expect(all.count == 3 * 96_000, "\(all.count)")
        #expect(Array(all.prefix(96_000)) == one && Array(all.suffix(96_000)) == one)
    }

    /// The mean difference of the luma of frames that an output has of a film.
    /// - Parameter first: the number of the first of them in the output.
    private func meanDifference(of file: String, from first: Int, _ film: String) throws -> Double {
        func luma(_ file: String) throws -> [UInt8] {
            try Tool.ffmpeg(
                ["-i", file, "-map", "0:v:0", "-fps_mode", "passthrough", "-f", "rawvideo"]
                    + ["-pix_fmt", "gray", "-"])
        }
        let (own, all) = (try luma(film), try luma(file).dropFirst(first * 160 * 120))
        let sum = zip(own, all).reduce(0) { $0 + abs(Int($1.0) - Int($1.1)) }
        return own.isEmpty ? .infinity : Double(sum) / Double(own.count)
    }

    /// What of a film is hidden by its edit list is not shown among the frames of the one before.
    @Test func hiddenFramesStayHidden() throws {
        let whole = try film("mov", seconds: "4", audio: "4")
        let cut = scratch.name("mov")
        // From the keyframe before on; 18 frames are hidden.
        try Tool.ffmpeg(["-ss", "1.92", "-i", whole, "-c", "copy", cut])
        let first = try film("mov", hue: 90)
        let made = try export([line(first), line(cut)])
        let times = try shownTimes(first, after: 0) + (try shownTimes(cut, after: 2300))
        #expect(try FrameSums.milliseconds(of: made.file) == times)
        let sums = try FrameSums.of(made.file)
        #expect(Array(sums.prefix(55)) == (try FrameSums.of(first)))
        #expect(Array(sums.suffix(25)) == Array(try FrameSums.of(cut).suffix(25)))
        #expect(made.result.warnings.filter { $0.code == .encodedInstead }.isEmpty)
    }

    /// Films whose groups are open, and of which one begins with a frame that is only decoded from.
    @Test(
        .enabled(if: Paths.hasMedia("iibbibb_editlist_videoonly.mp4")),
        arguments: [RenderMode.auto, .encode])
    func openGroups(_ render: RenderMode) throws {
        let name = "iibbibb_editlist_videoonly.mp4"
        try FileManager.default.copyItem(
            atPath: Paths.media + "/" + name, toPath: scratch.path + "/" + name)
        let made = try export(
            ["file \(name)", "file \(name)"], to: "mp4", render == .auto ? "passthrough" : "hevc-highest")
        let own = try FrameSums.milliseconds(of: Paths.media + "/" + name).map { $0 }
        #expect(try FrameSums.milliseconds(of: made.file) == own + own.map { $0 + 12_500 })
    }

    /// A subtitle that its film is too short for ends with it.
    @Test func subtitlesEndWithTheirFilm() throws {
        let (words, file) = (scratch.name("srt"), scratch.name("mkv"))
        try Data("1\n00:00:01,500 --> 00:00:02,600\nover the end\n".utf8).write(to: URL(filePath: words))
        try Tool.ffmpeg(
            Film.video(seconds: "2") + ["-i", words, "-map", "0", "-map", "1"] + Film.h264() + [file])
        let made = try export([line(file), line(file)], to: "mkv")
        let text = String(
            decoding: try Tool.ffmpeg(["-i", made.file, "-map", "0:s", "-f", "srt", "-"]), as: UTF8.self)
        let times = text.split(separator: "\n").filter { $0.contains("-->") }
        #expect(times.count == 2, "\(text)")
        #expect(times.first?.hasPrefix("00:00:01,500 --> 00:00:02,0") == true, "\(text)")
    }

    /// Sound that ends just before its film is followed by silence, and not by the next film's.
    @Test func soundEndsWithItsFilm() throws {
        let film = try film("mov", seconds: "2", audio: "1.999")
        let made = try export([line(film), line(film)])
        let (one, both) = (try samples(film), try samples(made.file))
        #expect(one.count == 191_904)
        #expect(Array(both.prefix(191_904)) == one)
        #expect(both[191_904..<192_000].allSatisfy { $0 == 0 })
        #expect(Array(both.dropFirst(192_000).prefix(191_904)) == one)
    }

    /// Tracks are joined with those of their language.
    @Test func languagesStayTogether() throws {
        func film(_ languages: [String], _ rates: [Int]) throws -> String {
            let file = scratch.name("mov")
            let tones = rates.flatMap { ["-f", "lavfi", "-i", "sine=f=\($0):d=1:r=48000"] }
            let names = languages.enumerated().flatMap { ["-metadata:s:a:\($0)", "language=\($1)"] }
            try Tool.ffmpeg(
                tones + rates.indices.flatMap { ["-map", "\($0):a"] } + names + ["-c:a", "pcm_s16le", file])
            return file
        }
        let (one, other) = (
            try film(["eng", "fre"], [440, 880]), try film(["fre", "eng"], [880, 440])
        )
        let made = try export([line(one), line(other)])
        for track in 0...1 {
            let sound = try Tool.ffmpeg(["-i", made.file, "-map", "0:a:\(track)", "-f", "s16le", "-"])
            let own = try Tool.ffmpeg(["-i", one, "-map", "0:a:\(track)", "-f", "s16le", "-"])
            #expect(sound == own + own)
        }
    }

    /// The picture of a cover is no video that is missing.
    @Test func coversAreNoTracks() throws {
        let (cover, file) = (scratch.name("png"), scratch.name("flac"))
        try Tool.ffmpeg(Film.video(seconds: "1") + ["-frames:v", "1", cover])
        try Tool.ffmpeg(
            Film.noise(48_000, seconds: "1") + ["-i", cover, "-map", "0", "-map", "1", "-c:a", "flac"]
                + ["-c:v", "copy", "-disposition:v", "attached_pic", file])
        let made = try export([line(file), line(file)], to: "flac")
        #expect(made.result.warnings.filter { $0.code == .gap }.isEmpty)
        #expect(try samples(made.file) == samples(file) + samples(file))
    }

    /// Sound that encoders add behind the end of a film is not heard in the next one, which has none.
    @Test func whatEncodersAddIsLeftOut() throws {
        let aac = ["-c:a", "aac"]
        let (sounding, silent) = (try film(codec: aac), scratch.name("mp4"))
        try Tool.ffmpeg(Film.video(seconds: "1") + Film.h264() + [silent])
        let made = try export([sounding, silent, sounding].map(line), to: "mov", "prores422")
        let all = try samples(made.file)
        #expect(all.count == (2 * 110_400 + 48_000) * 2)
        let gap = all[(110_400 * 2)..<((110_400 + 48_000) * 2)]
        #expect(gap.allSatisfy { $0 == 0 })
        #expect(made.result.warnings.contains { $0.code == .gap })
    }

    /// Of files of sound, what decoders skip counts for nothing.
    @Test(arguments: [("mp3", "libmp3lame"), ("opus", "libopus"), ("ogg", "libvorbis"), ("m4a", "aac")])
    func soundsFollowOneAnother(_ type: String, _ codec: String) throws {
        let file = scratch.name(type)
        // Decoders make the noise of AAC alike wherever they begin.
        let words = codec == "aac" ? ["-c:a", codec, "-aac_pns", "0"] : ["-c:a", codec]
        try Tool.ffmpeg(Film.noise(48_000, seconds: "1.5") + words + [file])
        let made = try export([line(file), line(file)], to: "wav", "wav")
        let (one, both) = (try samples(file).prefix(144_000), try samples(made.file))
        #expect(both.count == 288_000, "\(both.count)")
        #expect(Array(both.prefix(144_000)) == Array(one) && Array(both.suffix(144_000)) == Array(one))
    }

    /// A list takes parts of its films, by any spelling of a time.
    @Test func partsOfFilms() throws {
        let films = [try film("mov"), try film("mov", hue: 90)]
        let lines = [
            line(films[0]), "inpoint 10f", "outpoint 2", line(films[1]), "inpoint -1.3", "outpoint 50%",
        ]
        let made = try export(lines)
        #expect(try FrameSums.milliseconds(of: made.file).count == 40 + 4)
        #expect(made.result.tracks.first?.ranges?.map(\.start) == [Time(2, 5), Time(33, 10)])
        #expect(try samples(made.file).count == Int(1.6 * 96_000) + Int(0.15 * 96_000))
        let error = #expect(throws: MediaError.self) {
            try export(lines, to: "mov", "passthrough", RangeRequest(start: .time(Time(1, 1))))
        }
        #expect(error?.code == .invalidRequest)
    }

    /// A request takes parts of several sources, more than one of a source and the same one twice.
    @Test func partsOfSources() throws {
        let films = [try film("mov"), try film("mov", hue: 90)]
        var two = RangeRequest()
        two.keep = [try .parse("10f..1"), try .parse("1.6..2")]
        let parts = [
            SourcePart(films[0], two), SourcePart(films[1], RangeRequest(start: try .parse("-0.5"))),
            SourcePart(films[0], RangeRequest(duration: try .parse("0.4"))),
        ]
        let playlist = try PlaylistSource(
            try scratch.source(films[0]), parts, NumberedFiles(parts.map(\.path)))
        let made = try scratch.export(playlist.file, to: "mov", preset: "passthrough") {
            $0.range = try playlist.resolved(RangeRequest())
        }
        let starts = made.result.tracks.first?.ranges?.map(\.start)
        #expect(starts == [Time(2, 5), Time(8, 5), Time(41, 10), Time(46, 10)], "\(starts ?? [])")
        let (first, second) = (try samples(films[0]), try samples(films[1]))
        let bytes = { (time: Double) in Int(time * 96_000) }
        let expected =
            first[bytes(0.4)..<bytes(1)] + first[bytes(1.6)..<bytes(2)] + second.suffix(bytes(0.5))
            + first.prefix(bytes(0.4))
        #expect(try samples(made.file) == Array(expected))
        let error = #expect(throws: MediaError.self) {
            try PlaylistSource(
                try scratch.source(films[0]),
                [SourcePart(films[0]), SourcePart(films[1], RangeRequest(end: .time(Time(9, 1))))],
                NumberedFiles(films))
        }
        #expect(error?.code == .invalidTime && error?.message.hasPrefix("\(films[1]): ") == true)
    }

    /// Chunks of a join go on where its sources lie elsewhere.
    @Test func wherePartsLieIsNoPartOfThem() throws {
        let (one, other) = (try film("mov"), scratch.name("mov"))
        try FileManager.default.linkItem(atPath: one, toPath: other)
        let identities = try [one, other].map { path in
            let files = PlaylistFiles(paths: [path], NumberedFiles([path]))
            try files.measure { _, _ in }
            return files.identity
        }
        #expect(identities[0] == identities[1] && !identities[0].isEmpty)
    }

    /// A range of the whole list is one over the seams.
    @Test func aRangeOverTheSeams() throws {
        let films = [try film("mov"), try film("mov", hue: 90)]
        let range = RangeRequest(start: .time(Time(2, 1)), end: .time(Time(3, 1)))
        let made = try export(films.map(line), to: "mov", "passthrough", range)
        let (first, second) = (try samples(films[0]), try samples(films[1]))
        #expect(try samples(made.file) == Array(first.dropFirst(192_000)) + Array(second.prefix(67_200)))
        // Five frames of the first, 17.5 of the second.
        #expect(try FrameSums.milliseconds(of: made.file).count == 5 + 18)
    }

    @Test func eachFilmIsAChapter() throws {
        let films = [try film("mov"), try film("mov", hue: 90)]
        let asset = try Probe.asset(of: try source(films.map(line)).source)
        #expect(asset.chapters.map(\.start) == [.zero, Time(23, 10)])
        #expect(asset.chapters.map(\.end) == [Time(23, 10), Time(46, 10)])
        let names = films.map { $0.split(separator: "/").last.map { String($0.dropLast(4)) } }
        #expect(asset.chapters.map(\.title) == names)
        let unnamed = try PlaylistSource(
            try scratch.source(films[0]), films.map { SourcePart($0) }, NumberedFiles(films),
            namesFilms: false)
        #expect(try Probe.asset(of: unnamed.file).chapters.isEmpty)
    }

    /// What cannot be joined is said before anything is made of it, with the line that names it.
    @Test func refusals() throws {
        let first = try film("mp4", codec: ["-c:a", "aac"])
        func refusal(_ lines: [String]) throws -> MediaError {
            try #require(throws: MediaError.self) { try source([line(first)] + lines) }
        }
        let bright = scratch.name("mp4")
        try Tool.ffmpeg(
            Film.video(seconds: "1") + Film.h264() + [
                "-color_trc", "arib-std-b67", "-colorspace", "bt2020nc", bright,
            ])
        #expect(
            try refusal([line(bright)]).message.contains(
                "its frames are arib-std-b67, and those there are SDR"))
        let missing = try refusal(["file none.mp4"])
        #expect(missing.code == .fileNotFound && missing.message.contains("line 3: none.mp4"))
        let text = scratch.name("txt")
        try Data("no film".utf8).write(to: URL(filePath: text))
        #expect(try refusal([line(text)]).code == .fileFormatNotRecognized)
        let list = scratch.name("ffconcat")
        try Data("ffconcat version 1.0\nfile a\n".utf8).write(to: URL(filePath: list))
        #expect(try refusal([line(list)]).code == .playlist)
        #expect(try refusal([line(first), "inpoint 9"]).code == .invalidTime)
        #expect(try refusal([line(first), "outpoint 9"]).message.contains("is behind that of the file"))
        let whole = try Data(
            contentsOf: URL(filePath: try film(codec: ["-c:a", "aac", "-movflags", "faststart"])))
        let short = scratch.name("mp4")
        try whole.prefix(whole.count * 2 / 3).write(to: URL(filePath: short))
        #expect(try refusal([line(short)]).code == .damagedMedia)
        let sound = scratch.name("wav")
        try Tool.ffmpeg(Film.noise(48_000, seconds: "1") + [sound])
        let half = scratch.name("wav")
        try Data(contentsOf: URL(filePath: sound)).prefix(50_000).write(to: URL(filePath: half))
        let broken = #expect(throws: MediaError.self) { try source([line(sound), line(half)]) }
        #expect(broken?.code == .damagedMedia)
    }
}
