// Playlists with parts of other parameters, as advertisements are: the film is copied, and only those parts are encoded to its form.
import Export
import FoundationEssentials
import Libav
import Media
import MediaTime
import Testing

@Suite(.timeLimit(.minutes(60))) struct ConvertedPartTests {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    /// How a playlist is put together of the film's two parts and an advertisement.
    enum Order: String, CaseIterable { case before, between, after, twice }

    private func film(_ order: Order, _ packing: [String] = []) throws -> (list: SourceFile, whole: String) {
        let (parts, whole) = try PartedFilm.divided(in: scratch, at: "3")
        let ad = scratch.name("ts")
        try Tool.ffmpeg(
            Film.video("25", size: "320x240", seconds: "1") + Film.noise(44_100, seconds: "1") + Film.h264()
                + ["-c:a", "aac", "-ac", "1", ad])
        var film = try PartedFilm(in: scratch)
        let all =
            switch order {
            case .before: [ad, parts[0], parts[1]]
            case .between: [parts[0], ad, parts[1]]
            case .after: [parts[0], parts[1], ad]
            case .twice: [ad, parts[0], ad, parts[1]]
            }
        for (index, part) in all.enumerated() { try film.addPacked("p\(index)", of: part, packing) }
        return (try film.source(in: scratch), whole)
    }

    private func export(_ source: SourceFile, _ range: RangeRequest, _ type: String = "mp4") throws -> (
        file: String, result: ExportResult
    ) {
        try scratch.export(source, to: type) { ($0.render, $0.range) = (.smart, range) }
    }

    private func frames(_ file: String) throws -> [(time: Int, sum: Substring)] {
        try FrameSums.lines(of: file, "v", ["-enc_time_base", "1:90000"]).map { line in
            let fields = line.split(separator: ",")
            return (Int(fields[2].trimmed) ?? 0, fields[5])
        }
    }

    @Test(arguments: Order.allCases) func theFilmIsCopied(_ order: Order) throws {
        let (list, whole) = try film(order)
        let asset = try Probe.asset(of: list)
        // The film is what the asset is, wherever the advertisement is.
        #expect(asset.mainVideo?.video?.width == 160)
        #expect(asset.mainVideo?.video?.frameRate?.value == 30)
        #expect(asset.audioTracks.first?.audio?.sampleRate == 48_000)
        let range = RangeRequest(start: .time(Time(1, 2)), end: .time(Time(26, 4)))
        let (file, result) = try export(list, range)
        let video = try #require(result.tracks.first)
        #expect(result.render == .smart && video.width == 160, "\(result.render)")
        #expect(result.warnings.map(\.code) == [.shapeChanged], "\(result.warnings)")
        #expect(video.framesCopied >= 90, "\(video)")
        let made = try Comparison(list, try scratch.source(file), range).run(picture: nil)
        #expect(made.exact, "\(made.findings)")
        // Copied frames are those of the film, one after another, in steps of its own.
        let own = Dictionary(
            try frames(whole).enumerated().map { ($1.sum, $0) }, uniquingKeysWith: { first, _ in first })
        let copied = try frames(file).compactMap { frame in own[frame.sum].map { (frame.time, $0) } }
        #expect(copied.count >= 90)
        for (one, next) in zip(copied, copied.dropFirst()) where next.1 == one.1 + 1 && next.0 - one.0 < 9000
        {
            #expect(abs(next.0 - one.0 - 3000) <= 1)
        }
        #expect(zip(copied, copied.dropFirst()).allSatisfy { $0.1 < $1.1 })
    }

    @Test(arguments: ["mkv", "ts", "mov"]) func containersOfOtherTicks(_ type: String) throws {
        let (list, _) = try film(.between)
        let range = RangeRequest(start: .time(Time(1, 2)), end: .time(Time(13, 2)))
        let (file, result) = try export(list, range, type)
        #expect(result.render == .smart)
        let made = try Comparison(list, try scratch.source(file), range).run(picture: nil)
        #expect(made.exact, "\(made.findings)")
    }

    @Test func headersOfMoviesToo() throws {
        let (list, _) = try film(.between, ["-bsf:a", "aac_adtstoasc", "-hls_segment_type", "fmp4"])
        let range = RangeRequest(start: .time(Time(1, 2)), end: .time(Time(26, 4)))
        let (file, result) = try export(list, range)
        #expect(result.render == .smart)
        let made = try Comparison(list, try scratch.source(file), range).run(picture: nil)
        #expect(made.exact, "\(made.findings)")
    }

    @Test func partsOfHEVC() throws {
        let (parts, _) = try PartedFilm.divided(in: scratch, at: "3")
        let ad = scratch.name("ts")
        try Tool.ffmpeg(Film.video("25", size: "320x240", seconds: "1") + Film.h264() + [ad])
        var film = try PartedFilm(in: scratch)
        for (index, part) in [parts[0], ad, parts[1]].enumerated() {
            let hevc = scratch.name("ts")
            try Tool.ffmpeg([
                "-i", part, "-map", "0:v", "-c:v", "libx265", "-preset", "ultrafast", "-x265-params",
                "keyint=30:open-gop=0:log-level=error", hevc,
            ])
            try film.addPacked("p\(index)", of: hevc)
        }
        let list = try film.source(in: scratch)
        let range = RangeRequest(start: .time(Time(1, 2)), end: .time(Time(26, 4)))
        let (file, result) = try export(list, range)
        #expect(result.render == .smart && result.tracks.first?.framesCopied ?? 0 >= 90, "\(result.tracks)")
        #expect(result.warnings.map(\.code) == [.shapeChanged], "\(result.warnings)")
        let made = try Comparison(list, try scratch.source(file), range).run(picture: nil)
        #expect(made.exact, "\(made.findings)")
    }

    /// Behind an advertisement the film is copied whole, as by a playlist without it.
    @Test func theFilmBehindAnAdvertisement() throws {
        let (list, _) = try film(.before)
        let range = RangeRequest(start: .time(Time(3, 2)), end: .time(Time(7, 2)))
        let (_, result) = try export(list, range)
        #expect(result.warnings.isEmpty, "\(result.warnings)")
        #expect(result.tracks.allSatisfy { $0.way != .encode }, "\(result.tracks)")
    }
}

extension Substring {
    fileprivate var trimmed: String { filter { $0 != " " } }
}
