// Errors in a request's times are reported before anything is decoded.
import Libav
import Media
import MediaTime
import Testing

@testable import Export
@testable import Source

struct TimeResolutionTests {
    /// Ten seconds of audio only; the source is never read.
    private func resolve(
        _ start: TimeSpelling?, _ end: TimeSpelling?, duration: TimeSpelling? = nil, strict: Bool = false,
        snap: Snap? = nil, length: Time? = Time(10, 1), diagnostics: Diagnostics = Diagnostics()
    ) throws -> ResolvedRange {
        let asset = Asset(
            container: Container(format: "wav", name: "WAV"), start: .zero, duration: length, bytes: 1,
            tracks: [Track(index: 0, kind: .audio, codec: "pcm_s16le", timebase: .milliseconds)])
        let request = ExportRequest(
            input: "/a.wav", output: OutputTarget(folder: "/", name: nil, stem: "a"),
            range: RangeRequest(start: start, end: end, duration: duration, snap: snap),
            preset: try preset("m4a"), strict: strict)
        let source = SourceFile(descriptor: -1, size: 0, name: "a.wav")
        return try TimeResolution(asset: asset, source: source, diagnostics: diagnostics).range(request)
    }

    private func refused(
        _ start: TimeSpelling?, _ end: TimeSpelling?, duration: TimeSpelling? = nil, strict: Bool = false,
        snap: Snap? = nil, length: Time? = Time(10, 1), as code: ErrorCode = .invalidTime, says: String
    ) throws {
        let error = try #require(throws: MediaError.self) {
            _ = try resolve(start, end, duration: duration, strict: strict, snap: snap, length: length)
        }
        #expect(error.code == code)
        #expect(error.code.exitCode == 2)
        #expect(error.description.contains(says), "\(error)")
    }

    private func seconds(_ value: Int64, _ scale: Int32 = 1) -> TimeSpelling { .time(Time(value, scale)) }

    @Test func nothingGivenIsEverything() throws {
        let range = try resolve(nil, nil)
        #expect(range.start == .zero)
        #expect(range.end == nil, "every track to its own end")
        #expect(range.requested == TimeSpan(start: .zero, end: Time(10, 1)))
    }

    @Test func timesAreExact() throws {
        let range = try resolve(seconds(441_001, 44_100), nil, duration: seconds(1, 3), length: Time(20, 1))
        #expect(range.start == Time(441_001, 44_100))
        #expect(range.end == Time(441_001, 44_100) + Time(1, 3))
    }

    @Test func timesFromTheEnd() throws {
        let range = try resolve(.fromEnd(Time(3, 1)), .fromEnd(Time(1, 1)))
        #expect((range.start, range.end) == (Time(7, 1), Time(9, 1)))
        #expect(try resolve(.fromEnd(Time(3, 1)), .end).end == nil)
    }

    /// Parts of the duration, and ends that count from the start.
    @Test(
        arguments: [
            ("2", "+3", nil, Time(2, 1), Time(5, 1)), (nil, "+3", nil, .zero, Time(3, 1)),
            ("2", "+1/3", nil, Time(2, 1), Time(7, 3)), ("-4", "+500ms", nil, Time(6, 1), Time(13, 2)),
            ("25%", "50%", nil, Time(5, 2), Time(5, 1)), ("50%", nil, "12.5%", Time(5, 1), Time(25, 4)),
            ("50%", "+1,5", nil, Time(5, 1), Time(13, 2)),
        ] as [(String?, String?, String?, Time, Time)])
    func timesFromTheStartAndInParts(
        start: String?, end: String?, duration: String?, from: Time, to: Time
    ) throws {
        func parsed(_ text: String?) throws -> TimeSpelling? { try text.map { try TimeSpelling.parse($0) } }
        let range = try resolve(parsed(start), parsed(end), duration: parsed(duration))
        #expect((range.start, range.end) == (from, to))
    }

    /// Between two samples of 44.1 kHz, the third of which begins at a second.
    @Test(
        arguments: [
            (CutRounding.down, Int64(44_100), Int64(88_201)), (.up, 44_101, 88_202), (.away, 44_101, 88_202),
            (.nearest, 44_100, 88_202),
        ])
    func aPointBetweenTwoSamplesIsRoundedAsAsked(rounding: CutRounding, from: Int64, to: Int64) throws {
        var track = Track(index: 0, kind: .audio, codec: "pcm_s16le", timebase: .milliseconds)
        track.audio = AudioFormat(
            sampleRate: 44_100, channels: 1, channelLayout: "mono", sampleFormat: "s16", priming: 0)
        let asset = Asset(
            container: Container(format: "wav", name: "WAV"), start: .zero, duration: Time(10, 1), bytes: 1,
            tracks: [track])
        let diagnostics = Diagnostics()
        let resolution = TimeResolution(
            asset: asset, source: SourceFile(descriptor: -1, size: 0, name: "a.wav"), diagnostics: diagnostics
        )
        let (start, end) = (Time(441_001, 441_000), Time(882_018, 441_000))
        let range = try resolution.range(
            RangeRequest(start: .time(start), end: .time(end), round: rounding))
        #expect((range.start, range.end) == (Time(from, 44_100), Time(to, 44_100)))
        #expect(range.requested == TimeSpan(start: start, end: end))
        #expect(diagnostics.warnings.map(\.code) == [.timeRounded])
        // A sample's own time stays.
        _ = try resolution.range(
            RangeRequest(start: .time(Time(1, 1)), end: .time(Time(2, 1)), round: rounding))
        #expect(diagnostics.warnings.count == 1)
    }

    @Test func aStartCountsFromNoStart() throws {
        try refused(.afterStart(.decimal(Time(3, 1))), nil, says: "only its end")
        try refused(.percent(Ratio(50)), nil, length: nil, says: "needs the file's duration")
        try refused(.decimal(Time(5, 1)), .afterStart(.decimal(.zero)), says: "empty")
    }

    @Test func anEndBeyondTheEndIsMovedWithAWarning() throws {
        let diagnostics = Diagnostics()
        let range = try resolve(seconds(1), seconds(11), diagnostics: diagnostics)
        #expect(range.end == Time(11, 1), "no track goes on for longer than asked")
        #expect(diagnostics.warnings.map(\.code) == [.endClamped])
        #expect(range.requested.end == Time(11, 1), "what was asked for is kept")
        #expect(try resolve(seconds(1), seconds(10)).end == Time(10, 1))
        try refused(seconds(1), seconds(11), strict: true, says: "past the end")
    }

    @Test func aRangeThatIsNoneIsRefused() throws {
        try refused(seconds(5), seconds(5), says: "empty")
        try refused(seconds(5), seconds(4), says: "inverted")
        try refused(seconds(5), nil, duration: seconds(0), says: "empty")
        try refused(.end, seconds(5), says: "inverted")
        try refused(seconds(12), seconds(11), says: "inverted")
    }

    @Test func aStartAtOrBeyondTheEndIsRefused() throws {
        try refused(seconds(10), nil, says: "the end (00:00:10.000)")
        try refused(seconds(99), nil, says: "the end (00:00:10.000)")
        try refused(seconds(99), seconds(100), says: "the end (00:00:10.000)")
        try refused(.end, nil, says: "the end (00:00:10.000)")
    }

    @Test func aTimeBeforeTheBeginningIsRefused() throws {
        try refused(.fromEnd(Time(11, 1)), nil, says: "start")
        try refused(nil, .fromEnd(Time(11, 1)), says: "end")
    }

    @Test func endAndDurationTogetherAreRefused() throws {
        try refused(
            nil, seconds(5), duration: seconds(5), as: .invalidRequest, says: "both --end and --duration")
    }

    @Test func aDurationMustBeALength() throws {
        try refused(nil, nil, duration: .end, says: "not a length of time")
        try refused(nil, nil, duration: .fromEnd(Time(1, 1)), says: "not a length of time")
    }

    @Test func whereTheLengthIsNotKnownNothingCountsFromTheEnd() throws {
        try refused(.fromEnd(Time(1, 1)), nil, length: nil, says: "duration, which is not known")
        try refused(nil, .end, length: nil, says: "duration, which is not known")
        let range = try resolve(seconds(50), seconds(60), length: nil)
        #expect((range.start, range.end) == (Time(50, 1), Time(60, 1)))
    }

    @Test func framesNeedVideo() throws {
        try refused(.frame(3), nil, says: "video")
        try refused(nil, nil, duration: .frame(3), says: "video")
        try refused(
            .timecode(hours: 0, minutes: 0, seconds: 1, frames: 0, dropFrame: false), nil, says: "video")
        try refused(seconds(1), nil, snap: .frame, as: .invalidRequest, says: "video")
    }
}
