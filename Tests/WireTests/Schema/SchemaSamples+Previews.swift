// Values of the methods that preview for SchemaSamples: full, or with nothing that may be left out. Their numbers mean nothing.
import Media
import MediaTime

@testable import Wire

extension ThumbnailsParams {
    static func sample(_ full: Bool) -> ThumbnailsParams {
        var params = ThumbnailsParams(path: "/a.mp4", at: full ? [.time(Time(1, 3)), .end] : [.end])
        if full { (params.width, params.keyframes) = (320, true) }
        return params
    }
}

extension WaveformParams {
    static func sample(_ full: Bool) -> WaveformParams {
        var params = WaveformParams(path: "/a.mp4", buckets: 100)
        if full { (params.start, params.end, params.track) = (.time(.zero), .end, 1) }
        return params
    }
}

extension SegmentParams {
    static func sample(_ full: Bool) -> SegmentParams {
        var params = SegmentParams(path: "/a.mp4", start: .zero, duration: Time(4, 1))
        if full { (params.width, params.track) = (960, 1) }
        return params
    }
}

extension ThumbnailsReport {
    static func sample(_ full: Bool) -> ThumbnailsReport {
        let picture = Picture(
            requested: .zero, actual: .rounded, duration: Time(1, 25), number: full ? 3 : nil, offset: 0,
            bytes: 9, width: 160, height: 90)
        return ThumbnailsReport(
            pictures: [picture], bytes: 9,
            warnings: full ? [Warning(.noFrameYet, "m", time: .zero, track: 0)] : [])
    }
}

extension WaveformReport {
    static func sample(_ full: Bool) -> WaveformReport {
        WaveformReport(
            track: 1, range: TimeSpan(start: .zero, end: .rounded), peaks: [0.5], rms: [0.25], sampled: full,
            warnings: full ? [Warning(.damagedMedia, "m", time: .zero, track: 1)] : [])
    }
}

extension SegmentReport {
    static func sample(_ full: Bool) -> SegmentReport {
        SegmentReport(
            range: TimeSpan(start: .zero, end: .rounded), mime: "video/mp4",
            video: full ? Video(track: 0, width: 640, height: 360, frames: 100) : nil,
            audio: full ? Audio(track: 1, sampleRate: 48_000, first: 0, samples: 1024) : nil, last: full,
            bytes: 9, warnings: full ? [Warning(.damagedMedia, "m", time: .zero, track: 1)] : [])
    }
}
