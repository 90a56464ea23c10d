// Which way the next attempt at an export goes, given what was tried and how that failed. Pure: it reads nothing, and every
// decision is a value.
internal import Media

/// The ways an export is tried, one after the other.
struct RenderStrategy: Hashable {
    /// How one attempt renders.
    struct Way: Hashable {
        /// As the request says, or `encode`.
        var render: RenderMode
        /// Frames that decoders hold back in the output, at least; 0: as many as the cut points and the headers say.
        var reorderDepth = 0
        /// The ends have parameter sets of their own, even where the source's would do.
        var avoidsMatchingSets = false
        /// Frames are encoded once, whatever the request and the preset say.
        var isOnePass = false
    }
    /// What an attempt did before it failed.
    struct Attempt: Hashable {
        /// Stored frames were copied.
        var copiesVideo = false
        /// Frames were encoded by the statistics of a first pass.
        var hasStatistics = false
    }
    /// What is done next.
    enum Step: Hashable {
        /// All copied samples are read for their order, which `reorder` is told.
        case measureReorderDepth
        /// The ends get parameter sets of their own.
        case avoidMatchingSets
        /// Frames are encoded that could not be copied, since this failed.
        case encodeInstead(MediaError)
        /// Frames are encoded that are too large as they are stored.
        case encodeForSize
        /// The size's limit has chosen other rates.
        case otherRates
        /// One pass is made instead of two.
        case onePass
        /// There is no other way.
        case giveUp(MediaError)
    }

    /// Of the next attempt.
    private(set) var way: Way
    /// The preset says how video is encoded.
    private let canEncode: Bool

    /// The first way of a request.
    init(_ request: ExportRequest) {
        self.init(render: request.render, canEncode: request.preset.video != nil)
    }

    /// - Parameter canEncode: the preset says how video is encoded.
    init(render: RenderMode, canEncode: Bool) {
        way = Way(render: render)
        self.canEncode = canEncode
    }

    /// Chooses the next way.
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

    /// Says how far copied frames are out of order; one frame at least, since none was too few.
    mutating func reorder(by depth: Int) { way.reorderDepth = max(1, depth) }

    private func step(after failure: AttemptFailure, of attempt: Attempt) -> Step {
        switch failure {
        case .reordering where way.reorderDepth == 0:
            return attempt.copiesVideo ? .measureReorderDepth : .giveUp(failure.error)
        case .mismatch(let found) where found.isMatched && !way.avoidsMatchingSets: return .avoidMatchingSets
        case .reordering, .orderUnknown, .mismatch:
            // It came out while frames were copied: who asked for that could not know.
            return canEncode ? .encodeInstead(failure.error) : .giveUp(failure.error)
        case .unsuitableSize(let verdict, let error):
            if attempt.copiesVideo, mayChoose { return .encodeForSize }
            return verdict == .again ? .otherRates : .giveUp(error)
        case .other(let error):
            switch error.code {
            case .encodeFailed where attempt.hasStatistics && !way.isOnePass: return .onePass
            case .spliceFailed where mayChoose: return .encodeInstead(error)
            default: return .giveUp(error)
            }
        }
    }

    /// Nobody has asked for a way, and there is another.
    private var mayChoose: Bool { canEncode && way.render == .auto }
}

extension RenderStrategy.Step {
    /// A line for a job's log, where there is something to say of a failure.
    func words(after failure: AttemptFailure, _ limit: SizeLimit) -> String? {
        switch (failure, self) {
        case (.orderUnknown, _), (.unsuitableSize, .giveUp): nil
        case (.unsuitableSize, _): "the size does not suit: again, \(limit.words)"
        case (.reordering, _), (.mismatch, _): "not copied: \(failure.error)"
        case (.other(let error), .onePass): "the second pass failed, one pass is made: \(error)"
        case (.other(let error), _): error.code == .spliceFailed ? "not copied: \(error)" : nil
        }
    }
}
