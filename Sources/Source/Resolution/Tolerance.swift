// Moves cut points within a tolerance to sync samples, so that nothing needs to be encoded. A point without a sync sample near
// enough stays exact.
package import Libav
package import Media
package import MediaTime

/// How far cut points may move.
package struct Tolerance {
    /// Seconds backward and forward; positive infinity: unlimited.
    package let before: Time, after: Time

    /// The tolerance of a request; nil if points must stay.
    package init?(_ request: ExportRequest) {
        (before, after) = (request.toleranceBefore ?? .zero, request.toleranceAfter ?? .zero)
        guard before > .zero || after > .zero else { return nil }
    }

    /// Returns a range with its points moved.
    package func move(
        _ range: ResolvedRange, track: Track, asset: Asset, source: SourceFile, diagnostics: Diagnostics
    ) throws(MediaError) -> ResolvedRange {
        let index = KeyframeIndex(source: source, track: track, origin: asset.start)
        var parts: [(start: Time, end: Time?)] = []
        for segment in range.segments.all {
            var (start, end) = (segment.start, segment.end)
            if let moved = try nearest(to: start, index, beginning: true), end.map({ moved < $0 }) ?? true {
                warn("start", start, moved, track, diagnostics)
                start = moved
            }
            if let point = end, point < asset.duration ?? .positiveInfinity,
                let moved = try nearest(to: point, index, beginning: false), moved > start
            {
                warn("end", point, moved, track, diagnostics)
                end = moved
            }
            parts.append((start, end))
        }
        var range = range
        range.segments = TimeResolution(asset: asset, source: source, diagnostics: diagnostics).segments(
            parts)
        return range
    }

    /// The sync sample nearest to a point that is not one, within the tolerance; nil: the point stays.
    private func nearest(
        to point: Time, _ index: KeyframeIndex, beginning: Bool
    ) throws(MediaError) -> Time? {
        let track = index.track
        let tick = track.timebase.ticks(of: point + index.origin, rounding: .towardNegativeInfinity)
        let (earlier, later) = try index.syncSamples(
            around: tick.ticks, beginning: beginning, upTo: point + after)
        func time(_ pts: Int64?) -> Time? { pts.map { track.timebase.time(ofTicks: $0) - index.origin } }
        let candidates = [time(earlier), time(later)].compactMap(\.self).filter { time in
            time <= point ? point - time <= before : time - point <= after
        }
        let best = candidates.min { ($0 - point).absoluteValue < ($1 - point).absoluteValue }
        return best == point ? nil : best
    }

    private func warn(_ name: String, _ from: Time, _ to: Time, _ track: Track, _ diagnostics: Diagnostics) {
        diagnostics.warn(
            Warning(
                name == "start" ? .movedToSyncStart : .movedToSyncEnd,
                "the \(name) was moved from \(from.clock()) to the keyframe at \(to.clock())", time: to,
                track: track.index))
    }
}
