// A preset of another program as a preset of trimd's: what is carried over, what is only near, and what is left out. A value; nobody
// has written it to a file yet.
public import Media

/// A preset of another program.
public struct ImportedPreset: Hashable, Codable, Sendable {
    /// How far a setting is kept.
    public enum Treatment: String, Hashable, Codable, Sendable, CaseIterable {
        /// It does the same.
        case carried
        /// It does something near.
        case approximated
        /// It does nothing.
        case leftOut
    }

    /// A setting, and how far it is kept.
    public struct Note: Hashable, Codable, Sendable {
        /// How far.
        public var treatment: Treatment
        /// The setting with its value, as the other program writes it; nil: several together.
        public var setting: String?
        /// Its form here, or what to do instead.
        public var text: String
    }

    /// Its name there, with the names of the folders that it is in: `General/Fast 720p30`.
    public var name: String
    /// The line that it begins on.
    public var line: Int
    /// The preset; nil: it cannot be one of trimd's, and `reason` says why.
    public var preset: Preset?
    /// Why there is no preset.
    public var reason: String?
    /// The fate of each setting, those that are carried over first.
    public var notes: [Note] = []

    init(name: String, line: Int) {
        self.name = name
        self.line = line
    }

    /// The settings that are treated so.
    public func notes(_ treatment: Treatment) -> [Note] { notes.filter { $0.treatment == treatment } }
}
