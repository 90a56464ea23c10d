// Edit lists of several parts and with gaps, as ISO/IEC 14496-12 says them: a gap is silence, or the frame before it held, as long as it
// lasts. FFmpeg reads them otherwise; what is expected here is made of the media itself, as ffmpeg reads it without the list.
import Foundation
import Libav
import Media
import MediaTime
import Signals
import Testing

@testable import Check
@testable import Source

@Suite(.timeLimit(.minutes(10))) struct EditListTests {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    /// Parts of a track's media, in milliseconds: how long, and from when on; nil: nothing.
    struct List: CustomTestStringConvertible, Sendable {
        var name: String
        var parts: [(length: Int, media: Int?)]
        var testDescription: String { name }

        /// Where each part begins in the presentation, where it ends, and its media.
        var placed: [(start: Int, end: Int, media: Int)] {
            var time = 0
            return parts.compactMap { part in
                defer { time += part.length }
                return part.media.map { (time, time + part.length, $0) }
            }
        }
    }

    static let lists = [
        List(name: "a gap", parts: [(2000, 64), (2000, nil), (2000, 2064)]),
        List(name: "a gap inside packets", parts: [(1111, 75), (777, nil), (1313, 1501)]),
        List(name: "a short gap", parts: [(1000, 64), (100, nil), (1500, 1100)]),
        List(
            name: "two gaps behind a late start",
            parts: [(500, nil), (900, 64), (700, nil), (800, 64), (60, nil), (1000, 2000)]),
        List(name: "a jump", parts: [(1000, 64), (1500, 2500)]),
        List(name: "the same twice", parts: [(1000, 500), (1000, 500)]),
        List(name: "backwards", parts: [(1234, 2500), (1000, 333)]),
        List(name: "nothing at the end", parts: [(2000, 64), (1500, nil)]),
        List(name: "one part in two entries", parts: [(1000, 64), (1000, 1064)]),
    ]

    private func film(_ type: String, _ codec: [String], _ list: List) throws -> (
        edited: String, plain: String
    ) {
        let plain = try Film(
            name: "", type: type,
            words: Film.video(seconds: "5") + Film.noise(16_000, seconds: "5") + codec + [
                "-bf", "2", "-g", "25",
            ]
        ).make(in: scratch)
        var movie = try EditedMovie(plain)
        for (track, rate) in [(0, 12_800), (1, 16_000)] {
            try movie.set(
                list.parts.map { part in
                    EditedMovie.Edit(
                        duration: UInt32(part.length), media: part.media.map { Int32($0 * rate / 1000) })
                }, ofTrack: track)
        }
        let edited = scratch.name(type)
        try movie.write(edited)
        return (edited, plain)
    }

    /// Samples of a file's audio, of 16 bits.
    private func samples(_ file: String, _ before: [String] = []) throws -> [Int16] {
        let bytes = try Tool.ffmpeg(
            before + ["-i", file, "-map", "0:a:0", "-f", "s16le", "-c:a", "pcm_s16le", "-"])
        return Signals.samples(bytes)
    }

    /// The audio of a list, from the first of its parts on.
    private func expected(_ list: List, _ media: [Int16]) -> [Int16] {
        let (first, last) = (list.placed.first?.start ?? 0, list.placed.last?.end ?? 0)
        var audio = [Int16](repeating: 0, count: last * 16)
        for part in list.placed {
            for index in 0..<(part.end - part.start) * 16 where part.media * 16 + index < media.count {
                audio[part.start * 16 + index] = media[part.media * 16 + index]
            }
        }
        return Array(audio[(first * 16)...])
    }

    @Test(arguments: lists, [["-c:a", "pcm_s16le"], ["-c:a", "aac", "-aac_pns", "0"]])
    func audioIsThatOfTheParts(_ list: List, _ codec: [String]) throws {
        let (edited, plain) = try film("mov", Film.h264() + codec, list)
        let media = try samples(plain, ["-ignore_editlist", "1"])
        let whole = expected(list, media)
        let length = Time(Int64(whole.count), 16_000)
        for (start, end) in [(Time.zero, nil as Time?), (Time(9, 10), length - Time(1, 5))] {
            let made = try export(edited, "wav", start: start, end: end, in: scratch, type: "wav")
            let from = Int((start.seconds * 16_000).rounded())
            let to = end.map { Int(($0.seconds * 16_000).rounded()) } ?? whole.count
            let found = try samples(made.file)
            #expect(found.count == to - from)
            let wrong = zip(found, whole[from..<to]).enumerated().filter { abs(Int($1.0) - Int($1.1)) > 1 }
            #expect(
                wrong.isEmpty, "\(wrong.count) of \(found.count), the first at \(wrong.first?.offset ?? 0)")
        }
    }

    /// PCM loses nothing where parts meet.
    @Test(arguments: lists) func samplesOfPCMStay(_ list: List) throws {
        let (edited, plain) = try film("mov", Film.h264() + ["-c:a", "pcm_s16le"], list)
        let whole = expected(list, try samples(plain, ["-ignore_editlist", "1"]))
        let made = try export(
            edited, "passthrough", start: Time(1, 2), end: Time(Int64(whole.count), 16_000) - Time(1, 5),
            in: scratch, type: "mov"
        ) {
            ($0.render, $0.options) = (.auto, ExportOptions())
            $0.options?.video = "none"
        }
        let audio = try #require(made.result.tracks.first)
        #expect(made.result.tracks.count == 1 && audio.codec == "pcm_s16le")
        #expect(try samples(made.file) == Array(whole[8000..<(whole.count - 3200)]))
    }

    /// The frames that a list shows, with the times at which they begin and their numbers in the media, in milliseconds.
    private func shown(_ list: List, frames: Int) -> [(time: Int, number: Int)] {
        let first = list.placed.first?.start ?? 0
        return list.placed.enumerated().flatMap { index, part in
            // The media of the part before go on: a frame over the seam is one.
            let before = index > 0 ? list.placed[index - 1] : nil
            let goesOn =
                before.map { $0.end == part.start && $0.media + $0.end - $0.start == part.media } ?? false
            return (0..<frames).compactMap { number -> (Int, Int)? in
                // Of 25 a second; the first is shown at the media time of 80 ms, as B-frames delay it.
                let begin = 80 + number * 40
                guard begin < part.media + part.end - part.start, begin + 40 > part.media else { return nil }
                if goesOn, begin < part.media { return nil }
                return (part.start - first + max(0, begin - part.media), number)
            }
        }
    }

    /// Whether times are those to a millisecond, since ticks are rounded.
    private func isNear(_ times: [Int], _ others: [Int]) -> Bool {
        times.count == others.count && zip(times, others).allSatisfy { abs($0 - $1) <= 1 }
    }

    @Test(arguments: lists) func framesAreThoseOfTheParts(_ list: List) throws {
        let (edited, plain) = try film("mov", Film.h264() + ["-c:a", "pcm_s16le"], list)
        let sums = try FrameSums.of(plain)
        let wanted = shown(list, frames: sums.count)
        let reader = try FrameReader(
            try scratch.source(edited),
            try #require(try Probe.asset(of: try scratch.source(edited)).mainVideo),
            origin: try #require(Probe.origin(of: try scratch.source(edited))), at: .zero,
            diagnostics: Diagnostics())
        var times: [Int] = []
        while let shown = try reader.next() { times.append(Int((shown.time.seconds * 1000).rounded())) }
        #expect(isNear(times, wanted.map(\.time)), "\(times), not \(wanted.map(\.time))")
        // Frames that an export shows, and for how long.
        let made = try export(edited, "m4v480", in: scratch)
        let found = try FrameSums.milliseconds(of: made.file)
        #expect(isNear(found, wanted.map(\.time)), "\(found), not \(wanted.map(\.time))")
        try verify(made, in: scratch)
    }

    /// A rate that is not applied is told.
    @Test func anotherRateIsSaid() throws {
        let (edited, _) = try film(
            "mov", Film.h264() + ["-c:a", "pcm_s16le"], List(name: "", parts: [(2000, 64)]))
        var movie = try EditedMovie(edited)
        try movie.set([EditedMovie.Edit(duration: 2000, media: 1024, rate: 1 << 17)], ofTrack: 0)
        try movie.write(edited)
        let asset = try Probe.asset(of: try scratch.source(edited))
        #expect(asset.faults.contains { $0.code == .editRate && $0.track == 0 })
        let made = try export(
            edited, "passthrough", start: Time(1, 2), end: Time(1, 1), in: scratch, type: "mov"
        ) {
            ($0.render, $0.output.name) = (.auto, "out.mov")
        }
        #expect(made.result.warnings.contains { $0.code == .timestamps && $0.track == 0 })
    }

    /// Audio that nobody asked to encode is encoded where parts meet, and a warning says so.
    @Test func audioThatIsEncodedForAGapIsReported() throws {
        let plain = try Film(
            name: "", type: "mov",
            words: Film.video(seconds: "5") + Film.noise(16_000, seconds: "5") + Film.h264()
                + ["-c:a", "aac", "-g", "25"]
        ).make(in: scratch)
        var movie = try EditedMovie(plain)
        let parts: [(length: UInt32, media: Int32?)] = [(2000, 1024), (1000, nil), (2000, 33_024)]
        try movie.set(
            parts.map { EditedMovie.Edit(duration: $0.length, media: $0.media) }, ofTrack: 1)
        let edited = scratch.name("mov")
        try movie.write(edited)
        let made = try export(
            edited, "passthrough", start: Time(1, 1), end: Time(4, 1), in: scratch, type: "mov"
        ) { $0.render = .auto }
        #expect(made.result.render != .encode)
        #expect(made.result.warnings.contains { $0.code == .encodedInstead && $0.track == 1 })
    }

    /// Parts of an edit list are joined as ranges are: what lies between keyframes is copied, and nothing else of the media is shown.
    @Test(arguments: lists) func framesAreThoseOfThePartsWhereTheyAreCopied(_ list: List) throws {
        let (edited, plain) = try film("mov", Film.h264() + ["-c:a", "pcm_s16le"], list)
        let whole = shown(list, frames: try FrameSums.of(plain).count).map(\.time)
        let (from, to) = (500, (whole.last ?? 0) - 200)
        let made = try export(
            edited, "passthrough", start: Time(Int64(from), 1000), end: Time(Int64(to), 1000), in: scratch,
            type: "mov"
        ) { $0.render = .smart }
        let wanted = zip(whole, whole.dropFirst() + [to]).filter { $0.1 > from && $0.0 < to }
            .map { max(0, $0.0 - from) }
        let found = try FrameSums.milliseconds(of: made.file)
        #expect(isNear(found, wanted), "\(found), not \(wanted)")
        #expect(made.result.tracks.contains { $0.kind == .video && $0.way == .smart })
        try verify(made, in: scratch)
    }

    /// An edit list that ends inside the last frame, or the last packet: an open end is there.
    @Test(arguments: [RenderMode.smart, .encode], [nil, Time(1, 2)])
    func anOpenEndIsThatOfTheEditList(_ render: RenderMode, _ start: Time?) throws {
        let (edited, _) = try film(
            "mov", Film.h264() + ["-c:a", "pcm_s16le"], List(name: "", parts: [(2985, 80)]))
        let asset = try Probe.asset(of: try scratch.source(edited))
        #expect(asset.duration == Time(2985, 1000))
        let made = try export(
            edited, render == .encode ? "m4v480" : "passthrough", start: start, in: scratch,
            type: render == .encode ? "m4v" : "mov"
        ) { ($0.render, $0.output.name) = (render, nil) }
        let length = Time(2985, 1000) - (start ?? .zero)
        for track in made.result.tracks {
            #expect(
                (track.length - length).absoluteValue <= Time(1, 12_800), "\(track.kind): \(track.length)")
        }
        #expect(made.result.actual.end == Time(2985, 1000))
        try verify(made, in: scratch)
        let report = try Comparison(
            try scratch.source(edited), try scratch.source(made.file),
            RangeRequest(start: start.map { .time($0) }, end: nil)
        ).run(picture: nil)
        #expect(report.exact, "\(report.findings)")
    }
}
