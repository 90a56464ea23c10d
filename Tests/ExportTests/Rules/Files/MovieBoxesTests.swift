// The movie box as it stands in a file: read right where it is right, and never a trap where it is not.
import Glibc
import Libav
import Media
import Testing

@testable import Export
@testable import Source

struct MovieBoxesTests {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func number(_ value: some FixedWidthInteger) -> [UInt8] {
        (0..<value.bitWidth / 8).reversed().map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
    }

    private func box(_ name: String, _ parts: [UInt8]...) -> [UInt8] {
        let body = parts.flatMap(\.self)
        return number(UInt32(body.count + 8)) + Array(name.utf8) + body
    }

    /// A header of version 0 or 1, with its timescale.
    private func header(_ name: String, _ timescale: UInt32, isWide: Bool = false) -> [UInt8] {
        let times = [UInt8](repeating: 0, count: isWide ? 16 : 8)
        return box(
            name, [isWide ? 1 : 0, 0, 0, 0], times, number(timescale), [UInt8](repeating: 0, count: 12))
    }

    private func edits(_ entries: [(UInt64, Int64)], isWide: Bool) -> [UInt8] {
        box(
            "edts",
            box(
                "elst", [isWide ? 1 : 0, 0, 0, 0], number(UInt32(entries.count)),
                entries.flatMap { duration, time in
                    (isWide
                        ? number(duration) + number(time) : number(UInt32(duration)) + number(Int32(time)))
                        + number(Int32(65_536))
                }))
    }

    private func track(_ timescale: UInt32, edits: [UInt8] = [], entry: String = "avc1", isWide: Bool = false)
        -> [UInt8]
    {
        let samples = box(
            "stsd", [0, 0, 0, 0], number(UInt32(1)), box(entry, [UInt8](repeating: 0, count: 70)))
        let media = box("mdia", header("mdhd", timescale, isWide: isWide), box("minf", box("stbl", samples)))
        return box("trak", edits, media)
    }

    private func movie(isWide: Bool = false, more: [UInt8] = []) -> [UInt8] {
        box(
            "moov", header("mvhd", 600, isWide: isWide),
            track(
                48_000, edits: edits([(300, -1), (6000, 1024)], isWide: isWide), entry: "mp4a", isWide: isWide
            ),
            track(12_800, isWide: isWide), more)
    }

    private let start = [0, 0, 0, 16] + Array("ftypisom".utf8) + [0, 0, 2, 0]

    @Test(arguments: [false, true]) func theFactsAreRead(_ isWide: Bool) throws {
        let file = start + box("mdat", [UInt8](repeating: 7, count: 100)) + movie(isWide: isWide)
        let boxes = try #require(MovieBoxes(try scratch.source(bytes: file)))
        #expect(boxes.movieTimescale == 600)
        #expect(!boxes.isProtected)
        #expect(boxes.tracks.map(\.mediaTimescale) == [48_000, 12_800])
        #expect(boxes.tracks[0].edits.map(\.duration) == [300, 6000])
        #expect(boxes.tracks[0].edits.map(\.mediaTime) == [-1, 1024])
        #expect(boxes.tracks[0].edits.map(\.rateFixed) == [65_536, 65_536])
        #expect(boxes.tracks[1].edits.isEmpty)
    }

    @Test func aBoxMayHaveALongSizeOrGoToTheEnd() throws {
        let body = [UInt8](repeating: 7, count: 100)
        let long = number(UInt32(1)) + Array("mdat".utf8) + number(UInt64(116)) + body
        #expect(MovieBoxes(try scratch.source(bytes: start + long + movie()))?.tracks.count == 2)
        var open = movie()
        open.replaceSubrange(0..<4, with: [0, 0, 0, 0])
        #expect(MovieBoxes(try scratch.source(bytes: start + open))?.tracks.count == 2)
        let whole = movie()
        let wide =
            number(UInt32(1)) + Array("moov".utf8) + number(UInt64(whole.count + 8)) + whole.dropFirst(8)
        #expect(MovieBoxes(try scratch.source(bytes: start + wide))?.tracks.count == 2)
    }

    /// Width, height and offsets of the centre, each as numerator and denominator.
    private func aperture(_ numbers: [Int32]) throws -> MovieBoxes.Aperture? {
        let entry = box("avc1", [UInt8](repeating: 0, count: 78), box("clap", numbers.flatMap { number($0) }))
        let samples = box("stsd", [0, 0, 0, 0], number(UInt32(1)), entry)
        let film = box("trak", box("mdia", box("minf", box("stbl", samples))))
        let boxes = try #require(MovieBoxes(try scratch.source(bytes: start + box("moov", film))))
        return try #require(boxes.tracks.first).aperture
    }

    @Test func theCleanApertureIsRead() throws {
        let found = try #require(try aperture([1408, 2, 576, 1, -9, 2, 3, 1]))
        #expect(found == MovieBoxes.Aperture(width: 704, height: 576, right: -4.5, down: 3))
        #expect(try aperture([704, 0, 576, 1, 0, 1, 0, 1]) == nil)
        #expect(try aperture([704, -1, 576, 1, 0, 1, 0, 1]) == nil)
        #expect(try aperture([0, 1, 576, 1, 0, 1, 0, 1]) == nil)
        #expect(try aperture([704, 1, 576, 1, 0, 1, 0]) == nil)
    }

