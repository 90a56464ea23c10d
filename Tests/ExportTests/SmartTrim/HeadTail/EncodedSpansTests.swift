// Heads and tails that are encoded at once: in the output's order, in bounded memory, and the same bytes however many at once.
import Foundation
import Libav
import Media
import MediaTime
import Synchronization
import Testing

@testable import Render
@testable import Source

@Suite(.timeLimit(.minutes(10))) struct EncodedSpansTests {
    private static func packet(_ pts: Int64, bytes: Int = 1) throws(MediaError) -> Packet {
        try media(.outOfMemory) { () throws(LibavError) in
            let packet = try Packet()
            try packet.replaceBytes([UInt8](repeating: 7, count: bytes))
            packet.pts = pts
            return packet
        }
    }

    /// Every span sends more packets than its queue holds.
    @Test(arguments: [1, 2, 4]) func packetsComeInTheOrderOfTheSpans(_ atOnce: Int) throws {
        let spans = EncodedSpans(6) { (index, send) throws(MediaError) in
            for number in 0..<1000 {
                guard send(try EncodedSpansTests.packet(Int64(index * 1000 + number))) else { return }
            }
        }
        spans.start(atOnce: atOnce)
        var times: [Int64] = []
        for index in 0..<6 {
            let isWhole = try spans.receive(index) { packet in
                times.append(packet.pts ?? -1)
                return true
            }
            #expect(isWhole)
        }
        #expect(times == Array(0..<6000))
        #expect(spans.areFinished)
    }

    /// As many are made ahead as fit into memory, and the rest when the receiver has taken those.
    @Test func littleWaitsForTheReceiver() throws {
        let begun = Mutex(Set<Int>())
        let spans = EncodedSpans(40) { (index, send) throws(MediaError) in
            begun.withLock { _ = $0.insert(index) }
            for _ in 0..<4 { guard send(try EncodedSpansTests.packet(0, bytes: 1 << 20)) else { return } }
        }
        spans.start(atOnce: 3)
        let deadline = ContinuousClock.now + .seconds(60)
        while begun.withLock(\.count) < 4, ContinuousClock.now < deadline { usleep(1000) }
        // Four of 4 MiB are as much as may wait; each thread may have begun another before that was so.
        #expect(begun.withLock(\.count) <= 7)
        #expect(!spans.areFinished)
        for index in 0..<40 {
            var count = 0
            _ = try spans.receive(index) { _ in
                count += 1
                return true
            }
            #expect(count == 4)
            #expect(begun.withLock(\.count) <= index + 8)
        }
        #expect(spans.areFinished)
    }

    @Test func anErrorIsThatOfItsSpan() throws {
        let spans = EncodedSpans(3) { (index, send) throws(MediaError) in
            guard send(try EncodedSpansTests.packet(Int64(index))) else { return }
            if index == 1 { throw MediaError(.damagedMedia, "here") }
        }
        spans.start(atOnce: 3)
        #expect(try spans.receive(0) { _ in true })
        let error = #expect(throws: MediaError.self) { _ = try spans.receive(1) { _ in true } }
        #expect(error?.code == .damagedMedia)
        spans.abandon()
    }

    /// A thread whose receiver has gone stops, and begins no other span.
    @Test func abandonedThreadsStop() throws {
        let stopped = Mutex(0)
        let spans = EncodedSpans(100) { (_, send) throws(MediaError) in
            while send(try EncodedSpansTests.packet(0)) {}
            stopped.withLock { $0 += 1 }
        }
        spans.start(atOnce: 2)
        let isWhole = try spans.receive(0) { _ in false }
        #expect(!isWhole)
        spans.abandon()
        let deadline = ContinuousClock.now + .seconds(60)
        while stopped.withLock(\.self) < 1, ContinuousClock.now < deadline { usleep(1000) }
        #expect((1...2).contains(stopped.withLock(\.self)))
    }

    @Test(arguments: [
        (12, 1920 * 1080, 2, 2), (12, 1920 * 1080, 64, 4), (1, 1280 * 720, 8, 1), (12, 3840 * 2160, 8, 2),
        (12, 7680 * 4320, 8, 1), (0, 0, 0, 1),
    ]) func asManyAreMadeAtOnceAsThereIsRoomFor(_ count: Int, _ pixels: Int, _ processors: Int, _ atOnce: Int)
    {
        #expect(EncodedSpans.atOnce(count, pixels: pixels, processors: processors) == atOnce)
    }

    @Test(arguments: ["libx264", "libx265", "mpeg2video"])
    func theBytesAreTheSameHoweverManyAreMadeAtOnce(_ encoder: String) throws {
        let scratch = try Scratch()
        let threshold = encoder == "mpeg2video" ? "1000000000" : "0"
        let keys = ["-g", "50", "-keyint_min", "50", "-sc_threshold", threshold]
        let input = try Film(
            name: "", type: encoder == "mpeg2video" ? "ts" : "mp4",
            words: Film.video(size: "96x64", seconds: "8") + [
                "-c:v", encoder, "-preset", "ultrafast", "-pix_fmt", "yuv420p",
            ]
                + keys
        ).make(in: scratch)
        defer { LibavThreads.setLimit(nil) }
        var sums: Set<Data> = []
        for processors in [1, 2, 4, 4] {
            LibavThreads.setLimit(processors)
            let made = try export(input, "passthrough", in: scratch, type: "mov") {
                $0.render = .smart
                $0.options = ExportOptions()
                $0.options?.reproducible = true
                $0.keep = [(13, 166), (25, 141), (38, 191)].map {
                    RangeSpelling(start: .time(Time($0, 25)), end: .time(Time($1, 25)))
                }
                $0.output.name = "out.mov"
            }
            let video = try #require(made.result.tracks.first)
            #expect(video.way == .smart && video.framesCopied > 0 && video.framesEncoded > 0)
            sums.insert(try Data(contentsOf: URL(filePath: made.file)))
        }
        #expect(sums.count == 1)
    }
}
