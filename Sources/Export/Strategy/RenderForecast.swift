// Which way an export goes, told before it is tried: the first one, or the next where the first is known to fail. The same
// decision for `check` and for a forecast. Reads samples around the cut points, opens the encoder of the ends, writes nothing.
internal import Libav
internal import Media

/// The ways of an export, as far as they are known before it is tried.
struct RenderForecast {
    /// The way of each track.
    private(set) var decision: RenderDecision
    /// Why it is not the first way, where that would fail.
    private(set) var failure: MediaError?

    /// Decides for one preset and one file type. Throws what the export would.
    /// - Parameter unsuitable: why a way that copies does not suit the size that was asked for; nil: it does.
    init(
        _ request: ExportRequest, of asset: Asset, range: ResolvedRange, fileType: FileType,
        source: SourceFile,
        unsuitable: (RenderDecision, SmartTrimTrackPlan) throws(MediaError) -> MediaError? = { _, _ in nil }
    ) throws(MediaError) {
        func decide(_ render: RenderMode) throws(MediaError) -> RenderDecision {
            var request = request
            request.render = render
            return try RenderDecision.decide(
                asset, request, range: range, fileType: fileType, source: source, delay: 0)
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

    /// Why a way that copies does not suit the size that was asked for; nil: it does.
    static func unsuitable(
        _ estimate: OutputEstimate, _ render: RenderMode, _ options: RenderOptions
    ) -> MediaError? {
        guard let limit = options.limitSize, let stored = estimate.free(render), stored.low > limit else {
            return nil
        }
        return MediaError(.maximumFileSizeReached, "as stored it is larger than \(limit) bytes")
    }
}
