// Whether a file is exactly a part of another: the answer of `asset.verify`. Values only.
public import MediaTime

/// The judgement of an output against its source.
public struct ComparisonReport: Hashable, Codable, Sendable {
    /// Something that is not as it should be.
    public struct Finding: Hashable, Codable, Sendable {
        /// A stable word.
        public var code: String
        /// A sentence for people.
        public var message: String
        /// The time of the source it concerns.
        public var time: Time?
        /// The output's track it concerns.
        public var track: Int?

        /// A finding from its parts.
        public init(_ code: String, _ message: String, time: Time? = nil, track: Int? = nil) {
            self.code = code
            self.message = message
            self.time = time
            self.track = track
        }
    }

    /// The pictures.
    public struct Video: Hashable, Codable, Sendable {
        /// The tracks that were compared.
        public var source: Int, output: Int
        /// Frames that the output should have, and has.
        public var expected: Int64, found: Int64
        /// One in so many of the source's frames is in the output: its rate was lowered; 1: every one.
        public var every: Int
        /// Frames that are missing, and frames that should not be there.
        public var missing: Int64, extra: Int64
        /// Frames that look most like their own source frame, of those that differ from their neighbours.
        public var matched: Int64, judged: Int64
        /// Frames that decode to the very same samples as their source frame.
        public var identical: Int64
        /// The lowest and the mean likeness of frames, compared small, in decibels; 99 where there is no difference; nil
        /// where no frames could be compared.
        public var lowestPSNR: Double?, meanPSNR: Double?
        /// The time of the source of the frame with the lowest likeness.
        public var lowestAt: Time?
        /// By how much a frame is off its time at most.
        public var timeError: Time
        /// By how much the last frame ends too late; negative: too early.
        public var endError: Time

        /// Nothing compared yet.
        public init(source: Int, output: Int, every: Int) {
            self.source = source
            self.output = output
            self.every = every
            (expected, found, missing, extra, matched, judged, identical) = (0, 0, 0, 0, 0, 0, 0)
            (timeError, endError) = (.zero, .zero)
        }
    }

    /// One track of sound.
    public struct Audio: Hashable, Codable, Sendable {
        /// The tracks that were compared.
        public var source: Int, output: Int
        /// Samples a second of the source, in which the rest is counted.
        public var sampleRate: Int
        /// By how many samples the sound comes too late, where it is off most; nil where it is silent.
        public var lag: Int?
        /// How alike the sounds are at that lag, from 0 to 1.
        public var likeness: Double?
        /// Samples that the output should have, and has.
        public var expected: Int64, found: Int64

        /// Sound of a length, not compared yet.
        public init(source: Int, output: Int, sampleRate: Int, expected: Int64, found: Int64) {
            self.source = source
            self.output = output
            self.sampleRate = sampleRate
            self.expected = expected
            self.found = found
        }
    }

    /// The output is exactly that part of the source.
    public var exact: Bool
    /// The parts of the source that it was held against, in order, in asset time.
    public var ranges: [TimeSpan]
    /// The pictures; nil where there were none to compare.
    public var video: Video?
    /// The sound, a track each.
    public var audio: [Audio]
    /// Errors while the output was decoded.
    public var decodeErrors: Int64
    /// What is not as it should be; empty where the output is exact.
    public var findings: [Finding]
    /// What a user should know.
    public var warnings: [Warning]
    /// The absolute path of the picture of the seams, where one was asked for.
    @SpelledPathIfAny public var picture: String? = nil

    /// A report from its parts.
    public init(ranges: [TimeSpan]) {
        self.ranges = ranges
        (exact, audio, decodeErrors, findings, warnings) = (true, [], 0, [], [])
    }
}
