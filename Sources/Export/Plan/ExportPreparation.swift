// What an export knows before it chooses a way: the asset, what of it is taken, and what comes along. A value.
internal import Media
internal import MediaTime

/// An export that has been judged and whose times are resolved.
struct ExportPreparation {
    var asset: Asset
    var fileType: FileType
    var range: ResolvedRange
    /// Of the video track's frames, where the frame-rate cap may bite.
    var timing: FrameTiming?
    var passthrough: PassthroughPlan

    /// How long the output will be, as far as the asset's duration tells.
    var length: Time? {
        [range.end, asset.duration].compactMap(\.self).min().map(range.segments.output)
    }

    /// The plan that goes these ways.
    func plan(_ request: ExportRequest, _ decision: RenderDecision) throws(MediaError) -> ExportPlan {
        try ExportPlan(
            asset, request, range: range, fileType: fileType, timing: timing, decision: decision,
            passthrough: passthrough)
    }
}
