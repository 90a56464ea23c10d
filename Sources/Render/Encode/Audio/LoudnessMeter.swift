// Measures the loudness of audio as it will be written: integrated loudness and true peak (EBU R128, ITU-R BS.1770), after
// conversion of rate and channels. Owns its filter graph; confined to its lane's queue.
internal import Glibc
internal import Libav
internal import Media
internal import MediaTime

/// A loudness measurement.
final class LoudnessMeter {
    /// True peaks stay below this, in dBFS, as EBU R128 recommends.
    static let highestPeak = -1.0

    private let plan: AudioPlan
    private var graph: FilterGraph?
    private var shape: FrameShape?
    private var taken: Int64 = 0
    /// Integrated loudness in LUFS; nil if nothing was loud and long enough to measure.
    private(set) var loudness: Double?
    /// The highest true peak in dBFS.
    private(set) var peak = -70.0

    /// Creates a measurement for audio in the format of the first frame.
    init(_ plan: AudioPlan, first: Frame) throws(LibavError) { self.plan = plan }

    /// Measures a frame of audio without changing it; nil marks the end.
    func send(_ frame: Frame?) throws(LibavError) {
        guard let frame else {
            guard let graph else { return }
            // The filter reports every 100 ms: silence flushes the last interval.
            if let last { try give(try Frame.silence(like: last, samples: last.sampleRate / 5), to: graph) }
            try graph.send(nil)
            return try read(graph)
        }
        if graph == nil || shape != frame.shape {
            shape = frame.shape
            let (rate, _, layout) = AudioEncoder.shape(plan, first: frame)
            graph = try FilterGraph(
                chain: AudioEncoder.conversion(rate: rate, layout: layout)
                    + ",ebur128=metadata=1:peak=true:framelog=verbose",
                shape: frame.shape, timebase: Timebase(perSecond: frame.sampleRate) ?? .seconds, threads: 1)
            taken = 0
        }
        guard let graph else { return }
        last = try Frame.silence(like: frame, samples: 1)
        try give(frame, to: graph)
    }

    private var last: Frame?

    private func give(_ frame: Frame, to graph: FilterGraph) throws(LibavError) {
        frame.pts = taken
        taken += Int64(frame.sampleCount)
        try graph.send(frame)
        try read(graph)
    }

    private func read(_ graph: FilterGraph) throws(LibavError) {
        while let frame = try graph.receive() {
            let words = frame.metadata
            if let value = words["lavfi.r128.I"].flatMap(Double.init), value > -70 { loudness = value }
            for (key, text) in words where key.hasPrefix("lavfi.r128.true_peaks_ch") {
                // The filter reports peaks as fractions of full scale.
                guard let value = Double(text), value > 0 else { continue }
                peak = max(peak, LoudnessMeter.decibels(value))
            }
        }
    }

    private static func decibels(_ value: Double) -> Double { 20 * log10(value) }

    /// With one decimal place.
    static func tenths(_ value: Double) -> String { "\((value * 10).rounded() / 10)" }
}
