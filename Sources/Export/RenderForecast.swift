// Predicts the render mode of an export: the first one, or the next if the first is known to fail. `check` and forecasts share
// this decision. Reads samples around the cut points, opens the encoder of head and tail, writes nothing.
internal import Libav
internal import Media
internal import Render
internal import Source

/// The predicted render modes of an export.
struct RenderForecast {
    /// The render mode of each track.
    private(set) var decision: RenderDecision
    /// Why the first render mode would fail, if it would.
    private(set) var failure: MediaError?

    /// Decides for one preset and one file type. Throws the errors of the export.
    /// - Parameters:
    ///   - windows: those that plans of this source have read, where several are made.
    ///   - unsuitable: why copying cannot meet the requested size; nil: it can.
    init(
        _ request: ExportRequest, of asset: Asset, range: ResolvedRange, fileType: FileType,
        source: SourceFile, windows: SampleWindows = SampleWindows(),
        unsuitable: (RenderDecision, SmartTrimTrackPlan) throws(MediaError) -> MediaError? = { _, _ in nil }
    ) throws(MediaError) {
        func decide(_ render: RenderMode) throws(MediaError) -> RenderDecision {
            var request = request
            request.render = render
            return try RenderDecision.decide(
                asset, request, range: range, fileType: fileType, source: source, delay: 0, windows: windows)
        }
        do throws(AttemptFailure) {
            let first = try AttemptFailure.other { () throws(MediaError) in
                let first = try decide(request.render)
                try first.smartTrim?.checkJoin(source: source, fileType: fileType)
                return first
            }
            decision = first
            guard let smartTrim = first.smartTrim else { return }
            let error = try AttemptFailure.other { () throws(MediaError) in
                try unsuitable(first, smartTrim)
            }
            if let error { throw .unsuitableSize(.impossible, error) }
        } catch {
            var strategy = RenderStrategy(request)
            switch strategy.next(after: error, of: RenderStrategy.Attempt(copiesVideo: true)) {
            case .encodeInstead(let error): failure = error
            case .encodeForSize: failure = error.error
            case .measureReorderDepth, .avoidMatchingSets, .otherRates, .onePass, .giveUp:
                throw error.error
            }
            decision = try decide(strategy.way.render)
            decision.reason = failure?.message
        }
    }

    /// Why copying cannot meet the requested size; nil: it can.
    static func unsuitable(
        _ estimate: OutputEstimate, _ render: RenderMode, _ options: ExportOptions
    ) -> MediaError? {
        guard let limit = options.limitSize, let stored = estimate.free(render), stored.low > limit else {
            return nil
        }
        return MediaError(.maximumFileSizeReached, "as stored it is larger than \(limit) bytes")
    }
}
