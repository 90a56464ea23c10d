// Values of Media and of the API's results for SchemaSamples: full, or with nothing that may be left out.
// Their numbers mean nothing.
import Media
import MediaTime
import Text

@testable import Wire

extension Time {
    /// A time that carries flags.
    static var rounded: Time { Time(1, 3).converted(to: 1000, rounding: .halfAwayFromZero) }
}

extension Preset {
    static func sample(_ full: Bool) throws -> Preset {
        let least = """
            {"version":1,"id":"mine","name":"Mine","fileTypes":["m4a"],
            "audio":{"codec":"aac","encoder":"aac","maxChannels":2,"maxSampleRate":48000}}
            """
        let most = """
            {"version":1,"id":"own-720","name":"Own","appleName":"A",
            "fileTypes":["m4v"],"audioOnlyFileTypes":["m4a"],
            "video":{"codec":"h264","encoder":"libx264","profile":"high","level":"3.1","tier":"main",
            "alternatives":[{"maxWidth":960,"maxHeight":540,"maxFrameRate":"24"}],
            "alphaPixelFormat":"yuva420p","options":{"refs":"1"},
            "maxWidth":1280,"maxHeight":720,"maxFrameRate":"30000/1001","crf":21.5,
            "bitRate":4000000,"maxBitRate":5000000,"bufferSize":10000000,
            "twoPass":false,"speed":"medium","keyframeInterval":"2","pixelFormat":"yuv420p"},
            "audio":{"codec":"aac","encoder":"aac","bitRate":160000,"surroundBitRate":320000,"trackBitRate":192000,"maxChannels":2,
            "maxSampleRate":48000,"maxBits":24},
            "optimizeForNetwork":true}
            """
        return try JSONValue(parsing: Array((full ? most : least).utf8)).decode()
    }
}

extension ListParams {
    static func full() -> ListParams {
        var params = ListParams(limit: 2, after: 9, key: "cut 7")
        params.statuses = JobStatus.allCases
        (params.user, params.since) = (1000, Moment(milliseconds: 1))
        return params
    }
}

extension ExportOptions {
    static func full() -> ExportOptions {
        var options = ExportOptions()
        (options.background, options.frameRate, options.hdr) = ("#102030", Ratio(25), .refuse)
        (options.audio, options.loudness, options.limitSize) = ("eng", -16, 1 << 20)
        (options.crf, options.bitRate, options.size) = (20.5, 5_000_000, FrameBox("720p"))
        (options.videoCodec, options.audioCodec, options.audioBitRate) = (.hevc, .opus, 128_000)
        (options.crop, options.rotate) = (FrameCrop("640:480:0:8"), 90)
        (options.deinterlace, options.speed) = (.field, Ratio(3, 2))
        (options.video, options.subtitles, options.twoPass) = ("0", "forced", true)
        (options.onlyIfSmaller, options.optimize, options.reproducible) = (true, false, true)
        options.burnSubtitles = "eng"
        options.variant = "1280x720"
        return options
    }
}

extension CheckParams {
    static func full() throws -> CheckParams {
        var params = CheckParams(
            path: "/a.mp4", preset: .id("m4a"), presets: [try .sample(true)], type: "m4a")
        (params.start, params.end, params.duration) = (.time(.zero), .end, .time(Time(5, 1)))
        params.options = .full()
        return params
    }
}

extension SubmitParams {
    static func full() throws -> SubmitParams {
        var params = SubmitParams(input: "/a.mp4")
        params.sources = [
            SourcePart("/a.mp4"),
            SourcePart("/b.mp4", RangeRequest(start: .frame(3), end: .end)),
        ]
        params.output = "/out/a.m4v"
        params.overwrite = true
        params.start = .time(Time(1001, 30000))
        params.end = .end
        params.duration = .time(Time(5, 1))
        params.preset = .preset(try .sample(true))
        params.render = .encode
        (params.snap, params.round) = (.frame, .down)
        params.strict = false
        params.key = "k"
        params.priority = 100
        (params.after, params.notBefore) = ([3, 5], Moment(milliseconds: 1))
        params.needs = ["gpu"]
        params.concurrency = 2
        params.keep = [
            RangeSpelling(start: .time(Time(1, 25)), end: nil), RangeSpelling(start: nil, end: .end),
        ]
        params.remove = [
            RangeSpelling(start: .frame(7), end: .time(Time(9, 1))), RangeSpelling(.interstitials),
        ]
        params.toleranceBefore = .unlimited
        params.toleranceAfter = .time(Time(1, 2))
        params.noHidden = true
        params.options = .full()
        params.metadata = MetadataRequest(
            items: ["title": "A", "com.example.own": ""], artwork: "/a.jpg", policy: .sharing,
            advancesDate: true, keepsDates: true)
        params.chapters = ChapterRequest(
            marks: [ChapterMark(time: .time(Time(5, 1)), title: "A")], first: 1, last: 2, seams: false)
        return params
    }
}

