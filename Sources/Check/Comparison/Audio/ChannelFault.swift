// How the channels of an output deviate from its source's, found from their levels and their samples in some windows. Pure; it does
// not decide whether channels can be compared.

/// How the channels of an output deviate from its source's.
enum ChannelFault: Hashable {
    /// A channel is silent where the source's is not, or sounds where that is silent, in these blocks.
    case missing(Int, Range<Int>), added(Int, Range<Int>)
    /// A channel has the sound of another one of the source's, in a window.
    case other(Int, is: Int, window: Int)

    /// The output's channel.
    var channel: Int {
        switch self {
        case .missing(let channel, _), .added(let channel, _), .other(let channel, _, _): channel
        }
    }
}

extension ChannelLevels {
    /// A level of full scale, -40 dB, that is heard.
    private static let heard = 0.01
    /// Less than this part of the other's level, -30 dB, is none of it.
    private static let none = 0.03
    /// So many blocks in a row are no accident of a codec.
    private static let fewest = 4
    /// Correlation from which on a channel is another one, and by how much it must be less its own.
    private static let like = 0.8, less = 0.1

    /// The deviations of the output's channels.
    /// - Parameter edges: blocks at which parts begin or end, where codecs ring.
    func faults(comparedWith source: ChannelLevels, reach: Int, edges: Set<Int>) -> [ChannelFault] {
        var faults: [ChannelFault] = []
        // A loudness that was asked for is no fault: levels are those of the louder file.
        let louder = gain(over: source) ?? 1
        let (up, sourceUp) = (max(1, 1 / louder), max(1, louder))
        for channel in powers.indices {
            func ownLevel(_ block: Int) -> Double { level(channel, block) * up }
            func sourceLevel(_ block: Int) -> Double { source.level(channel, block) * sourceUp }
            let missing = run {
                ownLevel($0) < ChannelLevels.none * sourceLevel($0) && sourceLevel($0) > ChannelLevels.heard
                    && !edges.contains($0)
            }
            let added = run {
                sourceLevel($0) < ChannelLevels.none * ownLevel($0) && ownLevel($0) > ChannelLevels.heard
                    && source.level(channel, $0) < ChannelLevels.silent && !edges.contains($0)
                    // Behind the source's end its length is compared.
                    && $0 < source.blocks
            }
            if let missing { faults.append(.missing(channel, missing)) }
            if let added { faults.append(.added(channel, added)) }
            guard missing == nil, added == nil else { continue }
            for window in pieces.indices {
                guard let other = other(channel, window, source, reach) else { continue }
                faults.append(.other(channel, is: other, window: window))
                break
            }
        }
        return faults
    }

    /// The first blocks in a row for which something holds, if they are enough.
    private func run(_ holds: (Int) -> Bool) -> Range<Int>? {
        var first: Int?
        for block in 0...blocks {
            let isHeld = block < blocks && holds(block)
            if isHeld, first == nil { first = block }
            if !isHeld, let begin = first {
                if block - begin >= ChannelLevels.fewest { return begin..<block }
                first = nil
            }
        }
        return nil
    }

    /// The channel of the source whose sound a channel has, where that is not its own.
    private func other(_ channel: Int, _ window: Int, _ source: ChannelLevels, _ reach: Int) -> Int? {
        let own = pieces[window][channel]
        guard Correlation.level(of: own[...]) > ChannelLevels.heard else { return nil }
        func likeness(_ other: Int) -> Double {
            Correlation(of: own, in: source.pieces[window][other], expected: reach)?.likeness ?? 0
        }
        // Nearly all channels are their own, and most others need no look.
        let same = likeness(channel)
        guard same < 1 - ChannelLevels.less else { return nil }
        let others = powers.indices.filter { $0 != channel }.map { ($0, likeness($0)) }
        guard let best = others.max(by: { $0.1 < $1.1 }), best.1 >= ChannelLevels.like,
            best.1 - same > ChannelLevels.less
        else { return nil }
        return best.0
    }
}
