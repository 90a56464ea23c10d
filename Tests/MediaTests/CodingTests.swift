// The values that cross the socket and lie in the database come back as they were.
import Media
import MediaTime
import Testing

struct CodingTests {
    private func film() throws -> Asset {
        var video = try track(0, .video, "hevc")
        video.profile = "Main 10"
        video.level = "4.1"
        video.start = Time(1001, 30_000)
        video.duration = Time(90_090, 30_000)
        video.edits = [
            Edit(duration: Time(5, 1), mediaTime: nil, rate: Ratio(1)),
            Edit(duration: Time(1, 600), mediaTime: Time(1024, 48_000), rate: Ratio(1)),
        ]
        video.video?.rotation = 270
        video.video?.isMirrored = true
        video.video?.frameRate = Ratio(30_000, 1001)
        video.video?.color.transfer = "smpte2084"
        video.video?.color.masteringLuminance = try [#require(Ratio(1, 10_000)), Ratio(1000)]
        video.keyframes = [.zero, Time(1, 3)]
        var film = asset(video, try track(1, .audio, "ac3"))
        film.chapters = [
            Chapter(start: .zero, end: Time(1, 3), title: "One"),
            Chapter(start: Time(1, 3), end: Time(2, 1), title: nil),
        ]
        film.metadata = ["title": "A film"]
        film.faults = [Fault(.lateTrack, "it begins late", track: 0), Fault(.openGOP, "not at 0")]
        return film
    }

    @Test func anAsset() throws {
        let film = try film()
        #expect(try roundTrip(film) == film)
    }

    @Test func aColourSaysItsDynamicRangeForPeople() throws {
        #expect(try encoded(try film()).contains(#""dynamicRange":"hdr10""#))
    }

    @Test func aRequestWithEverySpelling() throws {
        let spellings: [TimeSpelling] = [
            .time(Time(441_000, 44_100)), .frame(250), .fromEnd(Time(30, 1)), .end,
            .timecode(hours: 1, minutes: 0, seconds: 10, frames: 12, dropFrame: true),
        ]
        for spelling in spellings {
            var request = ExportRequest(
                input: "/films/a.mov", output: OutputTarget(folder: "/films", name: nil, stem: "a-trim"),
                range: RangeRequest(start: spelling, end: .end, snap: .frame),
                preset: try preset(PresetText.whole), strict: true,
                key: "k")
            #expect(try roundTrip(request) == request)
            (request.end, request.duration) = (nil, spelling)
            #expect(try roundTrip(request) == request)
        }
    }

    @Test func aResultAndItsJob() throws {
        let span = TimeSpan(start: Time(10, 1), end: Time(2_102_100, 30_000))
        var track = TrackResult(index: 0, source: 1, kind: .audio, codec: "aac", way: .encode, actual: span)
        track.remainder = Time(1, 96_000)
        track.framesEncoded = 12
        let warning = Warning(.audioOffset, "begins late", time: Time(1, 3), track: 1)
        let result = ExportResult(
            render: .encode, fileType: "m4a", requested: span, actual: span, tracks: [track], bytes: 99,
            warnings: [warning], dropped: [DroppedItem(what: "track 2", reason: "no room", track: 2)])
        #expect(try roundTrip(result) == result)
        var job = JobReport(
            id: 7, status: .failed, preset: "m4a", render: .auto, input: "/a", output: "/b",
            created: Moment(milliseconds: 1_767_323_045_678), user: 1000)
        job.tracks = [track]
        job.error = MediaError(.diskFull, "full")
        #expect(try roundTrip(job) == job)
    }

    @Test func theOutputsPath() {
        #expect(
            OutputTarget(folder: "/a", name: nil, stem: "b-trim").path(fileType: "m4v") == "/a/b-trim.m4v")
        #expect(OutputTarget(folder: "/", name: "b.mov", stem: "b").path(fileType: "m4v") == "/b.mov")
    }

    @Test func theMainVideoIsTheDefaultOneAndNoPicture() throws {
        var (cover, first, second) = (
            try track(0, .video, "png"), try track(1, .video, "h264"), try track(2, .video, "vp9")
        )
        cover.dispositions = ["default", "attached_pic"]
        #expect(asset(cover, first, second).mainVideo?.index == 1)
        second.dispositions = ["default"]
        #expect(asset(cover, first, second).mainVideo?.index == 2)
        first.dispositions = ["default"]
        #expect(asset(cover, first, second).mainVideo?.index == 1)
        #expect(asset(cover).mainVideo == nil)
    }
}
