// A finished output is believed only if it is what its result says.
import Check
import FoundationEssentials
import Media
import MediaTime
import Testing

@Suite(.timeLimit(.minutes(10))) struct VerificationTests {
    let scratch: Scratch
    let made: Made
    let bytes: [UInt8]

    init() throws {
        scratch = try Scratch()
        let input = try Film(
            name: "", type: "mp4",
            words: Film.video(seconds: "3") + Film.noise(seconds: "3") + Film.h264() + ["-c:a", "aac"]
        ).make(in: scratch)
        made = try export(input, "m4v720", start: Time(1, 2), end: Time(5, 2), in: scratch)
        bytes = Array(try Data(contentsOf: URL(filePath: made.file)))
    }

    private func check(_ bytes: [UInt8], _ change: (inout ExportResult) -> Void = { _ in }) throws {
        var result = made.result
        change(&result)
        try Verification(try scratch.source(bytes: bytes, name: "out.m4v"), result).run()
    }

    private func refused(
        _ bytes: [UInt8], as code: ErrorCode? = .verificationFailed,
        _ change: (inout ExportResult) -> Void = { _ in }
    ) throws {
        let error = try #require(throws: MediaError.self) { try check(bytes, change) }
        if let code { #expect(error.code == code, "\(error)") }
    }

    /// Where the media lie.
    private func media() throws -> Range<Int> {
        var at = 0
        while at + 8 <= bytes.count {
            let size = bytes[at..<at + 4].reduce(0) { $0 << 8 | Int($1) }
            if bytes[at + 4..<at + 8].elementsEqual("mdat".utf8) { return at + 8..<at + size }
            try #require(size >= 8)
            at += size
        }
        return try #require(nil as Range<Int>?, "no mdat")
    }

    @Test func whatWasMadePasses() throws {
        #expect(made.result.tracks.map(\.kind) == [.video, .audio])
        try check(bytes)
    }

    @Test func aTruncatedFileIsRefused() throws {
        for share in [0, 10, 50, 90, 99] {
            try refused(Array(bytes.prefix(bytes.count * share / 100)), as: nil)
        }
    }

    @Test func damagedMediaAreRefused() throws {
        let range = try media()
        var random = Seeded(71)
        for part in [
            range, range.lowerBound..<range.lowerBound + 3000, range.upperBound - 3000..<range.upperBound,
        ] {
            var damaged = bytes
            for index in part { damaged[index] = UInt8.random(in: 0...255, using: &random) }
            try refused(damaged)
            for index in part { damaged[index] = 0 }
            try refused(damaged)
        }
    }

    @Test func anIndexThatPointsElsewhereIsRefused() throws {
        // The first chunk offset of the first track is moved.
        let table = try #require(bytes.firstRange(of: Array("stco".utf8)))
        var damaged = bytes
        for index in table.upperBound + 8..<table.upperBound + 12 { damaged[index] ^= 0x55 }
        try refused(damaged, as: nil)
    }

    @Test func otherTracksThanSaidAreRefused() throws {
        try refused(bytes) { $0.tracks.swapAt(0, 1) }
        try refused(bytes) { $0.tracks.removeLast() }
        try refused(bytes) { $0.tracks.append($0.tracks[1]) }
        try refused(bytes) { $0.tracks[0].codec = "hevc" }
        try refused(bytes) { $0.tracks = [] }
    }

    @Test func anotherLengthThanSaidIsRefused() throws {
        for track in [0, 1] {
            for off in [Time(-3, 10), Time(3, 10)] {
                try refused(bytes) { $0.tracks[track].actual.end = $0.tracks[track].actual.end + off }
            }
        }
    }

    @Test func whatIsNoMediaIsRefused() throws {
        try refused([], as: nil)
        try refused(Array("nothing".utf8), as: nil)
    }
}
