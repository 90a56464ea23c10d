// Playlists whose timestamps, headers or parameters begin anew: what they show is what the same film shows as one file.
import Export
import FoundationEssentials
import Libav
import Media
import MediaTime
import Testing

@testable import Source

@Suite(.timeLimit(.minutes(10))) struct PlaylistJoinTests {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private static let span = RangeRequest(start: .time(Time(33, 20)), end: .time(Time(87, 20)))

    private func export(
        _ source: SourceFile, _ render: RenderMode, _ presetID: String? = nil,
        _ range: RangeRequest? = PlaylistJoinTests.span
    ) throws -> (file: String, result: ExportResult) {
        try scratch.export(source, preset: presetID ?? (render == .encode ? "640x480" : "passthrough")) {
            $0.render = render
            if presetID == "hevc1080" {
                $0.options = ExportOptions()
                $0.options?.reproducible = true
            }
            if let range { $0.range = range }
        }
    }

    /// The times and sums of all decoded frames or samples of a kind.
    private func sums(_ file: String, _ kind: String) throws -> [Substring] {
        try FrameSums.lines(of: file, kind)
    }

    private func expectSame(_ list: SourceFile, as whole: SourceFile, _ renders: [RenderMode]) throws {
        for render in renders {
            // Without x264: its bytes depend on what its process did before.
            let id = render == .encode ? "hevc1080" : nil
            let (a, b) = (try export(list, render, id), try export(whole, render, id))
            for kind in ["v", "a"] {
                let (one, other) = (try sums(a.file, kind), try sums(b.file, kind))
                #expect(one == other && one.count > 50, "\(render) \(kind): \(one.count) and \(other.count)")
            }
            #expect(a.result.actual == b.result.actual)
            #expect(a.result.warnings.isEmpty, "\(a.result.warnings)")
        }
    }

    @Test func partsOfOneEncode() throws {
        let (parts, whole) = try PartedFilm.divided(in: scratch)
        var film = try PartedFilm(in: scratch)
        for (index, part) in parts.enumerated() { try film.addPacked("p\(index)", of: part) }
        let (list, one) = (try film.source(in: scratch), try scratch.source(whole))
        let (a, b) = (try Probe.asset(of: list), try Probe.asset(of: one))
        #expect(a.start == b.start)
        #expect(a.tracks.map(\.start) == b.tracks.map(\.start))
        #expect(a.mainVideo?.duration == b.mainVideo?.duration)
        try expectSame(list, as: one, [.copy, .smart, .encode])
    }

    /// The timestamps of the first part, which is listed as ranges of bytes, wrap within it.
    @Test func timestampsThatWrap() throws {
        let (parts, whole) = try PartedFilm.divided(in: scratch, at: "3")
        var film = try PartedFilm(in: scratch)
        let late = film.folder + "/late.ts"
        try Tool.ffmpeg(["-i", parts[0], "-c", "copy", "-output_ts_offset", "95440.9", late])
        try FileManager.default.copyItem(atPath: parts[1], toPath: film.folder + "/p1.ts")
        let packets = try Data(contentsOf: URL(filePath: late)).count / 188
        for number in 0..<6 {
            let (first, next) = (packets * number / 6, packets * (number + 1) / 6)
            film.add("#EXT-X-BYTERANGE:\((next - first) * 188)@\(first * 188)", "#EXTINF:0.5,", "late.ts")
        }
        film.add("#EXT-X-DISCONTINUITY", "#EXTINF:3,", "p1.ts")
        try expectSame(try film.source(in: scratch), as: try scratch.source(whole), [.copy, .smart])
    }

    @Test func otherHeadersOfEqualParameters() throws {
        let (parts, whole) = try PartedFilm.divided(in: scratch)
        var film = try PartedFilm(in: scratch)
        for (index, part) in parts.enumerated() {
            try film.addPacked(
                "p\(index)", of: part, ["-bsf:a", "aac_adtstoasc", "-hls_segment_type", "fmp4"])
        }
        #expect(film.lines.count { $0.hasPrefix("#EXT-X-MAP") } == 3)
        let list = try film.source(in: scratch)
        // The edit list of each header counts milliseconds.
        for render in [RenderMode.copy, .smart] {
            let (a, b) = (try export(list, render), try export(try scratch.source(whole), render))
            #expect(try FrameSums.of(a.file) == FrameSums.of(b.file), "\(render)")
            let times = try [a.file, b.file].map(FrameSums.milliseconds)
            #expect(zip(times[0], times[1]).allSatisfy { abs($0 - $1) <= 1 })
        }
    }

    /// A film with an advertisement of another size, frame rate, sample rate and channel layout in it.
    private func mixed(_ packing: [String] = []) throws -> SourceFile {
        let (parts, _) = try PartedFilm.divided(in: scratch, at: "2")
        let ad = scratch.name("ts")
        try Tool.ffmpeg(
            Film.video("25", size: "320x240", seconds: "2") + Film.noise(44_100, seconds: "2") + Film.h264()
                + [
                    "-c:a", "aac", "-ac", "1", ad,
                ])
        var film = try PartedFilm(in: scratch)
        for (index, part) in [parts[0], ad, parts[1]].enumerated() {
            try film.addPacked("p\(index)", of: part, packing)
        }
        return try film.source(in: scratch)
    }

    @Test(arguments: [[], ["-bsf:a", "aac_adtstoasc", "-hls_segment_type", "fmp4"]])
    func otherParametersAreEncoded(_ packing: [String]) throws {
        let list = try mixed(packing)
        let asset = try Probe.asset(of: list)
        #expect(abs((asset.duration?.seconds ?? 0) - 8.1) < 0.15)
        let range = RangeRequest(start: .time(Time(1, 1)), end: .time(Time(5, 1)))
        let (file, result) = try export(list, .encode, "640x480", range)
        #expect(result.warnings.map(\.word).contains("shapeChanged"), "\(result.warnings)")
        #expect(result.render == .encode)
        let made = try Probe.asset(of: try scratch.source(file), properties: AssetProperty.allCases)
        #expect(made.mainVideo?.video?.width == 160)
        #expect(made.audioTracks.first?.audio?.sampleRate == 48_000)
        #expect(made.audioTracks.first?.duration == Time(4, 1))
        // A second of the film, the advertisement, and the film again.
        let shown = try FrameSums.milliseconds(of: file)
        #expect(abs(shown.count - (30 + 50 + 30)) <= 2, "\(shown.count)")
        #expect(zip(shown, shown.dropFirst()).allSatisfy { 1...150 ~= $1 - $0 })
        // A range within the advertisement has its format.
        let inside = RangeRequest(start: .time(Time(5, 2)), end: .time(Time(7, 2)))
        let other = try Probe.asset(of: try scratch.source(try export(list, .encode, "640x480", inside).file))
        #expect(other.mainVideo?.video?.width == 320)
        #expect(other.audioTracks.first?.audio?.sampleRate == 44_100)
        // Copies end at the change.
        let error = try #require(throws: MediaError.self) { try export(list, .copy, nil, range) }
        #expect(error.code == .presetNotValid && error.message.contains("00:00:02."), "\(error)")
        let within = RangeRequest(start: .time(Time(5, 2)), end: .time(Time(3, 1)))
        #expect(try export(list, .smart, nil, within).result.render != .encode)
        let before = RangeRequest(start: .time(Time(1, 2)), end: .time(Time(3, 2)))
        #expect(try export(list, .smart, nil, before).result.render != .encode)
        let after = RangeRequest(start: .time(Time(9, 2)), end: .time(Time(11, 2)))
        #expect(try FrameSums.milliseconds(of: try export(list, .smart, nil, after).file).count >= 30)
    }

    @Test func aPartWithoutSound() throws {
        let (parts, _) = try PartedFilm.divided(in: scratch)
        var film = try PartedFilm(in: scratch)
        try film.addPacked("p0", of: parts[0])
        let silent = scratch.name("ts")
        try Tool.ffmpeg(["-i", parts[1], "-map", "0:v", "-c", "copy", silent])
        try film.addPacked("p1", of: silent)
        try film.addPacked("p2", of: parts[2])
        let (file, result) = try export(try film.source(in: scratch), .encode)
        #expect(result.warnings.map(\.word) == ["gap"], "\(result.warnings)")
        #expect(result.warnings.first?.track == 1)
        let made = try Probe.asset(of: try scratch.source(file))
        #expect(made.audioTracks.first?.duration == Time(27, 10))
        #expect(abs(try FrameSums.milliseconds(of: file).count - 81) <= 1)
    }

    @Test func thousandsOfDiscontinuities() throws {
        var film = try PartedFilm(in: scratch)
        try film.addPart(
            "x", Film.video(seconds: "1") + Film.noise(48_000, seconds: "1") + Film.h264() + ["-c:a", "aac"])
        for _ in 1..<3000 { film.add("#EXT-X-DISCONTINUITY", "#EXTINF:1,", "x.ts") }
        let began = ContinuousClock.now
        let list = try film.source(in: scratch)
        let asset = try Probe.asset(of: list)
        #expect((asset.duration?.seconds ?? 0) >= 3000)
        let range = RangeRequest(start: .time(Time(2000, 1)), end: .time(Time(2003, 1)))
        let made = try export(list, .smart, nil, range).file
        #expect(try abs(FrameSums.milliseconds(of: made).count - 74) <= 3)
        #expect(ContinuousClock.now - began < .seconds(60))
    }

    @Test func partsThatAreHardToPlace() throws {
        let (parts, _) = try PartedFilm.divided(in: scratch)
        var film = try PartedFilm(in: scratch)
        // Timestamps that go back within a part, and a part that has nothing to show.
        let back = try [parts[2], parts[0]].reduce(into: Data()) {
            $0 += try Data(contentsOf: URL(filePath: $1))
        }
        try back.write(to: URL(filePath: film.folder + "/back.ts"))
        let head = try Data(contentsOf: URL(filePath: parts[1])).prefix(188 * 3)
        try head.write(to: URL(filePath: film.folder + "/empty.ts"))
        film.add("#EXTINF:4,", "back.ts", "#EXT-X-DISCONTINUITY", "#EXTINF:3,", "empty.ts")
        try film.addPacked("p1", of: parts[1])
        let list = try film.source(in: scratch)
        let asset = try Probe.asset(of: list)
        #expect((asset.duration?.seconds ?? 0) > 5)
        #expect(asset.faults.map(\.code).contains(.gap), "\(asset.faults)")
    }

    @Test func anotherCodecIsRefusedWithItsPlace() throws {
        var film = try PartedFilm(in: scratch)
        try film.addPart("a", Film.video(seconds: "1") + Film.h264())
        try film.addPart("b", Film.video(seconds: "1") + ["-c:v", "mpeg2video"])
        let error = try #require(throws: MediaError.self) { try film.source(in: scratch) }
        #expect(error.code == .playlist && error.code.exitCode == 7)
        for word in ["line 7", "mpeg2video", "h264", "00:00:02.000"] {
            #expect(error.message.contains(word), "\(error)")
        }
    }
}
