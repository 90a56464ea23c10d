// The head of a Matroska file, changed after it was written: delays, durations, and the index before the media. Checked with
// mkvmerge and ffmpeg.
import FoundationEssentials
import Libav
import Media
import MediaTime
import Testing

@testable import Render
@testable import Source

@Suite(.timeLimit(.minutes(10))) struct MatroskaEditTests {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func film(_ type: String = "mkv", room: Int = 0) throws -> String {
        let codecs =
            type == "webm"
            ? ["-c:v", "libvpx", "-g", "25", "-deadline", "realtime", "-cpu-used", "8", "-c:a", "libopus"]
            : Film.h264() + ["-c:a", "aac"]
        return try Film(
            name: "", type: type,
            words: Film.video(size: "96x64", seconds: "4") + Film.noise(48_000, seconds: "4") + codecs
                + ["-metadata", "title=A film", "-metadata_header_padding", "\(room)"]
        ).make(in: scratch)
    }

    private func edit(_ file: String, _ change: (inout MatroskaEdit) -> Void) throws {
        let descriptor = try scratch.existing(file)
        var edit = try #require(MatroskaEdit(SourceFile(descriptor: descriptor, name: "o")))
        change(&edit)
        try edit.write()
    }

    /// The elements of a segment in their order, by mkvinfo.
    private func order(_ file: String) throws -> [String] {
        let lines = try Tool.output(["mkvinfo", "--continue", file]).split(separator: "\n")
        return lines.filter { $0.hasPrefix("|+ ") }.map { String($0.dropFirst(3)) }
    }

    private func sums(_ file: String) throws -> String {
        String(
            decoding: try Tool.ffmpeg(["-i", file, "-map", "0", "-c", "copy", "-f", "framemd5", "-"]),
            as: UTF8.self)
    }

    private func expectWhole(_ file: String, like old: String) throws {
        #expect(try sums(file) == old)
        let mkvInfo = try Tool.output(["mkvmerge", "-J", file])
        #expect(mkvInfo.contains("\"errors\": []") && mkvInfo.contains("\"warnings\": []"))
        #expect(try MatroskaWalk(file).faults() == [])
    }

    /// The frames from which a player continues at some times, by the index.
    private func sought(_ file: String) throws -> [String] {
        try ["0.5", "1", "1.7", "2", "3.2", "3.9"].map { time in
            let sums = try Tool.ffmpeg([
                "-ss", time, "-i", file, "-map", "0:v", "-frames:v", "2", "-copyts", "-f", "framemd5", "-",
            ])
            return String(decoding: sums, as: UTF8.self)
        }
    }

    /// With room for it, and without, so that the clusters move.
    @Test(arguments: [
        (0, "mkv"), (2, "mkv"), (9, "mkv"), (2048, "mkv"), (100_000, "mkv"), (0, "webm"), (2048, "webm"),
    ])
    func theIndexComesBeforeTheMedia(_ room: Int, _ type: String) throws {
        let file = try film(type, room: room)
        let (before, found) = (try sums(file), try sought(file))
        let points = try MatroskaWalk(file).points()
        try #require(order(file).last?.hasPrefix("Cues") == true && points > 2)
        try edit(file) { $0.putsIndexFirst = true }
        #expect(try MatroskaWalk(file).points() == points)
        let parts = try order(file)
        let cues = try #require(parts.firstIndex { $0.hasPrefix("Cues") })
        let cluster = try #require(parts.firstIndex { $0.hasPrefix("Cluster") })
        #expect(cues < cluster)
        #expect(parts.last?.hasPrefix("Cues") == false)
        try expectWhole(file, like: before)
        #expect(try sought(file) == found)
    }

    /// The move makes the offsets in the index longer numbers, which moves the clusters further.
    @Test(arguments: [(200, 41), (5, 16_300)]) func theIndexFindsItsClustersWhereItsNumbersGrow(
        _ clusters: Int, _ size: Int
    ) throws {
        // From some clusters before a power of 256 to some behind it.
        for fill in [0, 2, 3, 60, 61, 62, 63, 64, 120, 121, 122, 123, 124, 125, 126, 127, 128] {
            let file = scratch.name("mkv")
            try Data(HandmadeMatroska(clusters: clusters, size: size, fill: fill).bytes).write(
                to: URL(filePath: file))
            try #require(MatroskaWalk(file).faults() == [])
            try edit(file) { $0.putsIndexFirst = true }
            let walk = try MatroskaWalk(file)
            #expect(walk.hasIndexFirst)
            #expect(try walk.faults() == [], "\(fill)")
            #expect(try walk.points() == clusters)
        }
    }

    @Test func anIndexThatLeadsElsewhereIsSeen() throws {
        var handmade = HandmadeMatroska(clusters: 3, size: 50, fill: 0)
        handmade.isWrong = true
        let file = scratch.name("mkv")
        try Data(handmade.bytes).write(to: URL(filePath: file))
        #expect(try MatroskaWalk(file).faults().count == 3)
    }

    @Test(arguments: [0, 64]) func aDelayIsSaidAndTheIndexStillLeadsToItsClusters(_ room: Int) throws {
        let file = try film(room: room)
        // Since FFmpeg 6 its muxer writes one.
        try edit(file) { $0.setCodecDelay(0, of: 1) }
        let before = try sums(file)
        try edit(file) {
            $0.setCodecDelay(300_000_000_000, of: 1)
            $0.setLength(Time(3999, 1000))
            $0.setLength(Time(3998, 1000), of: 1)
        }
        let mkvInfo = try Tool.output(["mkvmerge", "-J", file])
        #expect(mkvInfo.contains("\"codec_delay\": 300000000000"))
        #expect(try Tool.output(["mkvinfo", file]).contains("Duration: 00:00:03.999"))
        #expect(
            try Carried.of(file).streams("audio").first?.tags?["DURATION"]?.hasPrefix("00:00:03.998") == true)
        try edit(file) { $0.setCodecDelay(1, of: 1) }
        #expect(try Tool.output(["mkvmerge", "-J", file]).contains("\"codec_delay\": 1,"))
        try edit(file) { $0.setCodecDelay(0, of: 1) }
        // Only the packets' times follow the delay.
        try expectWhole(file, like: before)
    }

    @Test func whatIsNoMatroskaIsLeftAlone() throws {
        let other = scratch.name("mkv")
        try Data((0..<5000).map { UInt8(truncatingIfNeeded: $0) }).write(to: URL(filePath: other))
        #expect(MatroskaEdit(try scratch.source(other)) == nil)
        #expect(MatroskaEdit(try scratch.source(bytes: [])) == nil)
        let file = try film()
        let whole = [UInt8](try Data(contentsOf: URL(filePath: file)))
        let cluster = try #require(
            whole.indices.first { Array(whole[$0...].prefix(4)) == [0x1F, 0x43, 0xB6, 0x75] })
        for count in stride(from: 0, to: cluster, by: 7) {
            #expect(MatroskaEdit(try scratch.source(bytes: Array(whole.prefix(count)))) == nil)
        }
    }

    @Test(arguments: [0, 1, 126, 127, 128, 16_382, 16_383, 2_097_151, 300_000_000])
    func lengthsAreWrittenAsTheyAreRead(_ count: Int) throws {
        for isLong in [false, true] {
            let size = MatroskaElement.size(count, isLong: isLong)
            let head = try #require(MatroskaElement.Head(([0xEC] + size + [0])[...]))
            #expect(head.size == Int64(count))
            #expect(head.length == 1 + size.count)
        }
        #expect(MatroskaElement([0xEC], number: UInt64(count)).number == UInt64(count))
        if count >= 2, count < 1 << 20 { #expect(MatroskaElement(void: count)?.bytes.count == count) }
    }

    /// The check value of CRC-32.
    @Test func theChecksumIsThatOfTheStandard() {
        #expect(MatroskaElement.checksum(of: Array("123456789".utf8)) == 0xCBF4_3926)
    }

    @Test(arguments: ["mkv", "webm"]) func anOptimizedExportHasItsIndexInFront(_ type: String) throws {
        let input = try film(type)
        let made = try export(
            input, "passthrough", start: Time(1, 2), end: Time(3, 1), in: scratch, type: type
        ) {
            $0.render = .auto
            $0.output.name = "o.\(type)"
            $0.options = ExportOptions()
            $0.options?.optimize = true
        }
        let parts = try order(made.file)
        let cues = try #require(parts.firstIndex { $0.hasPrefix("Cues") })
        #expect(cues < (try #require(parts.firstIndex { $0.hasPrefix("Cluster") })))
        #expect(try MatroskaWalk(made.file).faults() == [])
        try verify(made, in: scratch)
    }
}
