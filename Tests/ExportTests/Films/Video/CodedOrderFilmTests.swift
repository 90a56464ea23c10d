// FFmpeg writes H.264 to MXF with the order of storage alone, AVI and ASF hold no other, and old FLV has none: frames are found in the order of
// presentation all the same.
import Export
import FoundationEssentials
import Media
import MediaTime
import Signals
import Testing

@testable import Libav

@Suite(.timeLimit(.minutes(10))) struct CodedOrderFilmTests {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    struct Kind: CustomTestStringConvertible, Sendable {
        var testDescription: String
        var options: String
        /// Of fields, half the height is too small to compare.
        var size = "96x72"
        var muxer = "mxf"
        var audio: [String] = []
    }

    static let kinds = [
        Kind(testDescription: "closed GOPs", options: "keyint=25"),
        Kind(testDescription: "open GOPs and audio", options: "open-gop=1", audio: ["-c:a", "pcm_s16le"]),
        Kind(testDescription: "pyramid", options: "keyint=50:bframes=7:b-adapt=0:b-pyramid=normal"),
        Kind(testDescription: "clip-wrapped", options: "keyint=25", muxer: "mxf_opatom"),
        Kind(testDescription: "one sequence", options: "keyint=infinite"),
        Kind(testDescription: "fields", options: "keyint=25:tff=1", size: "160x120"),
    ]

    /// The same samples in a movie, which knows both orders, and in MXF.
    private func films(_ kind: Kind) throws -> (movie: String, mxf: String) {
        let movie = try Film(
            name: "", type: "mov",
            words: Film.video(size: kind.size, seconds: "4")
                + (kind.audio.isEmpty ? [] : Film.noise(48_000, seconds: "4"))
                + Film.h264(kind.options) + kind.audio
        ).make(in: scratch)
        let mxf = scratch.name("mxf")
        try Tool.ffmpeg(["-i", movie, "-c", "copy", "-bsf:v", "h264_mp4toannexb", "-f", kind.muxer, mxf])
        return (movie, mxf)
    }

    @Test(arguments: kinds) func everyFrameIsAtItsTime(_ kind: Kind) throws {
        let (movie, mxf) = try films(kind)
        let truth = try Truth(movie)
        let (frames, pictures) = (try truth.frames(), try truth.thumbnails())
        let ranges: [(RenderMode, Time?, Time?)] = [
            (.copy, nil, nil), (.smart, Time(28, 25), Time(77, 25)), (.encode, Time(31, 25), Time(62, 25)),
            (.copy, Time(52, 25), Time(80, 25)),
        ]
        for (way, start, end) in ranges {
            let made = try export(
                mxf, way == .encode ? "highest" : "passthrough", start: start, end: end, in: scratch,
                type: "mp4"
            ) { $0.render = way }
            let wanted = try expected(frames, start: start ?? .zero, end: end)
            let output = try Truth(made.file)
            let got = try output.frames()
            #expect(got.map(\.time) == wanted.times, "\(way)")
            for (index, picture) in zip(wanted.indices, try output.thumbnails()) {
                let off = difference(picture, pictures[index])
                #expect(off < 4 * picture.count, "\(way): frame \(index) is another")
            }
            try verify(made, in: scratch)
        }
    }

    /// FFmpeg's decoder shows frames of AVI and ASF at the times of decoding, so the first is as late as frames are held back.
    @Test(
        arguments: ["avi", "asf", "flv"],
        ["keyint=25", "keyint=30:bframes=7:b-adapt=0", "open-gop=1:keyint=20"])
    func framesOfDecodingTimesAreCopied(_ type: String, _ options: String) throws {
        let movie = try Film(
            name: "", type: "mov", words: Film.video(size: "96x72", seconds: "4") + Film.h264(options)
        )
        .make(
            in: scratch)
        let film = scratch.name(type)
        if type == "flv" {
            try Tool.ffmpeg(["-i", movie, "-c", "copy", film])
            try forgetOffsets(in: film)
        } else {
            try Tool.ffmpeg(["-i", movie, "-c", "copy", "-bsf:v", "h264_mp4toannexb", film])
        }
        // FFmpeg gives the last frames no times. Of FLV it believes the first ones: those of presentation, which are of decoding.
        let truth = try Truth(film)
        let (ticks, video) = (truth.decoded.compactMap(\.best_effort_timestamp), try #require(truth.video))
        let (stored, number) = (try Truth(movie).frames(), type == "flv" ? 20 : 0)
        let held = video.time(ticks[number]) - truth.origin - stored[number].time
        #expect(held > .zero)
        let frames = stored.map { Shown(time: $0.time + held, duration: $0.duration) }
        let pictures = try truth.thumbnails()
        for (way, start, end) in [
            (RenderMode.copy, Time.zero, Time(2, 1)), (.smart, Time(28, 25), Time(65, 25)),
            (.encode, Time(31, 25), Time(62, 25)),
        ] {
            let made = try export(
                film, way == .encode ? "highest" : "passthrough", start: start, end: end, in: scratch,
                type: "mp4"
            ) { ($0.render, $0.output.name) = (way, "o.mp4") }
            let wanted = try expected(frames, start: start, end: end)
            let output = try Truth(made.file)
            #expect(try output.frames().map { $0.time + output.origin } == wanted.times, "\(way)")
            for (index, picture) in zip(wanted.indices, try output.thumbnails()) {
                let off = difference(picture, pictures[index])
                #expect(off < 4 * picture.count, "\(way): frame \(index) is another")
            }
            try verify(made, in: scratch)
        }
    }

    /// Sets the offsets from the times of decoding to those of presentation to 0 (Adobe FLV, E.4.3.1), as old writers did.
    private func forgetOffsets(in file: String) throws {
        var bytes = [UInt8](try Data(contentsOf: URL(filePath: file)))
        var at = 13
        while at + 11 < bytes.count {
            let size = bytes[(at + 1)...(at + 3)].reduce(0) { $0 << 8 | Int($1) }
            if bytes[at] == 9, bytes[at + 12] == 1 {
                for offset in 13...15 { bytes[at + offset] = 0 }
            }
            at += 11 + size + 4
        }
        try Data(bytes).write(to: URL(filePath: file))
    }

    @Test func anIndexThatKnowsBothOrdersIsBelieved() throws {
        let file = try Film(
            name: "", type: "mxf", words: Film.video() + ["-c:v", "mpeg2video", "-g", "12", "-bf", "2"]
        ).make(in: scratch)
        let truth = try Truth(file)
        let made = try export(
            file, "passthrough", start: Time(14, 25), end: Time(50, 25), in: scratch, type: "mp4"
        ) { $0.render = .smart }
        let wanted = try expected(try truth.frames(), start: Time(14, 25), end: Time(50, 25))
        #expect(try Truth(made.file).frames().map(\.time) == wanted.times)
    }
}

@Suite struct CodedOrderTests {
    @Test func placesFollowFromTheCountsOfEachSequence() throws {
        let order = try #require(
            CodedOrder(stored: Array(10..<18), sequences: [[0, 8, 4, 2, 6], [0, 2, 1]]))
        #expect((10..<18).map { order.times(ofStored: $0)?.pts } == [10, 14, 12, 11, 13, 15, 17, 16])
        #expect((10..<18).map { order.times(ofStored: $0)?.dts } == Array(8..<16))
        #expect(order.delay == 2 && order.lead == 3)
        for other in [9, 18, Int64.min, .max] { #expect(order.times(ofStored: other) == nil) }
        #expect(order.stored(beforePresentation: 14) == 11)
    }

    /// A decoder that holds two frames back shows a frame when the second after its place is decoded.
    @Test func timesOfDecodingKeepTheirSteps() throws {
        let order = try #require(
            CodedOrder(stored: [0, 40, 80, 130, 180], sequences: [[0, 6, 2, 4, 8]], held: 2))
        #expect([0, 40, 80, 130, 180].map { order.times(ofStored: $0)?.pts } == [80, 230, 130, 180, 280])
        #expect([0, 40, 80, 130, 180].map { order.times(ofStored: $0)?.dts } == [0, 40, 80, 130, 180])
        #expect(order.stored(beforePresentation: 280) <= 40)
        #expect(CodedOrder(stored: [0, 0, 1], sequences: [[0, 2, 4]]) == nil)
    }

    /// Two frames at one place, and more frames held back than H.264 allows.
    @Test func countsThatGiveNoOrderAreNotGuessedAt() {
        #expect(CodedOrder(stored: [0, 1, 2], sequences: [[0, 2, 2]]) == nil)
        #expect(CodedOrder(stored: Array(0...17), sequences: [Array(1...17).map { 2 * $0 } + [0]]) == nil)
        #expect(CodedOrder(stored: Array(0...16), sequences: [Array(1...16).map { 2 * $0 } + [0]]) != nil)
    }

    /// I0 P3 B1 B2 P6 B4 B5, at places in the file.
    @Test func framesWithoutTimesFollowEachOther() throws {
        let frames = [0, 100, 180, 190, 200, 270, 280].enumerated().map { index, place in
            CodedOrder.Numbered(place: Int64(place), duration: 40, isSync: index == 0 || index == 4)
        }
        let types = [true, true, false, false, true, false, false]
        let order = try #require(CodedOrder(frames, shown: CodedOrder.shown(areReferences: types), from: 10))
        #expect(
            frames.map { order.times(ofStored: $0.place)?.pts } == [10, 130, 50, 90, 250, 170, 210])
        #expect(order.span == 10..<290)
        #expect(order.times(ofStored: 101) == nil)
        #expect(
            order.seekPlace(beforePresentation: 249) == 0 && order.seekPlace(beforePresentation: 250) == 200)
        #expect(order.seekPlace(beforePresentation: 0) == 0, "before the first one")
        for place in frames.map(\.place) {
            let times = try #require(order.times(ofStored: place))
            #expect(times.dts <= times.pts)
        }
    }

    @Test func framesWithoutTimesOrDurationsHaveNone() {
        let still = [CodedOrder.Numbered(place: 0, duration: 0, isSync: true)]
        #expect(CodedOrder(still, shown: [0], from: 0) == nil)
        let endless = [0, 1].map { CodedOrder.Numbered(place: $0, duration: .max, isSync: true) }
        #expect(CodedOrder(endless, shown: [0, 1], from: 0) == nil)
        #expect(CodedOrder([], shown: [], from: 0) == nil)
    }
}