extension StatusResult {
    static func sample(_ full: Bool) -> StatusResult {
        var jobs: [String: Int] = [:]
        if full { for status in JobStatus.allCases { jobs[status.rawValue] = 1 } }
        var status = StatusResult(
            version: trimdVersion, pid: 42, user: 1000, since: Moment(milliseconds: 1_700_000_000_123),
            workers: 2,
            jobs: jobs, state: "/state", freeBytes: 1 << 40, socket: "/run/trimd/trimd.sock")
        guard full else { return status }
        (status.processors, status.busyProcessors) = (8, 3)
        (status.memoryBytes, status.reservedMemoryBytes) = (1 << 34, 1 << 30)
        (status.busy, status.draining, status.oldestWaiting) = (1, true, Moment(milliseconds: 1))
        (status.damagedQueue, status.protocolVersion, status.queueVersion) = ("/s/q.damaged-1", 1, 2)
        status.queue = "postgresql://trimd@db/trimd"
        status.lostJobs = [4, 5]
        status.refusing = true
        let seal = WorkerSeal(landlock: 7, seccomp: true, missing: ["nothing"])
        status.sandbox = SandboxStatus(policy: "required", seal)
        return status
    }
}

extension DoctorResult {
    static func sample(_ full: Bool) -> DoctorResult {
        DoctorResult(
            full
                ? [
                    Check("state", ok: true, "fine"),
                    Check("sandbox", ok: false, "not sealed", remedy: "allow it"),
                ] : [])
    }
}

extension CompatibilityReport {
    static func sample(_ full: Bool) -> CompatibilityReport {
        let reason = Reason(.noAudioTrack, "no audio", remedy: full ? "choose another" : nil)
        var result = PresetCompatibility(
            id: "m4v720", valid: full, fileTypes: full ? ["m4v", "m4a"] : [], render: full ? .encode : nil,
            reasons: [reason], warnings: full ? [reason] : [])
        if full {
            result.types = [
                TypeCompatibility(type: "m4v", valid: true, render: .encode, reasons: []),
                TypeCompatibility(type: "m4a", valid: false, render: nil, reasons: [reason]),
            ]
            result.renderReason = "of the video, its codec is hevc, not h264"
            result.estimatedBytes = SizeBand(low: 1, likely: 2, high: 3)
            result.estimatedMaximumDuration = Time(5, 1)
        }
        var report = CompatibilityReport(canTrim: !full, reason: full ? reason : nil, presets: [result])
        if full {
            report.faults = [Fault(.openGOP, "m", track: 0)]
            report.properties = [AssetTrait(.editList, "m", track: 0)]
        }
        return report
    }
}

extension PlanReport {
    static func sample(_ full: Bool) throws -> PlanReport {
        let span = TimeSpan(start: .zero, end: Time(5, 1))
        var track = PlannedTrack(source: 0, kind: .video, codec: "h264", way: full ? .smart : .encode)
        if full {
            track.reason = "too little of the range is between keyframes"
            (track.width, track.height, track.frameRate) = (1280, 720, Ratio(25))
            (track.sampleRate, track.channels, track.passes) = (48000, 2, 2)
            track.spans = [
                PlannedSpan(way: .encode, range: span, frames: 3), PlannedSpan(way: .copy, range: span),
            ]
            track.burned = PlannedSubtitles(codec: "subrip", track: 2, file: "/a.srt", events: 3)
        }
        var report = PlanReport(
            input: "/a.mp4", output: "/a-trim.m4v", fileType: "m4v", preset: try .sample(full),
            render: full ? .smart : .encode, requested: span, ranges: [span], length: Time(5, 1),
            tracks: [track], estimatedBytes: full ? SizeBand(low: 1, likely: 2, high: 3) : nil,
            warnings: full ? [Warning(.frameRateLowered, "the rate is lowered")] : [],
            dropped: full ? [DroppedItem(what: "track 2", reason: "no place", track: 2)] : [])
        if full {
            report.sources = [SourcePart("/a.mp4"), SourcePart("/b.mp4", RangeRequest(start: .frame(3)))]
            (report.chunks, report.undivided) = ([span, TimeSpan(start: Time(5, 1), end: Time(10, 1))], "u")
        }
        return report
    }
}

