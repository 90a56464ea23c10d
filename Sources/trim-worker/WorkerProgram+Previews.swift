// The worker's requests for previews: thumbnails, a waveform, a segment, the text of subtitles.
internal import Export
internal import Libav
internal import Media
internal import Pictures
internal import Platform
internal import Text
internal import Wire

extension WorkerProgram {
    /// Serves `thumbnails`, `waveform`, `segment` or `cues` on an open source.
    func preview(
        _ method: WorkerMethod, _ params: JSONValue, _ source: WorkerSource, _ descriptors: Descriptors
    ) throws(MediaError) -> JSONValue {
        switch method {
        case .thumbnails:
            let wanted = try decode(params, WorkerPreview<ThumbnailsParams>.self)
            let output = try take(descriptors, 1, "a file of pictures")
            return try encode(
                ThumbnailStrip(
                    source.file(wanted.name, variant: wanted.params.variant), at: wanted.params.at,
                    width: wanted.params.width ?? 160,
                    keyframes: wanted.params.keyframes ?? false, subtitles: wanted.params.subtitles
                ).run(output: output))
        case .waveform:
            let wanted = try decode(params, WorkerPreview<WaveformParams>.self)
            return try encode(
                WaveformBuckets(
                    source.file(wanted.name, variant: wanted.params.variant), from: wanted.params.start,
                    to: wanted.params.end,
                    count: wanted.params.buckets, track: wanted.params.track
                ).run())
        case .cues:
            let wanted = try decode(params, WorkerPreview<CuesParams>.self)
            return try encode(
                TextCues(
                    source.file(wanted.name), track: wanted.params.track, from: wanted.params.start,
                    to: wanted.params.end
                ).run())
        default:
            let wanted = try decode(params, WorkerPreview<SegmentParams>.self)
            let output = try take(descriptors, 1, "a segment")
            var report = try PreviewSegment(
                source.file(wanted.name, variant: wanted.params.variant), from: wanted.params.start,
                duration: wanted.params.duration,
                width: wanted.params.width ?? 640, track: wanted.params.track,
                subtitles: wanted.params.subtitles
            ).run(output: output)
            report.bytes = size(of: output)
            return try encode(report)
        }
    }
}
