// The input of an export before the render mode is chosen: the asset, the range, and the tracks and metadata to copy. A value.
internal import Libav
internal import Media
internal import MediaTime
internal import Source

/// An export that was checked and whose times are resolved.
struct ExportPreparation {
    /// The source, described as it is in the range.
    var source: SourceFile
    /// The request, its preset with the options over it.
    var request: ExportRequest
    var asset: Asset
    var fileType: FileType
    var range: ResolvedRange
    /// Of the video track's frames, where the frame-rate cap may apply.
    var timing: FrameTiming?
    /// The file of subtitles to draw on the frames.
    var subtitles: SourceFile?
    var passthrough: PassthroughPlan

    /// The duration of the output, as far as the asset's duration is known.
    var length: Time? {
        [range.end, asset.duration].compactMap(\.self).min().map(range.segments.output)
    }

    /// The plan for these render modes.
    func plan(_ request: ExportRequest, _ decision: RenderDecision) throws(MediaError) -> ExportPlan {
        var plan = try ExportPlan(
            asset, request, range: range, fileType: fileType, timing: timing, decision: decision,
            passthrough: passthrough)
        plan.subtitles = subtitles
        return plan
    }
}
