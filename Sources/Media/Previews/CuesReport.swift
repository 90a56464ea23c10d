// The answer of `asset.cues`. Values only.
public import MediaTime

/// The text events of a subtitle track.
public struct CuesReport: Hashable, Codable, Sendable {
    /// An event.
    public struct Cue: Hashable, Codable, Sendable {
        /// When it appears, in asset time.
        public var start: Time
        /// When it goes, in asset time.
        public var end: Time
        /// Its text, without styles; lines are separated by line feeds.
        public var text: String

        /// Creates an event.
        public init(start: Time, end: Time, text: String) {
            self.start = start
            self.end = end
            self.text = text
        }
    }

    /// The track that was read.
    public var track: Int
    /// The part whose events are all here: it ends earlier than the part that was asked for where an answer cannot hold more.
    public var range: TimeSpan
    /// The events that are shown at some moment of the part, by their starts.
    public var cues: [Cue]
    /// Warnings for the user.
    public var warnings: [Warning]

    /// Creates a report.
    public init(track: Int, range: TimeSpan, cues: [Cue], warnings: [Warning]) {
        self.track = track
        self.range = range
        self.cues = cues
        self.warnings = warnings
    }
}
