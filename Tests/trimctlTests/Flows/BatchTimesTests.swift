// The times of a list against an asset: what is wrong with them, and timecodes at the list's rate or the asset's.
import Lists
import Media
import MediaTime
import Testing
import Wire

@testable import trimctl

@Suite struct BatchTimesTests {
    private func asset(timecode: String? = nil, rate: Ratio = Ratio(25)) -> Asset {
        var track = Track(index: 0, kind: .video, codec: "h264", timebase: .milliseconds)
        var video = VideoFormat(width: 640, height: 360, sampleAspect: Ratio(1))
        video.frameRate = rate
        track.video = video
        track.frameCount = 500
        var asset = Asset(
            container: Container(format: "mov", name: "MOV"), start: .zero, duration: Time(20, 1), bytes: 1,
            tracks: [track])
        asset.timecode = timecode
        return asset
    }

    private func listed(_ start: String?, _ end: String?, rate: Ratio? = nil) throws -> ListedExport {
        var listed = ListedExport(line: 1)
        listed.start = try start.map { try TimeSpelling.parse($0) }
        listed.end = try end.map { try TimeSpelling.parse($0) }
        listed.rate = rate
        return listed
    }

    private func request(_ listed: ListedExport, _ asset: Asset) throws -> SubmitParams {
        var request = SubmitParams(input: "/a")
        try BatchTimes(asset: asset).apply(listed, into: &request)
        return request
    }

    @Test(
        arguments: [
            ("0", "20", 20.0), ("-5", nil, 5), (nil, "-5", 15), ("1", "99", 19),
            ("00:00:01:00", "00:00:02:05", 1.2),
        ] as [(String?, String?, Double)]) func whatIsRight(start: String?, end: String?, length: Double)
        throws
    {
        let asset = asset()
        let request = try request(listed(start, end), asset)
        #expect(try BatchTimes(asset: asset).check(request) == length)
    }

    @Test(
        arguments: [
            ("20", nil), ("3", "2"), ("3", "3"), ("-21", nil), ("501f", nil), ("00:00:00:25", nil),
            ("5", "-16"),
            ("00:00:21:00", nil), ("00:01:00;02", nil),
        ] as [(String?, String?)]) func whatIsWrong(start: String?, end: String?) throws
    {
        let asset = asset()
        let request = try request(listed(start, end), asset)
        #expect(throws: MediaError.self) { _ = try BatchTimes(asset: asset).check(request) }
    }

    @Test func strictRefusesAnEndBehindTheFile() throws {
        let asset = asset()
        var request = try request(listed("1", "99"), asset)
        request.strict = true
        #expect(throws: MediaError.self) { _ = try BatchTimes(asset: asset).check(request) }
    }

    @Test func timecodesCountFromTheAssetsOwn() throws {
        let asset = asset(timecode: "10:00:00:00")
        let same = try request(listed("10:00:05:05", "10:00:06:00"), asset)
        #expect(same.start == (try TimeSpelling.parse("10:00:05:05")))
        #expect(try BatchTimes(asset: asset).check(same) == 0.8)
        // At a rate of the list's own.
        let film = try request(listed("10:00:05:12", "10:00:06:00", rate: Ratio(24)), asset)
        #expect(film.start == .time(Time(11, 2)) && film.end == .time(Time(6, 1)))
        let early = try request(listed("09:59:59:00", nil), asset)
        #expect(throws: MediaError.self) { _ = try BatchTimes(asset: asset).check(early) }
    }

    @Test func dropFrameListsAreExact() throws {
        let ntsc = try #require(Ratio(30000, 1001))
        let asset = asset(timecode: "01:00:00;00", rate: ntsc)
        let request = try request(listed("01:00:10;00", "01:00:11;15", rate: ntsc), asset)
        #expect(
            request.start == .time(Time(300 * 1001, 30000)) && request.end == .time(Time(345 * 1001, 30000)))
    }

    @Test func aTimelineWithoutRangeOfItsMediaCountsInTimecode() throws {
        var clip = try listed("36005", "36006")
        clip.origin = .timecode
        #expect(try request(clip, asset(timecode: "10:00:00:00")).start == .time(Time(5, 1)))
        #expect(try request(clip, asset()).start == .decimal(Time(36005, 1)))
    }
}
