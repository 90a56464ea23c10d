// The level of an audio track in buckets of equal length, for a waveform that another program draws.
public import Libav
public import Media
public import MediaTime
internal import Source

/// Measures an audio track.
public struct WaveformBuckets {
    private let source: SourceFile
    private let start: TimeSpelling?, end: TimeSpelling?
    private let count: Int
    private let track: Int?

    /// A part of a track in `count` buckets; nil: from the asset's start, to its end, of the first track that decodes.
    public init(
        _ source: SourceFile, from start: TimeSpelling?, to end: TimeSpelling?, count: Int, track: Int?
    ) {
        self.source = source
        self.start = start
        self.end = end
        self.count = count
        self.track = track
    }

    /// Measures.
    public func run() throws(MediaError) -> WaveformReport {
        let asset = try Probe.asset(of: source)
        let diagnostics = Diagnostics()
        guard let chosen = try asset.heardAudio(track, of: source) else {
            throw MediaError(
                .noSourceTrack, "\(source.name) has no audio that can be decoded",
                remedy: "choose a file with audio")
        }
        let resolution = TimeResolution(asset: asset, source: source, diagnostics: diagnostics)
        let length = asset.duration ?? (chosen.start ?? .zero) + (chosen.duration ?? .zero)
        let from = try start.map { time throws(MediaError) in try resolution.resolve(time, as: "start") }
        let to = try end.map { time throws(MediaError) in try resolution.resolve(time, as: "end") }
        let span = TimeSpan(start: from ?? .zero, end: min(to ?? length, length))
        guard span.start < span.end else {
            throw MediaError(
                .invalidTime, "the start \(span.start.clock()) is not before the end (\(span.end.clock()))",
                time: span.start, remedy: "choose an earlier start")
        }
        let wave = Waveform(
            [span], columns: count, source: source, track: chosen, origin: asset.start,
            diagnostics: diagnostics)
        func rounded(_ value: Float) -> Double { (Double(min(value, 8)) * 10_000).rounded() / 10_000 }
        return WaveformReport(
            track: chosen.index, range: span, peaks: wave.peaks.map(rounded), rms: wave.rms.map(rounded),
            sampled: wave.isSampled, warnings: diagnostics.warnings)
    }
}

extension Asset {
    /// The audio track of a number, else the first that decodes; nil where there is none.
    func heardAudio(_ number: Int?, of source: SourceFile) throws(MediaError) -> Track? {
        guard let number else {
            return TrackChoice.standard.tracks(of: audioTracks).first { $0.isDecodable && !$0.isProtected }
        }
        guard let track = audioTracks.first(where: { $0.index == number }) else {
            let known = audioTracks.map { "\($0.index)" }.joined(separator: ", ")
            throw MediaError(
                .noSourceTrack, "\(source.name) has no audio track \(number)", track: number,
                remedy: known.isEmpty ? "it has no audio" : "its audio tracks are \(known)")
        }
        guard track.isDecodable, !track.isProtected else {
            throw MediaError(
                track.isProtected ? .contentIsProtected : .decoderNotFound,
                "the audio of \(source.name) cannot be decoded: \(track.obstacleWords)", track: number)
        }
        return track
    }
}
