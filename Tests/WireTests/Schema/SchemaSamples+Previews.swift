// Values of the methods that probe and preview for SchemaSamples: full, or with nothing that may be left out. Their numbers mean nothing.
import Media
import MediaTime

@testable import Wire

extension ProbeParams {
    static func sample(_ full: Bool) -> ProbeParams {
        var params = ProbeParams(path: "/a.mp4")
        guard full else { return params }
        (params.keyframes, params.properties) = (true, AssetProperty.allCases)
        params.variant = "lowest"
        return params
    }
}

extension Asset {
    static func sample(_ full: Bool) -> Asset {
        var asset = Asset(
            container: Container(format: "mov,mp4", name: "QuickTime / MOV", brand: full ? "isom" : nil),
            start: .zero,
            duration: full ? Time(4, 1) : nil, bytes: 1000,
            tracks: [.sample(full, .video), .sample(full, .audio), .sample(false, .subtitle)],
            chapters: [Chapter(start: .zero, end: Time(1, 1), title: full ? "One" : nil)],
            metadata: full ? ["title": "Clip"] : [:],
            faults: [Fault(.openGOP, "open", track: full ? 0 : nil)])
        guard full else { return asset }
        asset.timecode = "01:00:00;00"
        asset.items = KeySpace.allCases.map {
            MetadataItem(key: "title", space: $0, common: $0 == .riff ? nil : "title", value: "Clip")
        }
        asset.properties = [
            "tracks": PropertyState(.loaded), "timing": PropertyState(.notAsked),
            "keyframes": PropertyState(.failed, error: MediaError(.undecodableMediaData, "broken")),
        ]
        asset.interstitials = [
            Interstitial(start: .zero, duration: nil, kind: .cue, stitched: true),
            Interstitial(
                start: Time(9, 1), duration: Time(15, 1), id: "ad-1", kind: .interstitial,
                restrict: Interstitial.Restriction.allCases, stitched: false, asset: "https://host/ad.m3u8"),
        ]
        asset.variants = [
            AssetVariant(number: 1, bitRate: 64_000, chosen: false),
            AssetVariant(
                number: 2, bitRate: 1, width: 1280, height: 720, codecs: "avc1.64001f", chosen: true),
        ]
        asset.renditions = [
            AssetRendition(kind: .audio, group: "a", name: "English"),
            AssetRendition(
                kind: .subtitles, group: "s", name: "Deutsch", language: "de", isDefault: true, isForced: true
            ),
        ]
        return asset
    }
}

extension ThumbnailsParams {
    static func sample(_ full: Bool) -> ThumbnailsParams {
        var params = ThumbnailsParams(path: "/a.mp4", at: full ? [.time(Time(1, 3)), .end] : [.end])
        if full {
            (params.width, params.keyframes, params.variant) = (320, true, "lowest")
            params.subtitles = 2
        }
        return params
    }
}

extension WaveformParams {
    static func sample(_ full: Bool) -> WaveformParams {
        var params = WaveformParams(path: "/a.mp4", buckets: 100)
        guard full else { return params }
        (params.start, params.end, params.track) = (.time(.zero), .end, 1)
        params.variant = "highest"
        return params
    }
}

extension SegmentParams {
    static func sample(_ full: Bool) -> SegmentParams {
        var params = SegmentParams(path: "/a.mp4", start: .zero, duration: Time(4, 1))
        if full {
            (params.width, params.track, params.variant) = (960, 1, "1280x720")
            params.subtitles = 2
        }
        return params
    }
}

extension CuesParams {
    static func sample(_ full: Bool) -> CuesParams {
        var params = CuesParams(path: "/a.mp4", track: 2)
        if full { (params.start, params.end) = (.time(.zero), .end) }
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

extension CuesReport {
    static func sample(_ full: Bool) -> CuesReport {
        CuesReport(
            track: 2, range: TimeSpan(start: .zero, end: .rounded),
            cues: full ? [Cue(start: .zero, end: .rounded, text: "a\nb")] : [],
            warnings: full ? [Warning(.damagedMedia, "m", time: .zero, track: 2)] : [])
    }
}
