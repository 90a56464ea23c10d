// Facts of Matroska that FFmpeg does not report: encrypted tracks, and truncated files.
import FoundationEssentials
import Libav
import Media
import MediaTime
import Testing

@testable import Export
@testable import Source

struct MatroskaElementsTests {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func webM(encrypted: Bool = false, open: Bool = false) -> [UInt8] {
        HandmadeWebM(isEncrypted: encrypted, isOpen: open).bytes
    }

    @Test func encryptedTracksAreSeen() throws {
        for (isEncrypted, bytes) in [(false, webM()), (true, webM(encrypted: true))] {
            let elements = try #require(MatroskaElements(try scratch.source(bytes: bytes)))
            #expect(elements.isEncrypted == [isEncrypted])
            let asset = try Probe.asset(of: try scratch.source(bytes: bytes, name: "a.webm"))
            #expect(asset.tracks.map(\.isProtected) == [isEncrypted])
            #expect(asset.faults.contains { $0.code == .encrypted } == isEncrypted)
        }
    }

    /// As with movies whose samples are encrypted: refused, whatever is asked for.
    @Test(arguments: ["m4v720", "passthrough", "vp9-720", "hevc1080"]) func nothingEncryptedIsExported(
        _ preset: String
    ) throws {
        let file = scratch.name("webm")
        try Data(webM(encrypted: true)).write(to: URL(filePath: file))
        let error = try refusal(file, preset, in: scratch) { $0.render = .auto }
        #expect(error.code == .contentIsProtected && error.code.exitCode == 7)
    }

    /// Where the segment's size is known, and where only its clusters' are.
    @Test(arguments: [false, true]) func aFileThatBreaksOffIsSeen(_ open: Bool) throws {
        let whole = webM(open: open)
        for left in [0, 1, 40, 300] {
            let source = try scratch.source(bytes: whole.dropLast(left), name: "a.webm")
            let elements = try #require(MatroskaElements(source))
            #expect(elements.end == Int64(whole.count))
            let fault = try Probe.asset(of: source).faults.first { $0.code == .truncated }
            #expect((fault != nil) == (left > 0), "\(left)")
        }
    }

    @Test func whatIsNoMatroskaIsNone() throws {
        let whole = webM()
        for bytes in [
            [], [0x1A], Array(whole.prefix(10)), [UInt8](repeating: 255, count: 100),
            [UInt8](repeating: 0, count: 100),
        ] {
            #expect(MatroskaElements(try scratch.source(bytes: bytes)) == nil)
        }
        // Sizes beyond all that there is.
        var random = Seeded(3)
        for _ in 0..<500 {
            var bytes = whole
            for _ in 0..<3 {
                bytes[Int.random(in: 0..<200, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            _ = MatroskaElements(try scratch.source(bytes: bytes))
        }
    }

    @Test(arguments: [[], ["-live", "1"]]) func whatThereIsOfAFileIsExported(_ words: [String]) throws {
        let whole = try Film(
            name: "", type: "mkv",
            words: Film.video(seconds: "8") + Film.noise(48_000, seconds: "8") + Film.h264() + [
                "-c:a", "aac",
            ]
                + words
        ).make(in: scratch)
        let bytes = try Data(contentsOf: URL(filePath: whole))
        let file = scratch.name("mkv")
        try bytes.prefix(bytes.count * 6 / 10).write(to: URL(filePath: file))
        let there = try #require(try Truth(file).frames().last).time
        try #require(there > Time(3, 1) && there < Time(6, 1))
        for preset in ["m4v720", "passthrough"] {
            func cut(to end: Time?, strict: Bool) throws -> Made {
                try export(
                    file, preset, start: Time(1, 1), end: end, in: scratch,
                    type: preset == "m4v720" ? "m4v" : "mkv"
                ) {
                    $0.strict = strict
                    $0.render = .auto
                    $0.output.name = preset == "m4v720" ? "out.m4v" : "out.mkv"
                }
            }
            for end in [nil, Time(7, 1)] {
                let made = try cut(to: end, strict: false)
                let note = try #require(made.result.warnings.first { $0.code == .truncated })
                #expect(
                    try #require(note.time) > there - Time(1, 10) && note.time ?? .zero < there + Time(1, 5))
                #expect(try Truth(made.file).frames().count > 50)
                try verify(made, in: scratch)
                let error = try #require(throws: MediaError.self) { _ = try cut(to: end, strict: true) }
                #expect(error.code == .damagedMedia, "\(error)")
            }
            // The missing part lies behind the range.
            let made = try cut(to: Time(2, 1), strict: true)
            #expect(25...26 ~= (try Truth(made.file).frames().count))
        }
    }
}
