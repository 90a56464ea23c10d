// The answer of `asset.waveform`. Values only.

/// The level of an audio track, in buckets of equal length.
public struct WaveformReport: Hashable, Codable, Sendable {
    /// The measured track.
    public var track: Int
    /// The measured part, in asset time.
    public var range: TimeSpan
    /// The largest sample of each bucket, of any channel; 1 is full scale.
    public var peaks: [Double]
    /// The root mean square of each bucket, of the loudest channel at each moment.
    public var rms: [Double]
    /// Only a little of each bucket was decoded: there may be higher peaks.
    public var sampled: Bool
    /// Warnings for the user.
    public var warnings: [Warning]

    /// The most buckets, so that a report fits a line of the protocol.
    public static let mostBuckets = 8192

    /// Creates a report.
    public init(
        track: Int, range: TimeSpan, peaks: [Double], rms: [Double], sampled: Bool, warnings: [Warning]
    ) {
        self.track = track
        self.range = range
        self.peaks = peaks
        self.rms = rms
        self.sampled = sampled
        self.warnings = warnings
    }
}
