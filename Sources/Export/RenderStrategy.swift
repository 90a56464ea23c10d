// Chooses the render mode of the next attempt at an export from the previous attempt and its failure. Pure: it reads nothing,
// and every decision is a value.
internal import Media
internal import Render

/// The sequence of attempts at an export.
struct RenderStrategy: Hashable {
    /// The settings of one attempt.
    struct Way: Hashable {
        /// As requested, or `encode`.
        var render: RenderMode
        /// Minimum reorder depth of the output, in frames; 0: as in the cut points and headers.
        var reorderDepth = 0
        /// Whether head and tail have their own parameter sets, even if the source's would do.
        var avoidsMatchingSets = false
        /// Whether to encode in one pass, whatever the request and the preset say.
        var isOnePass = false
    }
    /// The state of an attempt before it failed.
    struct Attempt: Hashable {
        /// Whether stored frames were copied.
        var copiesVideo = false
        /// Whether frames were encoded with the statistics of a first pass.
        var hasStatistics = false
    }
    /// The next step.
    enum Step: Hashable {
        /// Read all copied samples to measure the reorder depth, and pass it to `reorder`.
        case measureReorderDepth
        /// Give head and tail their own parameter sets.
        case avoidMatchingSets
        /// Encode frames that could not be copied because of this error.
        case encodeInstead(MediaError)
        /// Encode frames that are too large as stored.
        case encodeForSize
        /// Use other rates chosen by the size limit.
        case otherRates
        /// Encode in one pass instead of two.
        case onePass
        /// Give up with this error.
        case giveUp(MediaError)
    }

    /// The settings of the next attempt.
    private(set) var way: Way
    /// Whether the preset says how to encode video.
    private let canEncode: Bool

    /// Creates the strategy of a request.
    init(_ request: ExportRequest) {
        self.init(render: request.render, canEncode: request.preset.video != nil)
    }

    /// - Parameter canEncode: whether the preset says how to encode video.
    init(render: RenderMode, canEncode: Bool) {
        way = Way(render: render)
        self.canEncode = canEncode
    }

    /// Chooses the next attempt.
    mutating func next(after failure: AttemptFailure, of attempt: Attempt) -> Step {
        let step = step(after: failure, of: attempt)
        switch step {
        case .avoidMatchingSets: way.avoidsMatchingSets = true
        case .encodeInstead, .encodeForSize: way.render = .encode
        case .onePass: way.isOnePass = true
        case .measureReorderDepth, .otherRates, .giveUp: break
        }
        return step
    }

    /// Sets the reorder depth of copied frames; at least one, since 0 was too few.
    mutating func reorder(by depth: Int) { way.reorderDepth = max(1, depth) }

    private func step(after failure: AttemptFailure, of attempt: Attempt) -> Step {
        switch failure {
        case .reordering where way.reorderDepth == 0:
            return attempt.copiesVideo ? .measureReorderDepth : .giveUp(failure.error)
        case .mismatch(let found) where found.isMatched && !way.avoidsMatchingSets: return .avoidMatchingSets
        case .reordering, .orderUnknown, .mismatch:
            // The failure appeared only while copying: the user could not know.
            return canEncode ? .encodeInstead(failure.error) : .giveUp(failure.error)
        case .unsuitableSize(let decision, let error):
            if attempt.copiesVideo, mayChoose { return .encodeForSize }
            return decision == .again ? .otherRates : .giveUp(error)
        case .unitsDiffer: return .giveUp(failure.error)
        case .other(let error):
            switch error.code {
            case .encodeFailed where attempt.hasStatistics && !way.isOnePass: return .onePass
            case .spliceFailed where mayChoose: return .encodeInstead(error)
            default: return .giveUp(error)
            }
        }
    }

    /// Whether no render mode was requested, and there is another.
    private var mayChoose: Bool { canEncode && way.render == .auto }
}

extension RenderStrategy.Step {
    /// A line for a job's log, if the failure needs one.
    func words(after failure: AttemptFailure, _ limit: SizeLimit) -> String? {
        switch (failure, self) {
        case (.orderUnknown, _), (.unsuitableSize, .giveUp): nil
        case (.unsuitableSize, _): "the size does not suit: again, \(limit.words)"
        case (.unitsDiffer, _): nil
        case (.reordering, _), (.mismatch, _): "not copied: \(failure.error)"
        case (.other(let error), .onePass): "the second pass failed, one pass is made: \(error)"
        case (.other(let error), _): error.code == .spliceFailed ? "not copied: \(error)" : nil
        }
    }
}
