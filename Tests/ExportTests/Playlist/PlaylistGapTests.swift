// Playlists whose media are missing on purpose: time passes, at the beginning, within and at the end, in the film and in its alternative
// audio.
import Check
import FoundationEssentials
import Libav
import Media
import MediaTime
import Testing

@testable import Source

@Suite(.timeLimit(.minutes(10))) struct PlaylistGapTests {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    /// A film of six seconds in segments of one, and the same as one file.
    private func film(gaps: Set<Int>) throws -> (list: SourceFile, whole: SourceFile) {
        let film = scratch.name("mp4"), whole = scratch.name("ts")
        try Tool.ffmpeg(
            Film.video("30", seconds: "6") + Film.noise(48_000, seconds: "6") + Film.h264()
                + ["-c:a", "aac", "-aac_pns", "0", film])
        try Tool.ffmpeg(["-i", film, "-c", "copy", whole])
        var parts = try PartedFilm(in: scratch)
        try parts.addPacked("x", of: film)
        var gapped = try PartedFilm(in: scratch)
        try take(parts.lines, of: parts.folder, to: &gapped, gaps: gaps)
        return (try gapped.source(in: scratch), try scratch.source(whole))
    }

    /// Takes the segments of a playlist, but for some.
    private func take(_ lines: [String], of folder: String, to film: inout PartedFilm, gaps: Set<Int>) throws
    {
        var number = 0
        for line in lines {
            if !line.hasPrefix("#") {
                defer { number += 1 }
                film.add(line)
                guard !gaps.contains(number) else { continue }
                try FileManager.default.copyItem(
                    atPath: "\(folder)/\(line)", toPath: "\(film.folder)/\(line)")
                continue
            }
            if gaps.contains(number) { film.add("#EXT-X-GAP") }
            film.add(line)
        }
    }

    private func export(
        _ source: SourceFile, _ render: RenderMode, _ range: RangeRequest?, _ type: String = "mp4"
    ) throws -> (file: String, result: ExportResult) {
        let id = render == .encode ? (type == "m4a" ? "m4a" : "640x480") : "passthrough"
        return try scratch.export(source, to: type, preset: id) {
            $0.render = render
            if let range { $0.range = range }
        }
    }

    /// The sums of all decoded frames or samples of a kind.
    private func sums(_ file: String, _ kind: String) throws -> [Substring] {
        try FrameSums.lines(of: file, kind).compactMap { $0.split(separator: ",").last }
    }

    private func compare(_ source: SourceFile, _ file: String, _ range: RangeRequest) throws {
        let report = try Comparison(source, try scratch.source(file), range).run(picture: nil)
        #expect(report.exact, "\(report.findings)")
    }

    @Test(arguments: [RenderMode.copy, .smart, .encode]) func timePassesAtBothEnds(_ render: RenderMode)
        throws
    {
        let (list, whole) = try film(gaps: [0, 5])
        let (a, b) = (try Probe.asset(of: list), try Probe.asset(of: whole))
        #expect(a.faults.count { $0.code == .gap } == 2, "\(a.faults)")
        // The playlist rounds to packets of audio.
        #expect(abs((a.start - b.start).seconds) < 0.1)
        #expect(abs(((a.duration ?? .zero) - (b.duration ?? .zero)).seconds) < 0.1)
        #expect(a.mainVideo?.start == .zero)
        let range = RangeRequest(start: .time(Time(3, 10)), end: .time(Time(57, 10)))
        let made = try export(list, render, range)
        #expect(made.result.warnings.map(\.word) == ["gap"] || made.result.warnings.count == 2)
        #expect(made.result.warnings.first?.code == .gap)
        let file = try Probe.asset(of: try scratch.source(made.file))
        #expect(file.mainVideo?.duration == Time(54, 10) && file.mainVideo?.start == .zero)
        // Encoded audio begins with silence.
        #expect(render == .encode || (file.audioTracks.first?.start ?? .zero) > Time(6, 10))
        try compare(list, made.file, range)
    }

    /// Between the gaps the film is what it is as one file.
    @Test func nothingMovesBesideThem() throws {
        let (list, whole) = try film(gaps: [0, 5])
        let late = try Probe.asset(of: whole).start - Probe.asset(of: list).start
        func range(_ shift: Time) -> RangeRequest {
            RangeRequest(start: .time(Time(16, 10) + shift), end: .time(Time(44, 10) + shift))
        }
        for render in [RenderMode.copy, .smart] {
            let (a, b) = (try export(list, render, range(late)), try export(whole, render, range(.zero)))
            #expect(a.result.warnings.isEmpty, "\(a.result.warnings)")
            for kind in ["v", "a"] {
                let (one, other) = (try sums(a.file, kind), try sums(b.file, kind))
                // A frame before the first gap makes the rate variable, and the few encoded ones others.
                let encoded = kind == "v" ? Int(a.result.tracks.first?.framesEncoded ?? 0) : 0
                let different = zip(one, other).count { $0 != $1 }
                #expect(one.count == other.count && one.count > 50 && encoded < 30)
                #expect(different <= encoded, "\(render) \(kind): \(different) of \(one.count)")
            }
            #expect(try FrameSums.milliseconds(of: a.file) == FrameSums.milliseconds(of: b.file))
        }
    }

    @Test(arguments: [RenderMode.copy, .encode]) func audioAlone(_ render: RenderMode) throws {
        let sound = scratch.name("ts")
        try Tool.ffmpeg(Film.noise(48_000, seconds: "6") + ["-c:a", "aac", "-aac_pns", "0", sound])
        var parts = try PartedFilm(in: scratch)
        try parts.addPacked("x", of: sound)
        var gapped = try PartedFilm(in: scratch)
        try take(parts.lines, of: parts.folder, to: &gapped, gaps: [0])
        let list = try gapped.source(in: scratch)
        let range = RangeRequest(start: .time(Time(1, 2)), end: .time(Time(4, 1)))
        let made = try export(list, render, range, "m4a")
        #expect(made.result.warnings.map(\.code) == [.gap])
        try compare(list, made.file, range)
    }

    /// The output is as long as the playlist, as that of a film is whose last frame is held.
    @Test(arguments: [RenderMode.copy, .encode], [true, false])
    func audioAloneThatEndsEarlier(_ render: RenderMode, _ isAtEnd: Bool) throws {
        let sound = scratch.name("ts")
        try Tool.ffmpeg(Film.noise(48_000, seconds: "6") + ["-c:a", "aac", "-aac_pns", "0", sound])
        var parts = try PartedFilm(in: scratch)
        try parts.addPacked("x", of: sound)
        var gapped = try PartedFilm(in: scratch)
        // The last segment has the last packet alone.
        try take(parts.lines, of: parts.folder, to: &gapped, gaps: isAtEnd ? [4, 5, 6] : [4, 5])
        let (list, whole) = (try gapped.source(in: scratch), try scratch.source(sound))
        let (asset, full) = (try Probe.asset(of: list), try Probe.asset(of: whole))
        let duration = try #require(asset.duration)
        #expect(abs((duration - (full.duration ?? .zero)).seconds) < 0.4, "\(duration.seconds)")
        #expect(asset.audioTracks.first?.duration == duration)
        for end in [Time(11, 2), nil] {
            let range = RangeRequest(start: .time(Time(1, 2)), end: end.map { .time($0) })
            let made = try export(list, render, range, "m4a")
            #expect(made.result.warnings.map(\.code) == [.gap], "\(made.result.warnings)")
            let file = try Probe.asset(of: try scratch.source(made.file))
            let wanted = (end ?? duration) - Time(1, 2)
            let length = file.audioTracks.first?.duration ?? .zero
            #expect(
                abs((length - wanted).seconds) < 0.0001, "\(render): \(length.seconds), \(wanted.seconds)")
            try compare(list, made.file, range)
        }
    }

    /// Alternative audio whose parts have several sample rates, and in which a segment is missing.
    @Test func alternativeAudio() throws {
        var (film, audio) = (try PartedFilm(in: scratch), try PartedFilm(in: scratch))
        for (number, rate) in [48_000, 44_100, 48_000].enumerated() {
            let (video, sound) = (scratch.name("ts"), scratch.name("ts"))
            try Tool.ffmpeg(Film.video("30", seconds: "2") + Film.h264() + [video])
            try Tool.ffmpeg(
                Film.noise(rate, seconds: "2") + ["-c:a", "aac", "-ac", rate == 48_000 ? "2" : "1", sound])
            try film.addPacked("v\(number)", of: video)
            try audio.addPacked("a\(number)", of: sound)
        }
        let lost = try #require(audio.lines.firstIndex(of: "a2-0.ts"))
        for name in audio.lines where !name.hasPrefix("#") && name != "a2-0.ts" {
            try FileManager.default.copyItem(
                atPath: "\(audio.folder)/\(name)", toPath: "\(film.folder)/\(name)")
        }
        var lines = audio.lines
        lines.insert("#EXT-X-GAP", at: lost)
        for (name, lines) in [("v", film.lines), ("a", lines)] {
            let all = ["#EXTM3U", "#EXT-X-TARGETDURATION:4"] + lines + ["#EXT-X-ENDLIST", ""]
            try Data(all.joined(separator: "\n").utf8).write(to: URL(filePath: "\(film.folder)/\(name).m3u8"))
        }
        let master = film.folder + "/master.m3u8"
        try Data(
            """
            #EXTM3U
            #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",NAME="x",DEFAULT=YES,URI="a.m3u8"
            #EXT-X-STREAM-INF:BANDWIDTH=1,AUDIO="a"
            v.m3u8

            """.utf8
        ).write(to: URL(filePath: master))
        let list = try #require(try PlaylistSource(try scratch.source(master), FolderFiles(film.folder))).file
        let asset = try Probe.asset(of: list)
        #expect(asset.faults.filter { $0.code == .gap }.map(\.track) == [1], "\(asset.faults)")
        let range = RangeRequest(start: .time(Time(1, 2)), end: .time(Time(11, 2)))
        for render in [RenderMode.smart, .encode] {
            let made = try export(list, render, range)
            #expect(
                made.result.warnings.contains { $0.code == .gap && $0.track == 1 }, "\(made.result.warnings)")
            try compare(list, made.file, range)
        }
    }

    @Test func timePassesInAGap() throws {
        let (parts, whole) = try PartedFilm.divided(in: scratch, at: "5")
        var film = try PartedFilm(in: scratch)
        try film.addPacked("p0", of: parts[0])
        let lost = try #require(film.lines.firstIndex { $0 == "p0-2.ts" })
        var gapped = try PartedFilm(in: scratch)
        for (index, line) in film.lines.enumerated() {
            if index == lost { gapped.add("#EXT-X-GAP") }
            gapped.add(line)
        }
        for number in 0..<5 where number != 2 {
            try FileManager.default.copyItem(
                atPath: "\(film.folder)/p0-\(number).ts", toPath: "\(gapped.folder)/p0-\(number).ts")
        }
        let list = try gapped.source(in: scratch)
        #expect(try Probe.asset(of: list).faults.map(\.code).contains(.gap))
        for render in [RenderMode.smart, .encode] {
            let (a, b) = (
                try export(list, render, PlaylistGapTests.span),
                try export(try scratch.source(whole), render, PlaylistGapTests.span)
            )
            #expect(a.result.warnings.map(\.word) == ["gap"], "\(a.result.warnings)")
            let (kept, all) = (try FrameSums.milliseconds(of: a.file), try FrameSums.milliseconds(of: b.file))
            #expect(kept == all.filter { $0 < 368 || $0 >= 1368 }, "\(render): \(kept.count) of \(all.count)")
            let ends = try [a.file, b.file].map { try Probe.asset(of: try scratch.source($0)).duration }
            #expect(ends[0] == ends[1])
        }
        let beside = RangeRequest(start: .time(Time(13, 4)), end: .time(Time(19, 4)))
        #expect(try export(list, .smart, beside).result.warnings.isEmpty)
    }

    private static let span = RangeRequest(start: .time(Time(33, 20)), end: .time(Time(87, 20)))
}
