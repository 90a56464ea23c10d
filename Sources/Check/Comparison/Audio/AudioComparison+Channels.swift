// Compares the channels of the audio of a file with its source's, one by one and all along: mixed down, audio whose left and right are
// exchanged is no other. Runs on the caller's queue.
internal import Codecs
internal import Glibc
internal import Libav
internal import Media
internal import MediaTime
internal import Pictures
internal import Source
internal import Text

extension AudioComparison {
    /// Parts in which the channels' samples are compared, besides their levels.
    private static let comparedWindows = 6
    /// A difference of the levels that is told, in decibels.
    private static let toldGain = 3.0

    /// Adds what is wrong with single channels. At another speed, and where the output has other channels, no statement is made.
    func compareChannels(_ outcome: inout Outcome, _ diagnostics: Diagnostics) throws(MediaError) {
        guard let own = made.audio, let format = track.audio, segments.speed == Ratio(1) else { return }
        guard own.channels == format.channels else {
            if own.channels < format.channels {
                diagnostics.warn(
                    Warning(
                        .downmixed,
                        "the source's audio has \(quantity(format.channels, "channel")) and the output's \(own.channels); they were compared mixed down",
                        track: made.index))
            }
            return
        }
        guard ChannelLayout.isSame(own.channelLayout, format.channelLayout) else { return }
        let rate = ChannelLevels.rate
        let reach = rate / 5
        let ranges = windows(rate).prefix(AudioComparison.comparedWindows).map(\.range)
        var found = ChannelLevels(channels: own.channels, windows: ranges)
        guard try read(output, made, zero, from: .zero, to: nil, at: 0, into: &found) else { return }
        var wanted = ChannelLevels(
            channels: own.channels,
            windows: ranges.map { ($0.lowerBound - reach)..<($0.upperBound + reach) })
        var edges: Set<Int> = []
        for segment in segments.all {
            let end = [segment.end, end].compactMap(\.self).min()
            guard end.map({ $0 > segment.start }) ?? true else { continue }
            let at = sample(segment.at, rate)
            guard try read(source, track, origin, from: segment.start, to: end, at: at, into: &wanted)
            else { return }
            let last = end.map { sample(segment.output($0), rate) }
            edges.formUnion([at, last].compactMap { $0.map { $0 / ChannelLevels.block } })
        }
        edges.insert(wanted.blocks - 1)
        if !made.audioCodec.isLossless, found.isMixed(from: wanted, reach: reach) {
            diagnostics.warn(
                Warning(
                    .downmixed, "all channels of the output's audio are one; they were compared mixed down",
                    track: made.index))
            return
        }
        let names = ChannelLayout.named(format.channelLayout)?.channelNames ?? []
        func name(_ channel: Int) -> String {
            names.indices.contains(channel) ? names[channel] : "\(channel + 1)"
        }
        func time(_ block: Int) -> Time {
            let time = Time(Int64(block * ChannelLevels.block), Int32(rate))
            return (segments.all.last { $0.at <= time } ?? segments.all.first)?.source(time) ?? time
        }
        // Codecs keep only the lowest frequencies of that channel: AAC 280 Hz.
        let bass =
            made.audioCodec.isLossless
            ? nil : names.firstIndex(of: ChannelLayout.Speaker.lowFrequency.rawValue)
        for fault in found.faults(comparedWith: wanted, reach: reach, edges: edges)
        where fault.channel != bass {
            let (code, message, time): (String, String, Time?) =
                switch fault {
                case .missing(let channel, let blocks):
                    (
                        "audioMissing",
                        "channel \(name(channel)) is silent up to \(time(blocks.upperBound).clock()), and the source's is not",
                        time(blocks.lowerBound)
                    )
                case .added(let channel, let blocks):
                    (
                        "audioContent",
                        "channel \(name(channel)) is heard up to \(time(blocks.upperBound).clock()), and the source's is silent",
                        time(blocks.lowerBound)
                    )
                case .other(let channel, let other, let window):
                    (
                        "audioChannel",
                        "channel \(name(channel)) has the sound of the source's channel \(name(other))",
                        time(ranges[window].lowerBound / ChannelLevels.block)
                    )
                }
            outcome.findings.append(
                ComparisonReport.Finding(code, message, time: time, track: made.index))
        }
        if let other = found.otherSound(than: wanted, edges: edges) {
            let (start, end) = (
                time(other.lowerBound / ChannelLevels.block), time(other.upperBound / ChannelLevels.block)
            )
            outcome.findings.append(
                ComparisonReport.Finding(
                    "audioContent", "the audio is not the source's up to \(end.clock())", time: start,
                    track: made.index))
        }
        if let gain = found.gain(over: wanted).map({ 20 * log10($0) }), abs(gain) > AudioComparison.toldGain {
            diagnostics.warn(
                Warning(
                    .loudnessChanged,
                    "the audio is \(Int(abs(gain).rounded())) dB \(gain > 0 ? "louder" : "quieter") than the source's",
                    track: made.index))
        }
    }

    /// Reads a part of a track, channel by channel, to a position of the output. False where the channels are others in between, as those
    /// of broadcasts: nothing can be said of them.
    private func read(
        _ file: SourceFile, _ track: Track, _ origin: Time, from start: Time, to end: Time?, at position: Int,
        into levels: inout ChannelLevels
    ) throws(MediaError) -> Bool {
        let rate = ChannelLevels.rate
        let own = track.audio?.sampleRate ?? 48_000
        var position = position
        var graph: FilterGraph?
        var shape: FrameShape?
        var count: Int64 = 0
        var isUniform = true
        func drain(_ graph: borrowing FilterGraph) throws(LibavError) {
            while let out = try graph.receive() {
                levels.add(out.channelSamples, at: position)
                position += out.sampleCount
            }
        }
        let audio = CutAudio(
            source: file, track: track, origin: origin, rate: own, diagnostics: Diagnostics())
        try audio.read(from: start, to: end) { piece throws(LibavError) in
            if piece.channels != levels.powers.count || shape.map({ $0.layout != piece.shape.layout }) == true
            {
                isUniform = false
                return false
            }
            if shape != piece.shape {
                if let graph {
                    try graph.send(nil)
                    try drain(graph)
                }
                (shape, count) = (piece.shape, 0)
                graph = try FilterGraph(
                    chain: "aresample=\(rate),aformat=sample_fmts=fltp:sample_rates=\(rate)",
                    shape: piece.shape, timebase: Timebase(perSecond: piece.sampleRate) ?? .seconds,
                    threads: 1)
            }
            guard let graph else { return true }
            piece.pts = count
            count += Int64(piece.sampleCount)
            try graph.send(piece)
            try drain(graph)
            return true
        }
        try media(.decodeFailed, track: track.index) { () throws(LibavError) in
            guard let graph, isUniform else { return }
            try graph.send(nil)
            try drain(graph)
        }
        return isUniform
    }
}
