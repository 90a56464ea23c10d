// Of what an output shares with its source little is read, by its maker and by its check: what is read of it, and what is still found.
import Foundation
import Media
import MediaTime
import Testing

@testable import Export
@testable import Libav

@Suite(.timeLimit(.minutes(60))) struct SharedBytesTests {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func film() throws -> String {
        try Film(
            name: "shared", type: "mp4",
            words: Film.video(size: "480x270", seconds: "8", filters: "noise=alls=24:allf=t")
                + Film.noise(48_000, seconds: "8") + Film.h264("keyint=25:min-keyint=25") + ["-c:a", "aac"]
        ).make(in: scratch)
    }

    @Test func bytesOverlapWhatIsShared() {
        let shared = SharedBytes([
            ClonedRange(output: 100, source: 0, length: 50), ClonedRange(output: 200, source: 0, length: 1),
        ])
        for (range, isShared) in [
            (0..<100, false), (0..<101, true), (149..<160, true), (150..<200, false), (199..<201, true),
            (201..<300, false), (0..<500, true),
        ] as [(Range<Int64>, Bool)] {
            #expect(shared.overlaps(range) == isShared, "\(range)")
        }
        #expect(!SharedBytes().overlaps(0..<10))
        // Nobody makes such: it counts as nothing shared, and all is read.
        let wrong: [[(Int64, Int64)]] = [
            [(10, 5), (12, 5)], [(10, 0)], [(-1, 5)], [(Int64.max, 5)], [(50, 5), (10, 5)],
        ]
        for ranges in wrong {
            let clones = ranges.map { ClonedRange(output: $0.0, source: 0, length: $0.1) }
            #expect(SharedBytes(clones).ranges.isEmpty, "\(ranges)")
        }
    }

    /// The packets of a track: their times, sizes and whether they are keyframes.
    private func packets(_ demuxer: Demuxer) throws -> [String] {
        demuxer.select(track: 0)
        var found: [String] = []
        let packet = try Packet()
        while case .packet = demuxer.read(into: packet) {
            found.append(
                "\(packet.pts ?? -1) \(packet.dts ?? -1) \(packet.duration) \(packet.size) \(packet.isKey)")
        }
        return found
    }

    @Test func samplesThatAreLeftUnreadAreTheSameButForTheirBytes() throws {
        let source = try scratch.source(try film())
        let whole = try Demuxer(source, quick: true), spared = try Demuxer(source, quick: true)
        spared.omit(spared.dependentPlaces(of: 0))
        #expect(try packets(whole) == packets(spared))
        // Keyframes are one in 25, and larger than others.
        #expect(spared.bytesRead * 2 < whole.bytesRead)
    }

    @Test func theCheckOfSharedBytesReadsKeyframesAndFindsDamageInThem() throws {
        let cloned = try Cloned.export(
            try film(), start: Time(133, 100), end: Time(677, 100), in: scratch)
        let output = try scratch.source(cloned.made.file)
        #expect(!cloned.ranges.isEmpty)
        #expect(
            try Verification(output, cloned.made.result, shared: cloned.ranges).run()
                == Verification(output, cloned.made.result).run())
        // The beginning of a keyframe in the middle of what is shared.
        let demuxer = try Demuxer(output, quick: true)
        let shared = SharedBytes(cloned.ranges)
        let packet = try Packet()
        var places: [Range<Int64>] = []
        while case .packet = demuxer.read(into: packet) {
            guard packet.track == 0, packet.isKey, let place = packet.place, shared.overlaps(place) else {
                continue
            }
            places.append(place)
        }
        let place = try #require(places.dropFirst().first)
        let handle = try FileHandle(forUpdating: URL(filePath: cloned.made.file))
        try handle.seek(toOffset: UInt64(place.lowerBound))
        try handle.write(contentsOf: [UInt8](repeating: 0xFF, count: 64))
        let found = try Verification(output, cloned.made.result, shared: cloned.ranges).run()
        #expect(found.contains { $0.code == .damagedMedia && $0.track == 0 })
        #expect(throws: MediaError.self) {
            try Verification(output, cloned.made.result, strict: true, shared: cloned.ranges).run()
        }
    }
}
