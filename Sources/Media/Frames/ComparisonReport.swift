// Whether a file exactly matches a range of another: the answer of `asset.verify`. Values only.
public import MediaTime

/// The comparison of an output with its source.
public struct ComparisonReport: Hashable, Codable, Sendable {
    /// A deviation of the output from its source.
    public struct Finding: Hashable, Codable, Sendable {
        /// A stable code.
        public var code: String
        /// A message for people.
        public var message: String
        /// The affected source time.
        public var time: Time?
        /// The affected output track.
        public var track: Int?

        /// Creates a finding.
        public init(_ code: String, _ message: String, time: Time? = nil, track: Int? = nil) {
            self.code = code
            self.message = message
            self.time = time
            self.track = track
        }
    }

    /// The comparison of the video.
    public struct Video: Hashable, Codable, Sendable {
        /// The compared tracks.
        public var source: Int, output: Int
        /// Frames the output should have, and frames it has.
        public var expected: Int64, found: Int64
        /// The output holds one of this many source frames, if its rate was lowered; 1: every frame.
        public var every: Int
        /// Missing frames, and surplus frames.
        public var missing: Int64, extra: Int64
        /// Of the frames that differ from their neighbours (`judged`), those most similar to their own source frame.
        public var matched: Int64, judged: Int64
        /// Frames that decode to exactly the same samples as their source frame.
        public var identical: Int64
        /// The lowest and the mean PSNR of downscaled frames, in decibels; 99 if identical; nil if no frames could be compared.
        public var lowestPSNR: Double?, meanPSNR: Double?
        /// The source time of the frame with the lowest PSNR.
        public var lowestAt: Time?
        /// The largest timing error of a frame.
        public var timeError: Time
        /// How much too late the last frame ends; negative: too early.
        public var endError: Time

        /// Creates an empty comparison.
        public init(source: Int, output: Int, every: Int) {
            self.source = source
            self.output = output
            self.every = every
            (expected, found, missing, extra, matched, judged, identical) = (0, 0, 0, 0, 0, 0, 0)
            (timeError, endError) = (.zero, .zero)
        }
    }

    /// The comparison of one audio track.
    public struct Audio: Hashable, Codable, Sendable {
        /// The compared tracks.
        public var source: Int, output: Int
        /// The source's sample rate in Hz, the unit of the counts below.
        public var sampleRate: Int
        /// The largest delay of the audio, in samples; nil if it is silent.
        public var lag: Int?
        /// The correlation of the audio at that lag, from 0 to 1.
        public var likeness: Double?
        /// Samples the output should have, and samples it has.
        public var expected: Int64, found: Int64

        /// Creates a comparison of audio that has not run yet.
        public init(source: Int, output: Int, sampleRate: Int, expected: Int64, found: Int64) {
            self.source = source
            self.output = output
            self.sampleRate = sampleRate
            self.expected = expected
            self.found = found
        }
    }

    /// Whether the output is exactly that range of the source.
    public var exact: Bool
    /// The source ranges it was compared with, in order, in asset time.
    public var ranges: [TimeSpan]
    /// The video; nil if there was none to compare.
    public var video: Video?
    /// The audio, one entry per track.
    public var audio: [Audio]
    /// Errors while decoding the output.
    public var decodeErrors: Int64
    /// The deviations; empty if the output is exact.
    public var findings: [Finding]
    /// Warnings for the user.
    public var warnings: [Warning]
    /// The absolute path of the image of the joins, if requested.
    @SpelledPathIfAny public var picture: String? = nil
    /// The image's size in pixels, if requested.
    public var pictureWidth: Int?, pictureHeight: Int?
    /// The image's preview, if requested.
    public var preview: String?

    /// Creates a report.
    public init(ranges: [TimeSpan]) {
        self.ranges = ranges
        (exact, audio, decodeErrors, findings, warnings) = (true, [], 0, [], [])
    }
}
