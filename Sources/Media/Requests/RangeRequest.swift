// The range of an asset that a request names, as its user spelled it: one range, several to keep, or ranges to remove. A value; in
// JSON its keys are among those of the request that it is part of.
public import MediaTime
public import Text

/// A range of an asset, not resolved yet.
public struct RangeRequest: FlatCodable, Hashable, Sendable {
    /// The in point; nil: the start of the asset.
    public var start: TimeSpelling?
    /// The out point (exclusive), in source time; nil: the end of the asset.
    public var end: TimeSpelling?
    /// The duration, instead of `end`.
    public var duration: TimeSpelling?
    /// Ranges to join in this order, instead of one from `start` to `end`.
    public var keep: [RangeSpelling]?
    /// Ranges to remove between `start` and `end`.
    public var remove: [RangeSpelling]?
    /// How to snap the cut points.
    public var snap: Snap?
    /// How to round cut points that lie between two samples; nil: each track to its nearest.
    public var round: CutRounding?

    /// Creates one range; that of the whole asset, unless given.
    public init(
        start: TimeSpelling? = nil, end: TimeSpelling? = nil, duration: TimeSpelling? = nil,
        snap: Snap? = nil, round: CutRounding? = nil
    ) {
        (self.start, self.end, self.duration) = (start, end, duration)
        (self.snap, self.round) = (snap, round)
    }
}

extension RangeRequest {
    /// Whether it names ranges whose times only the source knows.
    public var isNamed: Bool { ((keep ?? []) + (remove ?? [])).contains { $0.named != nil } }
}

/// A request for a range of an asset: its parts are the request's own.
public protocol Ranged {
    /// The range.
    var range: RangeRequest { get set }
}

extension Ranged {
    /// The in point; nil: the start of the asset.
    public var start: TimeSpelling? {
        get { range.start }
        set { range.start = newValue }
    }

    /// The out point (exclusive), in source time; nil: the end of the asset.
    public var end: TimeSpelling? {
        get { range.end }
        set { range.end = newValue }
    }

    /// The duration, instead of `end`.
    public var duration: TimeSpelling? {
        get { range.duration }
        set { range.duration = newValue }
    }

    /// Ranges to join in this order, instead of one from `start` to `end`.
    public var keep: [RangeSpelling]? {
        get { range.keep }
        set { range.keep = newValue }
    }

    /// Ranges to remove between `start` and `end`.
    public var remove: [RangeSpelling]? {
        get { range.remove }
        set { range.remove = newValue }
    }

    /// How to snap the cut points.
    public var snap: Snap? {
        get { range.snap }
        set { range.snap = newValue }
    }

    /// How to round cut points that lie between two samples; nil: each track to its nearest.
    public var round: CutRounding? {
        get { range.round }
        set { range.round = newValue }
    }
}

// Checks a range without its asset: parts that exclude each other, and times that no asset has. Pure; TimeResolution checks it
// against the asset.
extension RangeRequest {
    /// Throws `invalidRequest` if its parts exclude each other, and `invalidTime` if it is empty or inverted whatever the asset.
    public func check() throws(MediaError) {
        if end != nil, duration != nil {
            throw MediaError(
                .invalidRequest, "both an end and a duration are given", remedy: "give one of them")
        }
        if keep != nil,
            start != nil || end != nil || duration != nil || remove != nil
        {
            throw MediaError(
                .invalidRequest, "ranges to keep are given, and another range beside them",
                remedy: "give --keep alone, once for each range")
        }
        guard keep?.isEmpty != true, remove?.isEmpty != true else {
            throw MediaError(.invalidRequest, "a list of ranges is empty", remedy: "leave it out")
        }
        for range in (keep ?? []) + (remove ?? []) {
            if let start = range.start?.assetTime, let end = range.end?.assetTime, start >= end {
                throw MediaError(
                    .invalidTime, "the range \(range) \(start == end ? "is empty" : "is inverted")",
                    time: start,
                    remedy: "the end must be after the start")
            }
        }
        for (name, spelling) in [("start", start), ("end", end), ("duration", duration)] {
            guard let time = spelling?.assetTime else { continue }
            guard time.isNumeric, time >= .zero else {
                throw MediaError(
                    .invalidTime, "the \(name) \(time) is no time of an asset: those begin at 0",
                    time: time.isNumeric ? time : nil)
            }
        }
        if let length = duration?.assetTime, length <= .zero {
            throw MediaError(.invalidTime, "the duration is \(length) s, so the range is empty")
        }
        if let start = (start ?? .time(.zero)).assetTime, let end = end?.assetTime, start >= end {
            let relation = start == end ? "equals" : "is after"
            throw MediaError(
                .invalidTime,
                "the start \(start) s \(relation) the end \(end) s, so the range is empty",
                time: start)
        }
    }
}
