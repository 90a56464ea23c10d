// A movie that another reader has left reads as one that was opened anew: the same samples, in the same order, with the same times,
// flags and side data, wherever that reader stopped. A movie that cannot be read so again is never kept.
import FoundationEssentials
import Glibc
import MediaTime
import Testing

@testable import Libav

@Suite(.timeLimit(.minutes(10))) struct IdleMoviesTests {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    /// A sample, and all that its reader sees of it.
    private struct Seen: Hashable {
        var track = 0
        var times: [Int64?] = []
        var flags: [Bool] = []
        var place: Range<Int64>?
        var padding: [Int] = []
        var bytes: [UInt8] = []

        init(_ packet: Packet) {
            track = packet.track
            times = [packet.pts, packet.dts, packet.duration]
            flags = [packet.isKey, packet.isDiscarded, packet.isCorrupt, packet.hasNewHeader]
            place = packet.place
            padding = [packet.skippedSamples, packet.discardedSamples]
            bytes = packet.bytes
        }
    }

    private func samples(_ demuxer: Demuxer, most: Int = .max) throws -> [Seen] {
        var seen: [Seen] = []
        let packet = try Packet()
        while seen.count < most, case .packet = demuxer.read(into: packet) { seen.append(Seen(packet)) }
        return seen
    }

    /// The ways in which a reader leaves a movie.
    private static let ways: [@Sendable (Demuxer) throws -> Void] = [
        { _ in },
        { demuxer in
            let packet = try Packet()
            for _ in 0..<5 { _ = demuxer.read(into: packet) }
        },
        { demuxer in
            let packet = try Packet()
            while case .packet = demuxer.read(into: packet) {}
        },
        { demuxer in
            demuxer.select(track: demuxer.trackCount - 1)
            _ = demuxer.seek(track: demuxer.trackCount - 1, toTicks: 20_000)
            _ = demuxer.read(into: try Packet())
        },
        { demuxer in
            demuxer.select(track: 0)
            _ = demuxer.seek(track: 0, toTicks: .max / 4)
            let packet = try Packet()
            while case .packet = demuxer.read(into: packet) {}
        },
    ]

    /// The next reader of a file, once another has left it so. Other tests take their turns with idle movies too.
    private func next(_ source: SourceFile, _ leave: (Demuxer) throws -> Void) throws -> Demuxer? {
        for _ in 0..<50 {
            try leave(try Demuxer(source, quick: true))
            let next = try Demuxer(source, quick: true)
            if next.isTakenOver { return next }
        }
        return nil
    }

    private static let sound = ["-c:a", "aac", "-b:a", "64k"]
    static let films: [Film] = [
        Film(
            name: "B-frames and AAC", type: "mp4",
            words: Film.video() + Film.noise() + Film.h264() + sound),
        Film(
            name: "QuickTime with a timecode track and PCM", type: "mov",
            words: Film.video() + Film.noise() + Film.h264() + [
                "-c:a", "pcm_s16le", "-timecode", "01:00:00:00",
            ]),
        Film(name: "sound alone", type: "m4a", words: Film.noise() + sound),
        Film(
            name: "a late track", type: "mp4",
            words: Film.video() + ["-itsoffset", "0.7"] + Film.noise() + Film.h264() + sound),
        Film(
            name: "an index at the beginning", type: "mp4",
            words: Film.video() + Film.noise() + Film.h264() + sound + ["-movflags", "+faststart"]),
        Film(
            name: "intra frames", type: "mov",
            words: Film.video() + ["-c:v", "mjpeg"]),
    ]

    @Test(arguments: films) func theNextReaderReadsTheSame(_ film: Film) throws {
        let source = try scratch.source(try film.make(in: scratch))
        let fresh = try samples(try Demuxer(source, quick: true))
        #expect(fresh.count > 50)
        for leave in IdleMoviesTests.ways {
            let whole = try #require(try next(source, leave), "\(film) is not kept")
            #expect(try samples(whole) == fresh)
        }
    }

    /// Files of the field, whatever is in them: what is kept must read the same.
    @Test(.enabled(if: Paths.hasMedia("MANIFEST.tsv"), "shared/media does not lie beside the checkout"))
    func realMoviesReadTheSame() throws {
        var kept = 0
        for name in try FileManager.default.contentsOfDirectory(atPath: Paths.media).sorted()
        where [".mp4", ".mov", ".m4a", ".m4v", ".3gp"].contains(where: name.hasSuffix) {
            let source = try scratch.source(Paths.media + "/" + name)
            guard let demuxer = try? Demuxer(source, quick: true) else { continue }
            let fresh = try samples(demuxer, most: 200)
            for leave in IdleMoviesTests.ways.prefix(4) {
                guard let demuxer = try? Demuxer(source, quick: true) else { continue }
                try leave(demuxer)
                let next = try Demuxer(source, quick: true)
                kept += next.isTakenOver ? 1 : 0
                #expect(try samples(next, most: 200) == fresh, "\(name)")
            }
        }
        #expect(kept > 0)
    }

    /// FFmpeg's index of it grows with reading.
    @Test func aMovieInFragmentsIsNotKept() throws {
        let file = scratch.name("mp4")
        try Tool.ffmpeg(
            Film.video() + Film.h264() + ["-movflags", "+frag_keyframe+empty_moov", file])
        let source = try scratch.source(file)
        #expect(try next(source) { _ in } == nil)
    }

    @Test func anotherContainerIsNotKept() throws {
        let file = scratch.name("mkv")
        try Tool.ffmpeg(Film.video() + Film.h264() + [file])
        #expect(try next(try scratch.source(file)) { _ in } == nil)
    }

    /// Zeros take the place of bytes that were left out.
    @Test func aReaderThatLeftBytesOutLeavesNothing() throws {
        let source = try scratch.source(try IdleMoviesTests.films[0].make(in: scratch))
        #expect(try next(source) { $0.omitContents(of: 0, but: 100) } == nil)
    }

    /// The file has the same size and, as far as the clock of the file system tells, the same time of change.
    @Test func aMovieThatThisProcessHasWrittenIsOpenedAnew() throws {
        let first = try IdleMoviesTests.films[0].make(in: scratch)
        let source = SourceFile(
            descriptor: try scratch.existing(first), size: try scratch.source(first).size, name: "a.mp4")
        #expect(try next(source) { _ in } != nil)
        try source.write(source.bytes(at: 0, count: 8), at: 0, "writing")
        #expect(try !Demuxer(source, quick: true).isTakenOver)
    }

    @Test func anotherFileIsNotTaken() throws {
        let (first, second) = (
            try scratch.source(try IdleMoviesTests.films[0].make(in: scratch)),
            try scratch.source(try IdleMoviesTests.films[0].make(in: scratch))
        )
        #expect(try next(first) { _ in } != nil)
        #expect(try !Demuxer(second, quick: true).isTakenOver)
    }
}
