// Outputs that are given blocks of their source hold the same samples as those that are copied, byte by byte, and nothing else: read by
// programs that do not ask trimd.
import Check
import Foundation
import Media
import MediaTime
import Testing

@testable import Libav

@Suite(.timeLimit(.minutes(10))) struct CloneTests {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    struct Case: CustomTestStringConvertible, Sendable {
        var name: String
        var type: String
        var words: [String]
        var output: String
        var start: Time?
        var end: Time?
        /// The share of the output that is cloned, at least.
        var share = 0.5
        var adjust: @Sendable (inout ExportRequest) -> Void = { _ in }
        var testDescription: String { name }
    }

    private static let video = Film.video(size: "192x108", seconds: "8", filters: "noise=alls=24:allf=t")
    private static let h264 = Film.h264("keyint=25:min-keyint=25")
    private static let audio = Film.noise(48_000, seconds: "8")

    static let cases: [Case] = [
        Case(
            name: "a smart trim of H.264 and AAC", type: "mp4",
            words: video + audio + h264 + ["-c:a", "aac"],
            output: "mp4", start: Time(133, 100), end: Time(677, 100)),
        Case(
            name: "the index first", type: "mp4", words: video + audio + h264 + ["-c:a", "aac"],
            output: "mp4", start: Time(133, 100), end: Time(677, 100), adjust: { $0.options = optimized }),
        Case(
            name: "the index first in the source too", type: "mp4",
            words: video + audio + h264 + ["-c:a", "aac", "-movflags", "+faststart"], output: "mov",
            start: Time(2, 1), end: Time(6, 1)),
        Case(
            name: "all of it", type: "mov", words: video + audio + h264 + ["-c:a", "aac"], output: "mp4",
            share: 0.9),
        Case(
            name: "a copy with hidden samples", type: "mp4", words: video + audio + h264 + ["-c:a", "aac"],
            output: "mp4", start: Time(133, 100), end: Time(677, 100), share: 0.7,
            adjust: { $0.render = .copy }),
        Case(
            name: "HEVC", type: "mp4",
            words: video + audio + [
                "-c:v", "libx265", "-preset", "ultrafast", "-x265-params",
                "keyint=25:min-keyint=25:scenecut=0:bframes=3:log-level=1:crf=14", "-tag:v", "hvc1", "-c:a",
                "aac",
            ], output: "mp4", start: Time(133, 100), end: Time(677, 100)),
        Case(
            name: "ProRes and PCM", type: "mov",
            words: video + audio + ["-c:v", "prores", "-c:a", "pcm_s16le"],
            output: "mov", start: Time(1, 1), end: Time(7, 1), share: 0.9),
        Case(
            name: "two parts", type: "mov", words: video + h264, output: "mp4",
            adjust: {
                $0.keep = [(1, 3), (5, 7)].map {
                    RangeSpelling(start: .time(Time($0, 1)), end: .time(Time($1, 1)))
                }
            }),
    ]

    private static let optimized: ExportOptions = {
        var options = ExportOptions()
        options.optimize = true
        return options
    }()

    @Test(arguments: cases) func theSamplesAreThoseOfACopy(_ film: Case) throws {
        let input = try Film(name: film.name, type: film.type, words: film.words).make(in: scratch)
        let cloned = try Cloned.export(
            input, start: film.start, end: film.end, in: scratch, type: film.output, adjust: film.adjust)
        let copied = try export(
            input, "passthrough", start: film.start, end: film.end, in: scratch, type: film.output
        ) {
            ($0.render, $0.output.name) = (.auto, "out.\(film.output)")
            film.adjust(&$0)
        }
        #expect(copied.result.clones == nil)
        let (own, other) = (try StoredPacket.all(of: cloned.made.file), try StoredPacket.all(of: copied.file))
        let encoded = Int(copied.result.tracks.first { $0.kind == .video }?.framesEncoded ?? 0)
        for stream in Set(other.map(\.stream)) {
            guard !film.words.contains("pcm_s16le") || stream == 0 else {
                // Readers take what lies together for one packet.
                let hashes = try [cloned.made.file, copied.file].map {
                    try Tool.ffmpeg(["-i", $0, "-map", "0:\(stream)", "-c", "copy", "-f", "md5", "-"])
                }
                #expect(hashes[0] == hashes[1])
                continue
            }
            let (one, two) = (own.contents(of: stream), other.contents(of: stream))
            #expect(one.count == two.count)
            // Two encodes of one frame may differ.
            let different = zip(one, two).count { $0 != $1 }
            #expect(different <= (stream == 0 ? encoded : 0), "stream \(stream)")
        }
        try verify(cloned.made, in: scratch)
        try Verification(
            try scratch.source(cloned.made.file), cloned.made.result, shared: cloned.ranges
        ).run()
        let size = try Data(contentsOf: URL(filePath: cloned.made.file)).count
        #expect(Double(cloned.bytes) >= film.share * Double(size), "\(cloned.bytes) of \(size) bytes")
        try holdsNothingElse(cloned)
    }

    /// Every byte of the media is a sample's, and no more is cloned.
    private func holdsNothingElse(_ cloned: Cloned) throws {
        let spans = try StoredPacket.all(of: cloned.made.file).spans
        let (names, contents) = try mediaBoxes(of: cloned.made.file)
        #expect(names.contains("moov"))
        for range in cloned.ranges {
            #expect(
                spans.contains {
                    $0.lowerBound <= range.output && $0.upperBound >= range.output + range.length
                })
        }
        #expect(contents.reduce(0) { $0 + $1.count } == spans.reduce(0) { $0 + $1.count })
    }

    /// Its bytes lie between those of the others in the source.
    @Test func aTrackThatIsLeftOutIsNotCloned() throws {
        // A frame is longer than what is worth a clone.
        let video = Film.video(size: "960x540", seconds: "4", filters: "noise=alls=24:allf=t")
        let input = try Film(
            name: "two tracks", type: "mov",
            words: video + CloneTests.audio + CloneTests.audio + [
                "-map", "0", "-map", "1", "-map", "2", "-c:v", "prores", "-c:a", "pcm_s16le", "-shortest",
            ]
        ).make(in: scratch)
        let cloned = try Cloned.export(input, start: Time(1, 1), end: Time(3, 1), in: scratch, type: "mov") {
            var options = ExportOptions()
            options.audio = "2"
            $0.options = options
        }
        #expect(cloned.made.result.tracks.map(\.source) == [0, 2])
        #expect(cloned.bytes > 0)
        try holdsNothingElse(cloned)
        let left = Set(try StoredPacket.all(of: input).filter { $0.stream == 1 }.map(\.bytes.lowerBound))
        for range in cloned.ranges {
            #expect(!left.contains { $0 >= range.source && $0 < range.source + range.length })
        }
    }

    /// A source whose tracks lie one after another is interleaved, as without clones.
    @Test func tracksThatLieApartAreCopied() throws {
        let film = try film()
        let input = scratch.name("mp4")
        let streams = try Demuxer(try scratch.source(film)).streams.map(\.index)
        try mux(film, to: input, order: streams)
        #expect(try StoredPacket.all(of: input).spans.count == 1)
        let cloned = try Cloned.export(input, in: scratch)
        #expect(cloned.ranges.isEmpty)
        #expect(try StoredPacket.all(of: cloned.made.file).count > 500)
        try verify(cloned.made, in: scratch)
    }

    private func film() throws -> String {
        try Film(
            name: "", type: "mp4",
            words: CloneTests.video + CloneTests.audio + CloneTests.h264 + ["-c:a", "aac"]
        ).make(in: scratch)
    }

    /// Copies a film as the muxer is given its packets: all tracks as they lie, or one track after another in this order.
    private func mux(
        _ film: String, to file: String, order: [Int]? = nil, reserve: Int = 0, clones: CloneWriter? = nil
    ) throws {
        let demuxer = try Demuxer(try scratch.source(film))
        let setup = try MuxerSetup(format: "mp4", descriptor: try scratch.output(file))
        for stream in demuxer.streams {
            _ = try setup.addTrack(
                try CodecParameters(
                    try CodecParameters(demuxer, track: stream.index), extradata: nil, tag: nil),
                timebase: stream.timebase, language: nil, title: nil, isDefault: true)
        }
        let muxer = try setup.begin(options: [], reserve: reserve, clones: clones)
        let packet = try Packet()
        for track in order ?? [-1] {
            let reader = try Demuxer(try scratch.source(film))
            while case .packet = reader.read(into: packet) {
                guard track < 0 || packet.track == track else { continue }
                try muxer.write(packet, isStored: true) { true }
            }
        }
        try muxer.finish()
    }

    /// Where the index is larger than the space that was reserved for it, the media moves, and is all there by then.
    @Test func aMovieThatMovesIsWhole() throws {
        let film = try film()
        let source = try scratch.source(film)
        let demuxer = try Demuxer(source)
        var places: [StoredPlace] = []
        for stream in demuxer.streams {
            places += try #require(demuxer.places(of: stream.index, from: -1, to: 100))
        }
        let writer = CloneWriter(source, try StoredRuns(places, block: 4096, least: 65536))
        let moved = scratch.name("mp4")
        try mux(film, to: moved, reserve: 100, clones: writer)
        #expect(writer.clones.isEmpty)
        let names = try mediaBoxes(of: moved).names
        #expect(names.firstIndex(of: "moov") ?? 9 < names.firstIndex(of: "mdat") ?? 0, "\(names)")
        let (own, other) = (try StoredPacket.all(of: moved), try StoredPacket.all(of: film))
        for stream in 0..<2 { #expect(own.contents(of: stream) == other.contents(of: stream)) }
    }
}
