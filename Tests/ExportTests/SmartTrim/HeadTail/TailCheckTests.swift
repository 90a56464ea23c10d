// Frames copied before a tail are known by their samples, so that only the tail is decoded; whatever differs is found as before.
import FoundationEssentials
import Libav
import Media
import MediaTime
import Testing

@testable import Check
@testable import Export
@testable import Render
@testable import Source

@Suite(.timeLimit(.minutes(10))) struct TailCheckTests {
    let scratch: Scratch
    /// The out point of the trims: by default at the end of a frame.
    private var end = Time(718, 25)

    init() throws { scratch = try Scratch() }

    /// A film that is too long to be checked as a whole, of groups of ten seconds.
    private func film() throws -> String {
        let file = scratch.name("mp4")
        try Tool.ffmpeg([
            "-f", "lavfi", "-i", "testsrc2=s=160x90:r=25:d=30", "-c:v", "libx264", "-preset", "superfast",
            "-g", "250", "-bf", "3", "-x264-params", "b-adapt=0:scenecut=0", file,
        ])
        return file
    }

    /// A smart trim of a film, and its check.
    private struct Case {
        var file: String
        var check: JoinCheck
        var track: Track
        var zero: Time
        var output: ProbedFile
        /// The out point.
        var end: Time

        /// The end of the part, with the last frames that are copied.
        var window: JoinCheck.Window {
            get throws {
                let part = try #require(check.plan.parts.first)
                let all = check.windows(part, length: end)
                return try #require(all.last)
            }
        }
    }

    /// A smart trim that ends so many frames earlier than the one that the check expects.
    private func smartTrim(_ input: String, earlier frames: Int64 = 0) throws -> Case {
        let end = self.end - Time(frames, 25)
        let file = try export(input, "passthrough", end: end, in: scratch, type: "mp4") {
            $0.render = .smart
        }.file
        return try check(file, of: input)
    }

    private func check(
        _ file: String, of input: String, leavesDecoding: Bool = true, knows: Bool = true
    ) throws -> Case {
        let request = ExportRequest(
            input: input, output: OutputTarget(folder: scratch.path, name: "out.mp4", stem: "out"),
            range: RangeRequest(end: .time(end)), preset: try preset("passthrough"),
            render: .smart)
        let exporter = Exporter(try scratch.source(input), request)
        var attempt = RenderAttempt(exporter, try exporter.prepare(Diagnostics()), output: -1)
        let plan = try attempt.planned(RenderStrategy.Way(render: .smart))
        let smartTrim = try #require(plan.smartTrim)
        let output = ProbedFile(try scratch.source(file))
        let video = try #require(try output.asset().tracks.first { $0.kind == .video })
        let tail = try #require(smartTrim.parts.first?.plan.tail, "the film has no tail there")
        let recorded = HeadTailFrames()
        if knows { recorded.record(try self.frames(exporter.source, smartTrim.track, plan.origin, tail)) }
        let check = JoinCheck(
            source: exporter.source, output: output.file, plan: smartTrim, origin: plan.origin,
            index: video.index, fileType: plan.fileType, recordedFrames: recorded,
            leavesDecoding: leavesDecoding)
        return Case(
            file: file, check: check, track: video, zero: plan.fileType.zero, output: output, end: end)
    }

    /// The frames that the lane records while it decodes the source for the tail.
    private func frames(
        _ source: SourceFile, _ track: Track, _ origin: Time, _ tail: SmartTrimPlan.EncodedSpan
    ) throws -> HeadTailFrames.Span {
        var span = HeadTailFrames.Span(most: 100, beside: 10)
        var clock = FrameClock(track: track, origin: origin)
        let needed = tail.from - HeadTailFrames.margin(track)
        let decoder = HeadTailDecoder(
            source: source, track: track, origin: origin, diagnostics: Diagnostics(), threads: 1)
        let before = try decoder.decode(
            from: track.timebase.time(ofTicks: tail.from) - origin, needed: needed,
            damaged: { _ in span.isDamaged = true },
            { frame in
                let time = clock.time(of: frame).0
                if let pts = frame.bestEffort, pts >= needed, let signature = frame.signature {
                    span.append(HeadTailFrames.SourceFrame(time: time, pts: pts, signature: signature))
                }
                return true
            })
        if before != nil { span.isDamaged = true }
        span.finish(reachesEnd: true)
        return span
    }

    @Test func onlyTheTailIsDecoded() throws {
        let input = try film()
        let made = try smartTrim(input)
        let window = try made.window
        let tail = try #require(window.part.plan.tail)
        let offset = made.check.plan.track.timebase.time(ofTicks: tail.from) - made.check.origin
        let rest = try #require(made.check.fromTail(window, made.track, made.zero))
        #expect(rest.keyframe == offset && rest.from < offset && rest.to == window.to)
        #expect(offset - rest.from < Time(1, 50))
        #expect(try made.check.run(made.output).isEmpty)
        for (leavesDecoding, knows) in [(false, true), (true, false)] {
            let other = try check(made.file, of: input, leavesDecoding: leavesDecoding, knows: knows)
            let whole = try other.window
            #expect(other.check.fromTail(whole, other.track, other.zero) == nil)
            #expect(try other.check.run(other.output).isEmpty)
        }
    }

    /// Damage of the last frames that are copied is told, and not taken for that of another place.
    @Test func damageBeforeATailIsTold() throws {
        let input = try film()
        let made = try smartTrim(input)
        let track = made.check.plan.track
        let window = try made.window
        let tail = try #require(window.part.plan.tail)
        let last = Int((track.timebase.time(ofTicks: tail.from) - made.check.origin).seconds * 25) - 1
        try SampleDamage(input).overwrite((last - 4)...last, keeping: 5)
        let damaged = try smartTrim(input)
        let other = try damaged.window
        #expect(damaged.check.fromTail(other, damaged.track, damaged.zero) == nil)
        #expect(try !damaged.check.run(damaged.output).isEmpty)
        let result = try export(input, "passthrough", end: end, in: scratch, type: "mp4") {
            $0.render = .smart
        }.result
        #expect(result.warnings.contains { $0.code == .damagedMedia })
        #expect(!result.warnings.contains { $0.code == .damagedBefore })
    }

    /// A tail follows with the sets that the samples before it have left, and not with those that it is decoded with alone.
    @Test func samplesWithParameterSetsAreDecoded() throws {
        let input = try film()
        let repeating = scratch.name("mp4")
        try Tool.ffmpeg([
            "-i", input, "-c", "copy", "-bsf:v", "h264_mp4toannexb,dump_extra=freq=all", repeating,
        ])
        let made = try smartTrim(repeating)
        let window = try made.window
        #expect(made.check.fromTail(window, made.track, made.zero) == nil)
        #expect(try made.check.run(made.output).isEmpty)
    }

    /// As those from a transport stream do. Where they bring others, the track is not copied. In the header of the output, the timing is
    /// another one, since the last frame is cut.
    @Test func syncSamplesMayRepeatTheSetsOfTheHeader() throws {
        let repeating = scratch.name("mp4")
        try Tool.ffmpeg([
            "-i", try film(), "-c", "copy", "-bsf:v", "h264_mp4toannexb,dump_extra=freq=keyframe", repeating,
        ])
        var tests = self
        tests.end = Time(7184, 250)
        let made = try tests.smartTrim(repeating)
        let headers = try [repeating, made.file].map {
            try CodecParameters(try Demuxer(try scratch.source($0)), track: 0).extradata
        }
        #expect(headers[0] != headers[1])
        #expect(made.check.fromTail(try made.window, made.track, made.zero) != nil)
        #expect(try made.check.run(made.output).isEmpty)
    }

    @Test func aTailThatEndsEarlyIsFound() throws {
        let input = try film()
        for frames: Int64 in [1, 2, 3] {
            let other = try smartTrim(input, earlier: frames)
            #expect(throws: JoinCheck.Mismatch.self, "\(frames)") { try other.check.run(other.output) }
        }
    }

    /// Each sample of the last group, copied or encoded, in turn.
    @Test func anotherByteIsFoundInEachSample() throws {
        let input = try film()
        let made = try smartTrim(input)
        let bytes = Array(try Data(contentsOf: URL(filePath: made.file)))
        let demuxer = try Demuxer(try scratch.source(made.file))
        var places: [(place: Range<Int64>, isTail: Bool)] = []
        var groups = 0
        let packet = try Packet()
        while case .packet = demuxer.read(into: packet) {
            if packet.isKey { groups += 1 }
            // The third group of the source is the last that is copied, and the tail is one of its own.
            if groups >= 3, let place = packet.place { places.append((place, groups > 3)) }
        }
        #expect(places.count > 150 && places.count(where: \.isTail) > 0)
        for (number, (place, isTail)) in places.enumerated() where isTail || number % 20 == 0 {
            var other = bytes
            // The slice's data; its header is before them.
            for byte in Int(place.upperBound - 4)..<Int(place.upperBound) { other[byte] ^= 0x5A }
            let file = scratch.name("mp4")
            try Data(other).write(to: URL(filePath: file))
            let damaged = try check(file, of: input)
            let rest = damaged.check.fromTail(try damaged.window, damaged.track, damaged.zero)
            #expect((rest != nil) == isTail, "sample \(number)")
        }
    }
}
