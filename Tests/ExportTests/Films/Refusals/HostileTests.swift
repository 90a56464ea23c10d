// Damaged files, probed and exported in this process: what comes of each is a result or a MediaError, and nothing else.
// Under the address sanitizer (`make test-asan`) it finds what a worker would only die of. The numbers are the same in
// every run; TRIM_MUTANTS says how many of each kind there are.
import Export
import FoundationEssentials
import Libav
import Media
import Testing

@testable import Source

@Suite(.timeLimit(.minutes(10))) struct HostileTests {
    private static let count = ProcessInfo.processInfo.environment["TRIM_MUTANTS"].flatMap { Int($0) } ?? 12

    private static let kinds = [
        Film(
            name: "mp4", type: "mp4",
            words: Film.video("10", size: "64x48", seconds: "0.6") + Film.noise(16_000, seconds: "0.6")
                + Film.h264() + ["-c:a", "aac"]),
        Film(
            name: "fragments", type: "mp4",
            words: Film.video("10", size: "64x48", seconds: "0.6") + Film.h264()
                + ["-movflags", "frag_keyframe+empty_moov"]),
        Film(
            name: "matroska", type: "mkv",
            words: Film.video("10", size: "64x48", seconds: "0.6") + Film.noise(16_000, seconds: "0.6")
                + ["-c:v", "mpeg4", "-c:a", "libopus"]),
        Film(
            name: "transport stream", type: "ts",
            words: Film.video("25", size: "64x48", seconds: "0.4") + ["-c:v", "mpeg2video"]),
        Film(name: "flac", type: "flac", words: Film.noise(16_000, seconds: "0.4")),
    ]

    /// A copy with a few bytes turned, numbers made large, or a piece cut out.
    private func damaged(_ bytes: [UInt8], _ random: inout Seeded) -> [UInt8] {
        var bytes = bytes
        for _ in 0..<Int.random(in: 1...4, using: &random) where bytes.count > 16 {
            // Headers and indexes lie at both ends.
            let edge = min(bytes.count - 8, 2048)
            let at =
                Bool.random(using: &random)
                ? Int.random(in: 0..<edge, using: &random)
                : bytes.count - 8 - Int.random(in: 0..<edge, using: &random)
            switch Int.random(in: 0..<4, using: &random) {
            case 0: bytes[at] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            case 1:
                let number = [UInt8](
                    repeating: [0, 0x7f, 0x80, 0xff].randomElement(using: &random) ?? 0, count: 4)
                bytes.replaceSubrange(at..<at + 4, with: number)
            case 2: bytes.removeSubrange(at..<min(bytes.count, at + Int.random(in: 1...200, using: &random)))
            default: bytes.removeLast(Int.random(in: 0...bytes.count / 4, using: &random))
            }
        }
        return bytes
    }

    @Test(arguments: kinds) func whatComesOfItIsAResultOrAnError(_ film: Film) throws {
        let scratch = try Scratch()
        let file = try film.make(in: scratch)
        let whole = try #require(FileManager.default.contents(atPath: file)).map { $0 }
        var random = Seeded(UInt64(film.name.utf8.reduce(0) { $0 &* 31 &+ Int($1) }))
        var exported = 0
        var refused = 0
        for number in 0..<HostileTests.count {
            let name = scratch.name(film.type)
            try Data(number == 0 ? whole : damaged(whole, &random)).write(to: URL(filePath: name))
            do throws(MediaError) {
                _ = try MediaError.only { _ = try Probe.asset(of: try scratch.source(name), keyframes: true) }
                let preset = film.type == "flac" ? "m4a" : "m4v480"
                try MediaError.only { _ = try export(name, preset, in: scratch) }
                exported += 1
            } catch {
                #expect(error.code != .unknown, "\(error)")
                refused += 1
            }
        }
        // The whole one at least.
        #expect(exported >= 1)
        #expect(exported + refused == HostileTests.count)
    }
}

extension MediaError {
    /// Runs what may throw a MediaError and must throw nothing else.
    fileprivate static func only(_ body: () throws -> Void) throws(MediaError) {
        do { try body() } catch let error as MediaError { throw error } catch {
            throw MediaError(.unknown, "not a MediaError: \(error)")
        }
    }
}
