// Decides whether an output is given blocks of its source instead of copies of them: where nothing but the ends is encoded, the source
// lists its samples, and keeps those of the output's tracks in runs that are long enough. Reads the index only.
package import Libav
package import Media
internal import MediaTime
internal import Source
internal import Text

/// The samples of a source that an output can have as they lie on the disk.
package struct CloneDecision {
    /// Leaves them out of the output; nil: everything is copied.
    package private(set) var writer: CloneWriter?
    /// Bytes that the output will probably not need.
    package private(set) var bytes: Int64 = 0
    /// A line for the job's log; nil: it was not asked for.
    package private(set) var words: String?

    /// Samples around the range that may be copied too, and decoding times that differ from presentation times: in seconds.
    private static let margin = 1.0

    /// Decides for a plan.
    /// - Parameter request: the size of the blocks; nil: the file system shares none.
    package init(_ plan: ExportPlan, _ source: SourceFile, of asset: Asset, _ request: CloneRequest?) {
        guard let request, plan.video == nil, plan.fileType.hasEditLists, source.segments == nil else {
            return
        }
        do throws(StoredRuns.Obstacle) {
            let runs = try StoredRuns(
                CloneDecision.places(plan, source, asset), block: request.block, least: request.least)
            writer = CloneWriter(source, runs)
            bytes = runs.bytes
            words =
                "\(runs.bytes) bytes lie in the source as in the output, in \(quantity(runs.runs.count, "part")): their blocks are cloned"
        } catch {
            words =
                switch error {
                case .short: "copied, not cloned: the source keeps these tracks in parts that are too short"
                case .overlapping: "copied, not cloned: samples of the source share bytes"
                case .apart: "copied, not cloned: the source keeps the tracks too far apart"
                }
        }
    }

    /// Where the samples lie of the tracks that are stored as they are; empty where the source does not say.
    private static func places(
        _ plan: ExportPlan, _ source: SourceFile, _ asset: Asset
    ) -> [StoredPlace] {
        let kept =
            [plan.smartTrim?.track].compactMap(\.self) + plan.audio.filter(\.isCopied).map(\.track)
            + plan.passthrough.data.map(\.track)
        guard let index = try? Demuxer(source, quick: true) else { return [] }
        let (start, end) = plan.segments.hull
        var first = start
        if let smartTrim = plan.smartTrim {
            for case let copy? in smartTrim.parts.map(\.plan.copy) {
                first = min(first, smartTrim.track.timebase.time(ofTicks: copy.first) - plan.origin)
            }
        }
        var places: [StoredPlace] = []
        for track in kept where isStored(track) {
            let found = index.places(
                of: track.index, from: (first + plan.origin).seconds - margin,
                to: end.map { ($0 + plan.origin).seconds + margin } ?? .infinity)
            guard let found else { return [] }
            places += found
        }
        return places.filter { $0.bytes.upperBound <= source.size }
    }

    /// Whether the output stores a copied track's packets as they are.
    static func isStored(_ track: Track) -> Bool {
        track.kind == .data || Muxer.keepsBytes(of: track.codec)
    }
}

/// The blocks that a file system can share between two files.
public struct CloneRequest: Hashable, Sendable {
    /// The size of a block in bytes.
    public var block: Int64
    /// The shortest run of samples that is shared, in bytes.
    public var least = StoredRuns.usualLeast

    /// A request for blocks of this size.
    public init(block: Int64) { self.block = block }
}
