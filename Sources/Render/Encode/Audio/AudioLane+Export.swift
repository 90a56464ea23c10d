// The encoding of an audio track over a whole output, for the muxer.
internal import Libav
internal import Media
internal import MediaTime
internal import Source

extension AudioLane {
    /// A lane over all parts of a plan.
    convenience init(
        _ plan: AudioPlan, of whole: ExportPlan, source: SourceFile, strict: Bool, diagnostics: Diagnostics
    ) {
        self.init(
            plan, origin: whole.origin, segments: whole.segments, fileType: whole.fileType, source: source,
            strict: strict, diagnostics: diagnostics)
    }
}