    @Test func anApertureLiesWithinItsFrame() {
        func crop(_ width: Double, _ height: Double, _ right: Double = 0, _ down: Double = 0) -> VideoCrop? {
            Probe.crop(
                MovieBoxes.Aperture(width: width, height: height, right: right, down: down), width: 720,
                height: 576)
        }
        #expect(crop(704, 576) == VideoCrop(left: 8, top: 0, width: 704, height: 576))
        #expect(crop(702.9, 570, -8, 2.5) == VideoCrop(left: 1, top: 6, width: 703, height: 570))
        #expect(crop(720, 576) == nil)
        #expect(crop(720, 576, 1, 0) == nil)
        #expect(crop(704, 576, 9, 0) == nil)
        #expect(crop(704, 576, 0, -1) == nil)
        #expect(crop(721, 500) == nil)
        #expect(crop(704, 576, .infinity, 0) == nil)
    }

    @Test(arguments: ["encv", "enca", "drms", "drmi"]) func anEncryptedTrackIsNoticed(_ entry: String) throws
    {
        let file = start + movie(more: track(90_000, entry: entry))
        let boxes = try #require(MovieBoxes(try scratch.source(bytes: file)))
        #expect(boxes.isProtected)
        #expect(boxes.tracks.map(\.isProtected) == [false, false, true])
        #expect(!boxes.hasProtectionHeader)
    }

    @Test func aProtectionHeaderIsNoticed() throws {
        let file = start + movie(more: box("pssh", [UInt8](repeating: 0, count: 24)))
        #expect(MovieBoxes(try scratch.source(bytes: file))?.hasProtectionHeader == true)
    }

    @Test func whatHasNoMovieBoxHasNoFacts() throws {
        let none: [[UInt8]] = [
            [], [0], start, Array("not a movie at all".utf8), start + box("mdat", [1, 2, 3]),
            start + number(UInt32(7)) + Array("moov".utf8), number(UInt32(0)) + Array("mdat".utf8),
            number(UInt32(1)) + Array("moov".utf8) + number(UInt64.max),
            number(UInt32(1)) + Array("mdat".utf8) + number(UInt64(1) << 63) + [0],
            number(UInt32(1)) + Array("mdat".utf8) + number(UInt64(Int64.max)) + [0],
            number(UInt32(1)) + Array("mdat".utf8) + number(UInt64(0)) + [0],
        ]
        for bytes in none { #expect(MovieBoxes(try scratch.source(bytes: bytes)) == nil, "\(bytes)") }
    }

    @Test func aMovieThatBreaksOffGivesWhatIsThere() throws {
        let file = start + movie()
        for count in 0...file.count {
            guard let boxes = MovieBoxes(try Truncated(file, count, in: scratch).source) else { continue }
            #expect(boxes.tracks.count <= 2)
        }
        #expect(MovieBoxes(try Truncated(file, file.count, in: scratch).source)?.tracks.count == 2)
    }

    /// A file whose size is claimed in full while its bytes end early, as when it shrinks while it is read.
    private struct Truncated {
        let source: SourceFile
        init(_ bytes: [UInt8], _ count: Int, in scratch: Scratch) throws {
            let short = try scratch.source(bytes: Array(bytes.prefix(count)))
            source = SourceFile(descriptor: short.descriptor, size: Int64(bytes.count), name: short.name)
        }
    }

    @Test func randomDamageIsNeverATrap() throws {
        let file = start + movie(more: track(90_000, edits: edits([(1, 2)], isWide: true), entry: "encv"))
        let path = scratch.name("bin")
        let descriptor = try scratch.output(path)
        var random = Seeded(61)
        var read = 0
        for _ in 0..<2000 {
            var bytes = file
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let offset = Int.random(in: 0..<bytes.count, using: &random)
                switch Int.random(in: 0..<4, using: &random) {
                case 0: bytes[offset] = UInt8.random(in: 0...255, using: &random)
                case 1: bytes[offset] = [0, 1, 7, 8, 9, 0x7F, 0x80, 0xFF].randomElement(using: &random) ?? 0
                case 2:
                    let extreme = number(
                        [UInt32.max, 0, 1, 7, 8, 1 << 31].randomElement(using: &random) ?? 0)
                    bytes.replaceSubrange(offset..<min(offset + 4, bytes.count), with: extreme)
                default: bytes.removeSubrange(offset..<min(offset + 9, bytes.count))
                }
                if bytes.count < 40 { bytes = file }
            }
            try #require(ftruncate(descriptor, 0) == 0)
            try #require(unsafe pwrite(descriptor, bytes, bytes.count, 0) == bytes.count)
            let source = SourceFile(descriptor: descriptor, size: Int64(bytes.count), name: "damaged.mp4")
            if MovieBoxes(source) != nil { read += 1 }
        }
        #expect(read > 100, "most damage leaves something to read, or nothing was tried")
    }
}

/// In a suite of its own: the process it runs in ends without tidying up a folder.
struct NestedBoxesTests {
    @Test func boxesInBoxesWithoutEndAreNoTrap() async throws {
        // Each box but the last holds one box; a few hundred kilobytes are enough to exhaust a thread's stack.
        await #expect(processExitsWith: .success) {
            let depth = 100_000
            var bytes: [UInt8] = []
            for level in 0..<depth {
                let size = UInt32((depth - level) * 8)
                bytes += (0..<4).reversed().map { UInt8(truncatingIfNeeded: size >> ($0 * 8)) }
                bytes += Array((level == 0 ? "moov" : level == 1 ? "trak" : "mdia").utf8)
            }
            // A file that has no name any more.
            let descriptor = unsafe fileno(tmpfile())
            try #require(unsafe pwrite(descriptor, bytes, bytes.count, 0) == bytes.count)
            let source = SourceFile(descriptor: descriptor, size: Int64(bytes.count), name: "boxes.mp4")
            #expect(MovieBoxes(source)?.tracks.count == 1)
        }
    }
}
