// How large an output can become at all: more than any honest export makes, and no more than that.
import Foundation
import JobQueue
import Media
import MediaTime
import Platform
import Testing

@testable import trimd

@Suite struct OutputBoundTests {
    private static let presets = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Presets")

    /// Held by the suite, so that it stays as long as the test.
    let scratch: Scratch
    let store: JobStore

    init() throws {
        scratch = try Scratch()
        store = try JobStore(file: scratch.path + "/queue.db", owner: "test")
    }

    private func bound(
        _ id: String, bytes: Int64, _ change: (inout ExportRequest) throws -> Void = { _ in }
    ) throws -> Int64 {
        let file = Self.presets.appending(path: "\(id).json")
        let preset = try PresetCatalogue.preset(json: try Data(contentsOf: file))
        var request = ExportRequest(
            input: "/a.mp4", output: OutputTarget(folder: "/", name: nil, stem: "a"), preset: preset)
        try change(&request)
        let source = FileIdentity(device: 1, inode: 2, size: bytes, modified: 3)
        return OutputBound.bytes(try store.submit(request, source: source, user: 1).job)
    }

    private let mib: Int64 = 1 << 20

    @Test(arguments: ["/list.m3u8", "/LIST.M3U8", "/list.m3u"])
    func aPlaylistIsNotBoundByItsOwnSize(_ path: String) throws {
        // 36 segments of 6 MB in 1 kB of text.
        let copied = try bound("passthrough", bytes: 1_000) { ($0.input, $0.render) = (path, .copy) }
        #expect(copied > 36 * 6_000_000)
        #expect(try bound("passthrough", bytes: 1_000) { $0.render = .copy } < 65 * mib)
        // A range that is known bounds it as it bounds a film.
        let known = try bound("m4v720", bytes: 1_000) {
            $0.input = path
            ($0.start, $0.end) = (.time(Time(100, 1)), .time(Time(110, 1)))
        }
        #expect(known < 200 * mib)
        #expect(try bound("prores422", bytes: .max) { $0.input = path } > 1 << 60)
    }

    @Test func aRangeThatIsKnownBoundsByThePresetsRate() throws {
        // Ten seconds of a film of 8 GiB: 5 Mbit/s of video and 32 audio tracks, twice, and ten seconds of slack.
        let known = try bound("m4v720", bytes: 8 << 30) {
            ($0.start, $0.end) = (.time(Time(100, 1)), .time(Time(110, 1)))
        }
        #expect((66 * mib...200 * mib) ~= known, "\(known)")
        for change in [
            { (r: inout ExportRequest) in (r.start, r.duration) = (.frame(7), .time(Time(10, 1))) },
            { (r: inout ExportRequest) in
                r.keep = [0, 50].map {
                    RangeSpelling(start: .time(Time($0, 1)), end: .time(Time($0 + 5, 1)))
                }
            },
        ] { #expect((66 * mib...250 * mib) ~= (try bound("m4v720", bytes: 8 << 30, change))) }
        // To the end, whatever that is: by the source.
        for change in [
            { (r: inout ExportRequest) in r.start = .time(Time(100, 1)) },
            { (r: inout ExportRequest) in (r.start, r.end) = (.frame(1), .frame(9)) },
            { (r: inout ExportRequest) in
                (r.start, r.end) = (.time(.zero), .time(Time(1, 1)))
                r.toleranceAfter = .positiveInfinity
            },
        ] { #expect(try bound("m4v720", bytes: 1 << 30, change) > 32 << 30) }
    }

    /// A hostile worker cannot take much for a small film, whatever is asked.
    @Test func aSmallSourceHasASmallBound() throws {
        for id in ["m4v720", "highest", "hevc2160", "m4a", "passthrough"] {
            #expect((64 * mib...80 * mib) ~= (try bound(id, bytes: 200_000)), "\(id)")
        }
        #expect(try bound("m4v720", bytes: 0) == OutputBound.base)
    }

    /// A copied track has the source's size, as often as it is joined.
    @Test func aCopyIsBoundByItsSource() throws {
        #expect(try bound("passthrough", bytes: 1 << 30) { $0.render = .copy } == OutputBound.base + 4 << 30)
        let joined = try bound("passthrough", bytes: 1 << 30) {
            $0.render = .copy
            $0.keep = (0..<3).map { _ in RangeSpelling(start: nil, end: nil) }
        }
        #expect(joined == OutputBound.base + 12 << 30)
    }

    /// Honest exports of sources that say little in few bytes: bytes and seconds of the source, bits a second of the output.
    @Test(
        arguments: [
            ("wav", 750 * 3600, 3600, 1_536_000), ("flac", 750 * 3600, 3600, 900_000),
            ("m4a", 750 * 3600, 3600, 256_000), ("prores422", 2500 * 600, 600, 130_000_000),
            ("prores4444", 100_000_000, 300, 1_500_000_000), ("highest", 40_000 * 60, 60, 8_000_000),
            ("m4v1080", 1 << 30, 3600, 10_000_000),
        ] as [(String, Int, Double, Double)])
    func noHonestExportReachesIt(_ id: String, _ bytes: Int, _ seconds: Double, _ rate: Double) throws {
        let output = Int64(seconds * rate / 8)
        #expect(try bound(id, bytes: Int64(bytes)) > output)
        let part = try bound(id, bytes: Int64(bytes)) {
            ($0.start, $0.end) = (nil, .time(Time(Int64(seconds), 1)))
        }
        #expect(part > output)
    }

    @Test func hugeNumbersAreNoTrap() throws {
        for size in [Int64.max, Int64.max / 3, -1] as [Int64] {
            #expect(try bound("prores4444", bytes: size) > 0)
            let times = try bound("wav", bytes: size) {
                ($0.start, $0.end) = (.time(.zero), .time(Time(.max, 1)))
                $0.options = nil
            }
            #expect(times > 0)
        }
    }
}
