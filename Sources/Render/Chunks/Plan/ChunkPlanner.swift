// Divides the video of an output into chunks: at frames whose source is at or just behind a sync sample, so that little is decoded
// twice, and where nothing but the state that a chunk carries crosses the boundary. Each chunk is placed by itself and compared
// with the whole, so that a division is right or there is none. Pure: sees times, reads no media.
internal import Media
internal import MediaTime
package import Source

/// An interval of an output's video that is encoded by itself.
package struct Chunk: Hashable, Codable, Sendable {
    /// The parts of the source that it decodes, with the context that its filters need.
    package var segments: Segments
    /// The number of its first decoded frame among those of its part.
    package var counted: Int
    /// Where the output's grid ends, in ticks.
    package var gridEnd: Int64?
    /// The ticks of the output that it makes.
    package var shown: Range<Int64>
    /// Its frames; nil: known only when decoded.
    var frames: Int?
    /// How full the decoder's buffer is at its beginning, from 0 to 1; nil: as the encoder assumes.
    package var buffered: Double?
    /// The share of the decoder's buffer and of its rate that the encoder is not told of, from 0 to 1.
    package var reserve: Double?
    /// How often it was encoded again since its predecessors leave the buffer emptier.
    var corrections = 0
    /// The rate of its second pass; nil: it has one pass.
    package var rate: ChunkRate?
}

/// The rate of a chunk's second pass.
package struct ChunkRate: Hashable, Codable, Sendable {
    /// Its share of the output's bits, in bits per second.
    var share: Int
    /// The target given to its encoder, which is less where the encoder exceeded the share.
    package var told: Int
}

/// The division of an output into chunks.
struct ChunkPlanner {
    let plan: VideoPlan
    let segments: Segments
    /// The source's frames of each part.
    let frames: [[SourceFrame]]
    /// Seconds of one chunk; nil: by the length of the output.
    var seconds: Double?

    /// The fewest and the usual most seconds of a chunk, and the most chunks of an output.
    private static let shortest = 2.0, longest = 10.0, most = 720.0
    /// The share of a chunk's frames that may be decoded twice.
    private static let overlap = 0.05
    /// A chunk's share of what is still to come. By a simulation of outputs of 60 s whose chunks cost 0.6 to 1.4 of their average,
    /// 2 processors are busy for 98.3 % of the time with a fifth, 97.0 % with a third, 96.0 % with equal chunks; 4 processors for
    /// 95, 92 and 89 %. A sixth makes more chunks and gains nothing for 2. From four minutes on it is a tenth, which makes eight more
    /// chunks of an output of ten minutes: 16 processors are then 0.92 x 16 times as fast as one, with a fifth 0.87, and 2 as fast as
    /// with that. From two to four minutes it goes from one to the other.
    private static func ending(of length: Double) -> Double { min(0.2, max(0.1, 24 / length)) }

    private var placement: FramePlacement {
        FramePlacement(
            timebase: plan.timebase, cadence: plan.cadence, gridPeriod: plan.gridPeriod,
            editEnd: plan.track.editEnd)
    }
    /// The filters compute frames from their neighbours.
    private var needsContext: Bool {
        plan.track.video?.fieldOrder != .progressive && plan.deinterlace != .off
    }
    /// A frame may become two.
    private var splitsFields: Bool { needsContext && plan.deinterlace == .field }

    /// The chunks in order, at least two; nil: the output is encoded as one.
    func chunks() -> [Chunk]? {
        // Frames that are too short for a container give their time to others.
        guard plan.shortestFrame == 0 else { return nil }
        let gridEnd = segments.length.map { plan.timebase.ticks(of: $0, rounding: .halfAwayFromZero).ticks }
        let whole = placement.place(
            segments.all.enumerated().map { ($0.offset, $0.element) }, frames: frames,
            gridEnd: gridEnd)
        let cuts = cuts(whole)
        guard cuts.count > 2 else { return nil }
        var chunks: [Chunk] = []
        for (from, to) in zip(cuts, cuts.dropFirst()) {
            guard let chunk = chunk(whole, from..<to, gridEnd) else { return nil }
            chunks.append(chunk)
        }
        return chunks
    }

    /// Seconds of the chunk that begins with so many seconds still to come: the last ones are shorter, so that processors end their
    /// last chunks at nearly the same time, however many there are.
    /// - Parameters:
    ///   - length: seconds of the output.
    ///   - usual: seconds of the others.
    static func seconds(before rest: Double, of length: Double, usual: Double) -> Double {
        min(usual, max(shortest, rest * ending(of: length)))
    }

    /// Seconds of one chunk of an output of this length.
    static func seconds(of length: Double) -> Double {
        max(min(max(length / 12, shortest), longest), length / most)
    }

