// What `job.submit` takes. A pure value.
public import Media
public import MediaTime

/// The parameters of `job.submit`. It answers a `JobReport`.
public struct SubmitParams: Hashable, Codable, Sendable {
    /// The source's absolute path.
    public var input: String
    /// The output's absolute path; nil: beside the source, named `NAME-trim`, numbered if that exists.
    public var output: String?
    /// An existing output may be replaced.
    public var overwrite: Bool?
    /// The in point; nil: the beginning.
    public var start: TimeSpelling?
    /// The out point, a time of the source; nil: the end.
    public var end: TimeSpelling?
    /// How long, instead of `end`.
    public var duration: TimeSpelling?
    /// The preset; nil: `m4v720`.
    public var preset: PresetReference?
    /// The way to render; nil: auto.
    public var render: RenderMode?
    /// Cut points are moved first.
    public var snap: Snap?
    /// What would be a warning is an error.
    public var strict: Bool?
    /// The same key twice is one job.
    public var key: String?
    /// From 0 to 100: of those that wait, the highest is started first; nil: 50.
    public var priority: Int?

    /// Parameters with an input; the rest is set as needed.
    public init(input: String) { self.input = input }

    enum CodingKeys: String, CodingKey, CaseIterable {
        case input, output, overwrite, start, end, duration, preset, render, snap, strict, key, priority
    }

    /// Reads; an unknown key is an error, since an option that is silently ignored is a wrong export.
    public init(from decoder: any Decoder) throws {
        let values = try StrictKeys(decoder, CodingKeys.self)
        input = try values.need(.input, String.self)
        output = try values.may(.output, String.self)
        overwrite = try values.may(.overwrite, Bool.self)
        start = try values.may(.start, TimeSpelling.self)
        end = try values.may(.end, TimeSpelling.self)
        duration = try values.may(.duration, TimeSpelling.self)
        preset = try values.may(.preset, PresetReference.self)
        render = try values.may(.render, RenderMode.self)
        snap = try values.may(.snap, Snap.self)
        strict = try values.may(.strict, Bool.self)
        key = try values.may(.key, String.self)
        priority = try values.may(.priority, Int.self)
        if let priority, !(0...100 ~= priority) {
            throw values.wrong(.priority, "is \(priority), and must be 0 to 100")
        }
    }
}
