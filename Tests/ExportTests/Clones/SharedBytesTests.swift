// Of what an output shares with its source little is read, by its maker and by its check: what is read of it, and what is still found.
import Foundation
import Media
import MediaTime
import Testing

@testable import Check
@testable import Codecs
@testable import Libav
@testable import Render
@testable import Source

@Suite(.timeLimit(.minutes(10))) struct SharedBytesTests {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func film() throws -> String {
        try Film(
            name: "shared", type: "mp4",
            words: Film.video(size: "256x144", seconds: "8", filters: "noise=alls=24:allf=t")
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

    /// The longest run of shared samples, none of which lies before the one before it; never the first sample, which tells the structure.
    @Test func theLongestStretchOfSharedSamplesIsFound() throws {
        let samples = (0..<10).map {
            IndexedSample(bytes: ($0 * 10)..<($0 * 10 + 10), ticks: $0, isKey: true)
        }
        func stretch(_ ranges: [(Int64, Int64)], _ samples: [IndexedSample], least: Int = 2) -> Range<Int>? {
            let shared = SharedBytes(
                ranges.map { ClonedRange(output: $0.0, source: 0, length: $0.1 - $0.0) })
            return SharedStretch(samples, in: shared, least: least)?.samples
        }
        #expect(stretch([(0, 100)], samples) == 1..<10)
        #expect(stretch([(25, 61)], samples) == 2..<7)
        #expect(stretch([(20, 40), (50, 90)], samples) == 5..<9)
        #expect(stretch([(20, 40)], samples, least: 3) == nil)
        #expect(stretch([], samples) == nil)
        var mixed = samples
        mixed.swapAt(4, 5)
        #expect(stretch([(0, 100)], mixed) == 5..<10)
        #expect(
            SharedStretch(
                samples, in: SharedBytes([ClonedRange(output: 25, source: 0, length: 36)]), least: 2)?.bytes
                == 20..<70)
    }

    /// Reading around the shared stretches tells as much as reading all samples.
    @Test(arguments: ["mp4", "mov"]) func theCheckReadsAroundWhatIsShared(_ type: String) throws {
        let cloned = try Cloned.export(
            try film(), start: Time(133, 100), end: Time(677, 100), in: scratch, type: type)
        let output = try scratch.source(cloned.made.file)
        let tracks = try Probe.asset(of: output).tracks
        let stored = zip(tracks, cloned.made.result.tracks).map { StoredCheck.Stored(track: $0, result: $1) }
        #expect(stored.count == 2)
        let diagnostics = Diagnostics()
        func check(_ shared: [ClonedRange]) -> StoredCheck {
            var check = StoredCheck(
                output: output, zero: .zero, tracks: stored, isThorough: false, shared: SharedBytes(shared),
                diagnostics: diagnostics)
            check.leastStretch = 50
            return check
        }
        let whole = try check([]).scanAll()
        let around = try #require(try check(cloned.ranges).scanAroundShared())
        #expect(try check([]).scanAroundShared() == nil)
        for index in 0..<2 {
            let (one, other) = (try #require(whole[index]), try #require(around[index]))
            #expect(one.count == other.count && one.count > 100)
            #expect(one.keys == other.keys)
        }
        #expect(whole[0]?.keys.count ?? 0 > 3)
        #expect(diagnostics.warnings.isEmpty)
    }

    /// The packets of a track: their times, sizes and whether they are keyframes.
    private func packets(_ demuxer: Demuxer, of track: Int = 0) throws -> [String] {
        demuxer.select(track: track)
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

    /// Of audio that may stay unread the container tells all that copying needs.
    @Test(arguments: [
        ("mp4", "aac"), ("mov", "aac"), ("mp4", "alac"), ("mov", "pcm_s16le"), ("mov", "pcm_s24be"),
        ("mov", "pcm_f32le"),
    ]) func audioThatIsLeftUnreadIsTheSameButForItsBytes(_ type: String, _ codec: String) throws {
        let file = try Film(
            name: "audio", type: type, words: Film.noise(48_000, seconds: "20") + ["-c:a", codec]
        ).make(in: scratch)
        let source = try scratch.source(file)
        let track = try #require(try Probe.asset(of: source).tracks.first)
        #expect(track.audioCodec.staysUnread && CloneDecision.isStored(track))
        let whole = try Demuxer(source, quick: true), spared = try Demuxer(source, quick: true)
        let samples = try #require(spared.samples(of: 0))
        spared.omit(samples.map(\.bytes))
        let found = try packets(whole)
        #expect(found.count == samples.count)
        #expect(try found == packets(spared))
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