    // MARK: Boundaries

    /// The first frame of each chunk, and the end.
    private func cuts(_ whole: [PlacedSource]) -> [Int] {
        guard let first = whole.first, let last = whole.last else { return [] }
        func time(_ index: Int) -> Double {
            Double(whole[index].pts - first.pts) * Double(plan.timebase.numerator)
                / Double(plan.timebase.denominator)
        }
        let ticks = Double(plan.timebase.numerator) / Double(plan.timebase.denominator)
        let length = Double(last.pts + last.duration - first.pts) * ticks
        let wanted = seconds.map { max(0.2, $0) } ?? ChunkPlanner.seconds(of: length)
        let least = min(ChunkPlanner.shortest, wanted / 2)
        let costs = costs(whole)
        var cuts = [0]
        while let begin = cuts.last {
            let from = time(begin)
            let own =
                seconds == nil
                ? ChunkPlanner.seconds(before: length - from, of: length, usual: wanted) : wanted
            guard length - from > 1.5 * own else { break }
            var best: (index: Int, badness: Double)?
            for index in (begin + 1)..<whole.count {
                let distance = time(index) - from
                guard distance >= max(least, own * 0.5) else { continue }
                guard length - time(index) >= least else { break }
                // Past the window, the first one that will do.
                if distance > own * 1.5, best != nil { break }
                guard let cost = costs[index] else { continue }
                let share = Double(cost) / Double(index - begin)
                guard cost <= 1 || share <= ChunkPlanner.overlap else { continue }
                let badness = abs(distance - own) / own + 10 * share
                if best.map({ badness < $0.badness }) ?? true { best = (index, badness) }
            }
            guard let best else { break }
            cuts.append(best.index)
        }
        return cuts + [whole.count]
    }

    /// The frames that a chunk which begins at each frame decodes before the first one that it shows; nil: none can begin there.
    private func costs(_ whole: [PlacedSource]) -> [Int?] {
        // The last sync sample at or before each frame.
        let syncs = frames.map { frames in
            var last: Int?
            return frames.enumerated().map { index, frame -> Int? in
                if frame.isSync { last = index }
                return last
            }
        }
        return whole.indices.map { index in
            let frame = whole[index]
            guard index > 0 else { return 0 }
            let before = whole[index - 1]
            // A repeated frame belongs to one chunk.
            guard before.segment != frame.segment || before.frame != frame.frame else { return nil }
            guard needsContext else {
                // At the beginning of a part, decoding begins anew anyway.
                if before.segment != frame.segment { return 0 }
                return syncs[frame.segment][frame.frame].map { frame.frame - $0 }
            }
            guard before.segment == frame.segment, index + 1 < whole.count,
                whole[index + 1].segment == frame.segment
            else { return nil }
            return syncs[before.segment][before.frame].map { frame.frame - $0 }
        }
    }

    // MARK: Chunks

    /// The chunk of these frames; nil if by itself it would not show them as the whole does.
    private func chunk(_ whole: [PlacedSource], _ shown: Range<Int>, _ gridEnd: Int64?) -> Chunk? {
        let isFirst = shown.lowerBound == 0, isLast = shown.upperBound == whole.count
        let from = isFirst || !needsContext ? shown.lowerBound : shown.lowerBound - 1
        let to = isLast || !needsContext ? shown.upperBound : shown.upperBound + 1
        let first = whole[from]
        // The end of the part, where the last one needed is its last.
        let next = to < whole.count && whole[to].segment == whole[to - 1].segment ? whole[to] : nil
        var parts: [(number: Int, segment: Segment)] = []
        for number in first.segment...whole[to - 1].segment {
            var part = segments.all[number]
            if number == first.segment, !isFirst, from > 0, whole[from - 1].segment == number {
                let time = frames[number][first.frame].time
                (part.start, part.at) = (time, part.output(time))
            }
            if let next, next.segment == number { part.end = frames[number][next.frame].time }
            parts.append((number, part))
        }
        let own = placement.place(parts, frames: frames, counted: first.number, gridEnd: gridEnd)
        guard let begin = own.firstIndex(where: { $0.pts >= whole[shown.lowerBound].pts }),
            own.count >= begin + shown.count, own[begin..<(begin + shown.count)].elementsEqual(whole[shown]),
            begin == shown.lowerBound - from,
            isLast || own.count - begin - shown.count == to - shown.upperBound
        else { return nil }
        let last = whole[shown.upperBound - 1]
        return Chunk(
            segments: Segments(parts: parts.map(\.segment)), counted: first.number, gridEnd: gridEnd,
            shown: whole[shown.lowerBound].pts..<(last.pts + last.duration),
            frames: splitsFields ? nil : shown.count)
    }
}
