// The input of an export before the render mode is chosen: the asset, the range, and the tracks and metadata to copy. A value.
package import Libav
package import Media
package import MediaTime
package import Source

/// An export that was checked and whose times are resolved.
package struct ExportPreparation {
    /// The source, described as it is in the range.
    package var source: SourceFile
    /// The request, its preset with the options over it.
    package var request: ExportRequest
    package var asset: Asset
    package var fileType: FileType
    package var range: ResolvedRange
    /// Of the video track's frames, where the frame-rate cap may apply.
    var timing: FrameTiming?
    /// The file of subtitles to draw on the frames.
    var subtitles: SourceFile?
    var passthrough: PassthroughPlan

    /// Creates a value of its parts.
    package init(
        source: SourceFile, request: ExportRequest, asset: Asset, fileType: FileType, range: ResolvedRange,
        timing: FrameTiming? = nil, subtitles: SourceFile? = nil, passthrough: PassthroughPlan
    ) {
        (self.source, self.request, self.asset, self.fileType) = (source, request, asset, fileType)
        (self.range, self.timing, self.subtitles, self.passthrough) = (range, timing, subtitles, passthrough)
    }

    /// The duration of the output, as far as the asset's duration is known.
    package var length: Time? {
        [range.end, asset.duration].compactMap(\.self).min().map(range.segments.output)
    }

    /// The plan for these render modes.
    package func plan(_ request: ExportRequest, _ decision: RenderDecision) throws(MediaError) -> ExportPlan {
        var plan = try ExportPlan(
            asset, request, range: range, fileType: fileType, timing: timing, decision: decision,
            passthrough: passthrough)
        plan.subtitles = subtitles
        return plan
    }
}