extension JobReport {
    static func sample(_ full: Bool) -> JobReport {
        let now = Moment(milliseconds: 1_700_000_000_123)
        var job = JobReport(
            id: 7, status: .waiting, preset: "m4v720", render: .auto, input: "/a.mp4", output: "/a-trim.m4v",
            created: now, user: 1000)
        let span = TimeSpan(start: .zero, end: .rounded)
        job.tracks = [
            TrackResult(index: 0, source: 0, kind: .video, codec: "h264", way: .encode, actual: span)
        ]
        job.warnings = [Warning(.endClamped, "the end was moved")]
        job.dropped = [DroppedItem(what: "track 2", reason: "no room")]
        guard full else { return job }
        job.sourceCount = 3
        job.requested = span
        job.actual = span
        job.tracks[0].requested = span
        job.tracks[0].firstSyncSample = .zero
        job.tracks[0].lastPicture = Time(4, 1)
        job.tracks[0].remainder = Time(1, 96000)
        (job.tracks[0].framesHidden, job.tracks[0].ranges) = (61, [span, span])
        (job.tracks[0].bytesCopied, job.tracks[0].scheme) = (1 << 33, .match)
        job.tracks[0].reason = "the codec differs"
        (job.tracks[0].width, job.tracks[0].height) = (1280, 720)
        (job.tracks[0].sampleRate, job.tracks[0].channels, job.tracks[0].passes) = (48000, 2, 2)
        job.tracks[0].speed = Ratio(3, 2)
        (job.bytes, job.bytesCloned) = (1 << 40, 1 << 39)
        job.progress = 0.25
        job.phase = .exporting
        (job.speed, job.remaining) = (1.5, 60)
        job.warnings = [Warning(.endClamped, "the end was moved", time: Time(9, 1), track: 1)]
        job.dropped = [DroppedItem(what: "track 2", reason: "no room", track: 2)]
        job.error = MediaError(.decodeFailed, "broken", time: Time(9, 1), track: 1, remedy: "mend it")
        (job.started, job.ended) = (now, now)
        job.retry = now
        (job.artwork, job.subtitles, job.draining) = ("/cover.jpg", "/a.srt", true)
        (job.after, job.notBefore, job.paused) = ([3], now, true)
        (job.needs, job.unmet) = (["gpu"], ["gpu", "root media"])
        job.units = UnitCounts(total: 36, done: 20, kept: 14)
        job.attempts = 2
        return job
    }
}

extension Track {
    static func sample(_ full: Bool, _ kind: TrackKind) -> Track {
        var track = Track(index: 0, kind: kind, codec: "h264", timebase: .mpeg)
        if kind == .video { track.video = .sample(full) }
        if kind == .audio {
            track.audio = AudioFormat(
                sampleRate: 48000, channels: 6, channelLayout: "5.1", sampleFormat: full ? "fltp" : nil,
                priming: 1024)
            track.audio?.storedBits = full ? 24 : nil
        }
        guard full else { return track }
        (track.profile, track.level, track.codecTag) = ("High", "3.1", "avc1")
        (track.start, track.duration) = (Time(-1, 25), Time(4, 1))
        (track.samples, track.bitRate) = (100, 1_000_000)
        (track.language, track.title) = ("eng", "Main")
        track.dispositions = ["default"]
        track.edits = [
            Edit(duration: Time(4, 1), mediaTime: nil, rate: Ratio(1)),
            Edit(duration: Time(4, 1), mediaTime: .zero, rate: Ratio(1)),
        ]
        track.metadata = ["language": "eng"]
        track.keyframes = [.zero, Time(1, 1)]
        track.syncSamples = [
            SyncSample(time: .zero, kind: .idr), SyncSample(time: Time(1, 1), kind: .cra, leading: 2),
        ]
        track.role = .chapters
        (track.frameCount, track.obstacle) = (100, .unknownFormat)
        return track
    }
}

extension VideoFormat {
    static func sample(_ full: Bool) -> VideoFormat {
        var format = VideoFormat(width: 1920, height: 1080, sampleAspect: Ratio(1))
        guard full else { return format }
        format.rotation = 270
        format.pixelFormat = "yuv420p10le"
        (format.frameRate, format.nominalRate) = (Ratio("30000/1001"), Ratio(30))
        (format.fieldOrder, format.fieldCoding) = (.topFieldFirst, .separateSamples)
        format.color.primaries = "bt2020"
        format.color.transfer = "smpte2084"
        format.color.matrix = "bt2020nc"
        format.color.range = "tv"
        format.color.contentLight = [1000, 400]
        format.color.masteringLuminance = [Ratio("1/10000"), Ratio(1000)].compactMap(\.self)
        format.dolbyVision = DolbyVision(profile: 8, level: 2, compatibility: 4)
        (format.projection, format.hasSecondView) = ("equirectangular", true)
        format.isReordered = true
        (format.x264Build, format.aspectByFrames) = (164, true)
        return format
    }
}
