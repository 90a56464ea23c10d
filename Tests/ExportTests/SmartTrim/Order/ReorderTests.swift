// Films with a larger reorder depth in the middle than at the cut points, or with frames that share a time: they are copied
// nevertheless.
import Foundation
import Libav
import Media
import MediaTime
import Testing

@testable import Render
@testable import Source

@Suite(.timeLimit(.minutes(10))) struct ReorderTests {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    @Test func theDepthIsTheLargestMoveForwards() {
        var random = Seeded(23)
        for most in 0...16 {
            var order: [Int64] = []
            var next: Int64 = 0
            while order.count < 300 {
                let count = Int.random(in: 1...(most + 1), using: &random)
                let group = (0..<count).map { _ -> Int64 in
                    next += Int64.random(in: 1...50, using: &random)
                    return next
                }
                order += group.shuffled(using: &random)
            }
            var depth = ReorderDepth()
            for pts in order { depth.add(pts) }
            #expect(depth.irregularity == nil)
            #expect(depth.depth >= DecodingTimes.delay(of: order) && depth.depth <= most)
            // It is enough for decoding times.
            var times = DecodingTimes(delay: depth.depth, step: 10, first: order.min() ?? 0)
            for pts in order { #expect(throws: Never.self) { try times.next(pts: pts) } }
        }
    }

    @Test func timesThatNoDepthExplainsAreReported() {
        var repeated = ReorderDepth()
        for pts in [0, 3, 1, 2, 6, 4, 4, 5] as [Int64] { repeated.add(pts) }
        #expect(repeated.irregularity == .repeated(4))
        var back = ReorderDepth()
        for pts in Array(0..<200) + Array(50..<60) as [Int64] { back.add(pts * 3) }
        #expect(back.irregularity == .repeated(3 * 136) || back.irregularity == .back(150))
        var anew = ReorderDepth()
        for pts in Array(100..<300) + Array(0..<60) as [Int64] { anew.add(pts * 3 + (pts < 100 ? 1 : 0)) }
        #expect(anew.irregularity == .back(1))
    }

    /// Nothing at the cut points, and nothing in the stream's headers, says how deep the middle is.
    @Test(arguments: ["ts", "mkv", "mp4"]) func whatIsDeeperInTheMiddleIsCopied(_ type: String) throws {
        let film = FieldFilm(
            type: type, frames: 120,
            words: ["--b", "4", "--silent", "--group", "30", "--reversed", "40-80"])
        let input = try film.make(in: scratch)
        let source = try scratch.source(input)
        let asset = try Probe.asset(of: source)
        let track = try #require(asset.mainVideo)
        // FFmpeg's own tools lose frames where such a stream becomes deeper: this decoder must not.
        func sums(_ file: String, from start: Time) throws -> [UInt32?] {
            let source = try scratch.source(file)
            let asset = try Probe.asset(of: source)
            let reader = try FrameReader(
                source, try #require(asset.mainVideo), origin: asset.start, at: start,
                diagnostics: Diagnostics())
            var sums: [UInt32?] = []
            while let shown = try reader.next() {
                if shown.time >= start { sums.append(shown.frame.signature?.checksum) }
            }
            return sums
        }
        let whole = try sums(input, from: .zero)
        try #require(whole.count == 120)
        let (start, end) = (Time(13, 25), Time(100, 25))
        let made = try export(input, "passthrough", start: start, end: end, in: scratch, type: "mp4") {
            ($0.render, $0.output.name) = (.smart, "out.mp4")
        }
        let video = try #require(made.result.tracks.first)
        #expect(video.way == .smart && !made.result.warnings.contains { $0.code == .encodedInstead })
        #expect(video.framesCopied + video.framesEncoded == 87 && video.framesCopied > 60)
        let found = try sums(made.file, from: .zero)
        #expect(found.count == 87)
        #expect(zip(found, whole[13...]).count { $0 == $1 } >= Int(video.framesCopied))
        #expect(track.video?.frameRate == Ratio(25))
        try verify(made, in: scratch)
    }

    /// Writes other presentation times into a transport stream's video packets.
    private func retimed(_ file: String, _ change: (_ index: Int, _ pts: Int64) -> Int64) throws -> String {
        var bytes = Array(try Data(contentsOf: URL(filePath: file)))
        var index = 0
        for packet in stride(from: 0, to: bytes.count - 187, by: 188) where bytes[packet + 1] & 0x40 != 0 {
            var at = packet + 4
            if bytes[packet + 3] & 0x20 != 0 { at += 1 + Int(bytes[packet + 4]) }
            guard at + 14 < packet + 188, bytes[at..<at + 3].elementsEqual([0, 0, 1]),
                bytes[at + 3] & 0xF0 == 0xE0, bytes[at + 7] & 0x80 != 0
            else { continue }
            let position = at + 9
            let old =
                Int64(bytes[position] >> 1 & 7) << 30 | Int64(bytes[position + 1]) << 22
                | Int64(bytes[position + 2] >> 1) << 15 | Int64(bytes[position + 3]) << 7
                | Int64(bytes[position + 4] >> 1)
            let new = change(index, old)
            bytes[position] = bytes[position] & 0xF1 | UInt8(new >> 30 & 7) << 1
            bytes[position + 1] = UInt8(new >> 22 & 255)
            bytes[position + 2] = UInt8(new >> 15 & 127) << 1 | 1
            bytes[position + 3] = UInt8(new >> 7 & 255)
            bytes[position + 4] = UInt8(new & 127) << 1 | 1
            index += 1
        }
        let other = scratch.name("ts")
        try Data(bytes).write(to: URL(filePath: other))
        return other
    }

    @Test func framesWithOneTimeAreCopied() throws {
        let plain = try Film(
            name: "", type: "ts", words: Film.video(seconds: "6") + Film.h264("bframes=2:b-pyramid=none")
        ).make(in: scratch)
        var last: Int64 = 0
        let input = try retimed(plain) { index, pts in
            defer { last = pts }
            // The second B frame of two gets the first one's time, in the middle alone.
            return (70..<80).contains(index) && pts == last + 3600 ? last : pts
        }
        try #require(try Data(contentsOf: URL(filePath: input)) != Data(contentsOf: URL(filePath: plain)))
        let (start, end) = (Time(17, 25), Time(130, 25))
        let made = try export(input, "passthrough", start: start, end: end, in: scratch, type: "mp4") {
            ($0.render, $0.output.name) = (.smart, "out.mp4")
        }
        let video = try #require(made.result.tracks.first)
        #expect(video.framesCopied + video.framesEncoded == 113 && video.framesCopied > 60)
        #expect(try FrameSums.of(made.file).count == 113)
        let copied = try FrameSums.of(made.file)
        #expect(
            zip(copied, try FrameSums.of(plain).dropFirst(17)).count { $0 == $1 } >= Int(video.framesCopied))
        try verify(made, in: scratch)
    }

    /// Restarting times cannot be ordered: the error gives the time, or the film is encoded.
    @Test func timesThatBeginAnewAreNamed() throws {
        let plain = try Film(
            name: "", type: "ts", words: Film.video(seconds: "8") + Film.h264("bframes=0")
        ).make(in: scratch)
        let input = try retimed(plain) { index, pts in index < 100 ? pts : pts - 3600 * 90 }
        let error = try refusal(input, "passthrough", start: Time(1, 2), end: Time(21, 5), in: scratch) {
            ($0.render, $0.output.name) = (.smart, "out.ts")
        }
        #expect(error.code == .spliceFailed, "\(error)")
    }
}
