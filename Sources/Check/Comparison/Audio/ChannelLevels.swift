// The sound of each channel of a track as far as telephony carries it: its level in short blocks, and its samples in some windows. Pure.

/// The levels and the compared samples of the channels of a track.
struct ChannelLevels {
    /// Samples per second: what codecs keep of each channel at their lowest rates.
    static let rate = 8000
    /// Samples of a block: a twentieth of a second.
    static let block = rate / 20

    /// Sums of squares, by channel and block.
    private(set) var powers: [[Double]]
    /// Samples, by window and channel.
    private(set) var pieces: [[[Float]]]
    private let windows: [Range<Int>]
    /// All channels, mixed.
    private var trace = SoundTrace()

    /// Of so many channels, with the samples of these windows, in samples from the output's 0.
    init(channels: Int, windows: [Range<Int>]) {
        self.windows = windows
        powers = Array(repeating: [], count: channels)
        pieces = windows.map {
            Array(repeating: [Float](repeating: 0, count: $0.count), count: channels)
        }
    }

    /// Adds samples that begin at a position. Those that are no numbers are silence.
    mutating func add(_ samples: [[Float]], at position: Int) {
        trace.add(samples, at: position)
        for (channel, samples) in samples.enumerated() where powers.indices.contains(channel) {
            var index = max(0, -position)
            while index < samples.count {
                let block = (position + index) / ChannelLevels.block
                let stop = min(samples.count, (block + 1) * ChannelLevels.block - position)
                var power = 0.0
                for sample in samples[index..<stop] where sample.isFinite {
                    power += Double(sample) * Double(sample)
                }
                while powers[channel].count <= block { powers[channel].append(0) }
                powers[channel][block] += power
                index = stop
            }
            let here = position..<(position + samples.count)
            for (index, window) in windows.enumerated() where window.overlaps(here) {
                let part = window.clamped(to: here)
                for place in part where samples[place - position].isFinite {
                    pieces[index][channel][place - window.lowerBound] = samples[place - position]
                }
            }
        }
    }

    /// The effective level of a block, as a part of full scale; 0 where there is none.
    func level(_ channel: Int, _ block: Int) -> Double {
        guard powers[channel].indices.contains(block) else { return 0 }
        return (powers[channel][block] / Double(ChannelLevels.block)).squareRoot()
    }

    /// The first stretch, in samples, that has other sound than the source.
    /// - Parameter edges: blocks at which parts begin or end, where codecs ring.
    func otherSound(than source: ChannelLevels, edges: Set<Int>) -> Range<Int>? {
        let perSpan = SoundTrace.span / ChannelLevels.block
        func sounds(_ levels: ChannelLevels, _ block: Int) -> Bool {
            powers.indices.contains { levels.level($0, block) > ChannelLevels.audible }
        }
        let spans = (0..<(blocks / perSpan)).filter { span in
            (span * perSpan..<(span + 1) * perSpan).allSatisfy {
                !edges.contains($0) && sounds(self, $0) && sounds(source, $0)
            }
        }
        return trace.other(than: source.trace, among: spans)
    }

    /// A level of full scale, -46 dB, above which noise of codecs does not decide the polarity.
    private static let audible = 0.005

    /// Blocks that hold samples of any channel.
    var blocks: Int { powers.map(\.count).max() ?? 0 }
}

extension ChannelLevels {
    /// A level of full scale, -80 dB: no more than codecs make of silence.
    static let silent = 0.0001

    /// How many times louder the output is than the source, in the middle of all blocks in which both sound; nil: too few do.
    func gain(over source: ChannelLevels) -> Double? {
        var ratios: [Double] = []
        for channel in powers.indices {
            for block in 0..<blocks {
                let (own, other) = (level(channel, block), source.level(channel, block))
                if own > ChannelLevels.silent, other > ChannelLevels.silent { ratios.append(own / other) }
            }
        }
        guard ratios.count >= ChannelLevels.fewestForGain else { return nil }
        ratios.sort()
        let middle = ratios[ratios.count / 2]
        return middle.isFinite && middle > 0 ? middle : nil
    }

    private static let fewestForGain = 10

    /// Whether all channels are one, that of the source's mixed: at their lowest rates codecs store no more.
    func isMixed(from source: ChannelLevels, reach: Int) -> Bool {
        guard powers.count > 1 else { return false }
        let heard = pieces.indices.filter { Correlation.level(of: pieces[$0][0][...]) > ChannelLevels.silent }
        func areOne(_ channels: [[Float]]) -> Bool {
            channels.dropFirst().allSatisfy {
                let levels = [Correlation.level(of: $0[...]), Correlation.level(of: channels[0][...])]
                    .sorted()
                return levels[0] > ChannelLevels.alike * levels[1]
                    && Correlation.likeness(of: $0[...], in: channels[0][...]) > ChannelLevels.alike
            }
        }
        guard heard.contains(where: { !areOne(source.pieces[$0]) }) else { return false }
        return !heard.isEmpty
            && heard.allSatisfy { window in
                let (own, other) = (pieces[window], source.pieces[window])
                let mixed = (other.first ?? []).indices.map { place in
                    other.reduce(Float(0)) { $0 + $1[place] } / Float(other.count)
                }
                func likeness(to other: [Float]) -> Double {
                    Correlation(of: own[0], in: other, expected: reach)?.likeness ?? 0
                }
                // Not one channel of the source that is in all of them.
                let single = other.map(likeness).max() ?? 0
                return areOne(own)
                    && likeness(to: mixed) > max(ChannelLevels.mixed, single - ChannelLevels.tie)
            }
    }

    /// Correlations: of channels that are one, of a mixture at the lowest rates of codecs (pink noise at 12 kbit/s: 0.76), and the
    /// difference between two that says nothing.
    private static let alike = 0.98, mixed = 0.5, tie = 0.02
}
