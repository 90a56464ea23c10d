// Measures how loud sound is as it will be written: integrated loudness and true peak (EBU R128, ITU-R BS.1770), after its
// rate and channels were changed. Owns its filter graph; lives on its lane's queue.
internal import Glibc
internal import Libav
internal import Media
internal import MediaTime

/// A measurement of loudness.
final class LoudnessMeter {
    /// True peaks are kept below this, in decibels of full scale, as EBU R128 recommends.
    static let highestPeak = -1.0

    private let plan: AudioPlan
    private var graph: FilterGraph?
    private var shape: FrameShape?
    private var taken: Int64 = 0
    /// Integrated loudness in LUFS; nil where there was nothing loud and long enough to measure.
    private(set) var loudness: Double?
    /// The highest true peak in decibels of full scale.
    private(set) var peak = -70.0

    /// A measurement of sound like the first piece.
    init(_ plan: AudioPlan, first: Frame) throws(LibavError) { self.plan = plan }

    /// Gives a piece of sound, whose samples stay as they are; nil says that no more follow.
    func send(_ frame: Frame?) throws(LibavError) {
        guard let frame else {
            guard let graph else { return }
            // What is measured is told every tenth of a second: silence brings out what came last.
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
                // The filter tells peaks as numbers of full scale.
                guard let value = Double(text), value > 0 else { continue }
                peak = max(peak, LoudnessMeter.decibels(value))
            }
        }
    }

    private static func decibels(_ value: Double) -> Double { 20 * log10(value) }

    /// With one place behind the point.
    static func tenths(_ value: Double) -> String { "\((value * 10).rounded() / 10)" }
}
