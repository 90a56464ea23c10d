// An export request and the choices in it. Values only.
public import MediaTime

/// The render modes.
public enum RenderMode: String, Hashable, Codable, Sendable, CaseIterable {
    case auto, copy, smart, encode
}

/// How cut points are snapped before anything else.
public enum Snap: String, Hashable, Codable, Sendable, CaseIterable {
    /// Both points to the nearest frame boundary.
    case frame
}

/// How a cut point that lies between two samples, or between two frames that it is snapped to, is rounded: as by CMTimeRoundingMethod.
public enum CutRounding: String, Hashable, Codable, Sendable, CaseIterable {
    /// To the earlier one.
    case down
    /// To the later one.
    case up
    /// To the nearest one; a half away from zero.
    case nearest
    /// Away from zero: as times begin at 0, to the later one.
    case away

    /// The rule for numbers.
    public var method: RoundingMethod {
        switch self {
        case .down: .towardNegativeInfinity
        case .up: .towardPositiveInfinity
        case .nearest: .halfAwayFromZero
        case .away: .awayFromZero
        }
    }
}

/// The destination of the output.
public struct OutputTarget: Hashable, Codable, Sendable {
    /// The absolute path of the folder.
    public var folder: String
    /// The file name with its extension; nil: derived from `stem` and the file type, and numbered if it exists.
    public var name: String?
    /// The base name without extension, for a nil `name`.
    public var stem: String
    /// For a nil `name`: the number after the stem that the queue assigned when it accepted the job; nil: none.
    public var number: Int?
    /// Whether an existing file may be replaced.
    public var overwrite: Bool
    /// The folder's identity when it was shown for another user's job; nil for the daemon's own user. If the folder has
    /// changed, nothing is written.
    public var place: String?

    /// Creates a target.
    public init(folder: String, name: String?, stem: String, overwrite: Bool = false) {
        self.folder = folder
        self.name = name
        self.stem = stem
        self.overwrite = overwrite
    }

    /// The extension of the name in lower case, without its dot; nil if there is no name.
    public var fileExtension: String? {
        name.map { String($0.split(separator: ".").last ?? "").lowercased() }
    }

    /// The path as far as it is known: the named file, or the first candidate for `fileType`.
    public func path(fileType: String) -> String {
        (folder == "/" ? "/" : folder + "/") + (name ?? "\(OutputTarget.numbered(stem, number)).\(fileType)")
    }

    /// A stem with its number: `stem`, `stem-2`, `stem-3` and so on.
    public static func numbered(_ stem: String, _ number: Int?) -> String {
        guard let number, number > 1 else { return stem }
        return "\(stem)-\(number)"
    }
}

/// Who asked for an export, and when: files that its source names are opened later, with the rights of this user only, and must not
/// have changed since.
public struct SourceReader: Hashable, Codable, Sendable {
    /// The user's groups; the user is the job's.
    public var groups: [UInt32]
    /// When the request was accepted.
    public var since: Moment

    /// Creates a reader.
    public init(groups: [UInt32], since: Moment) {
        self.groups = groups
        self.since = since
    }
}

/// One export, as requested.
public struct ExportRequest: Ranged, Hashable, Codable, Sendable {
    /// The absolute path of the source; of several, of the first.
    public var input: String
    /// The sources, where they are several that are played one after the other; nil: `input` alone.
    public var sources: [SourcePart]?
    /// The destination of the output.
    public var output: OutputTarget
    /// The range.
    public var range: RangeRequest
    /// The preset, resolved.
    public var preset: Preset
    /// Encodes the asset where `preset` cannot cut it without encoding, in any file type that holds its codecs; nil: such an
    /// export fails. Only a request that names no preset has one.
    public var fallback: Preset?
    /// The render mode.
    public var render: RenderMode
    /// Whether warnings are errors.
    public var strict: Bool
    /// The idempotency key: the same request with the same key is the same job.
    public var key: String?
    /// Maximum seconds each cut point may move back to avoid encoding; nil: none.
    public var toleranceBefore: Time?
    /// Maximum seconds each cut point may move forward.
    public var toleranceAfter: Time?
    /// The export fails if the file would contain hidden copied samples.
    public var noHidden: Bool?
    /// Options beyond the preset.
    public var options: ExportOptions?
    /// The chapter request; nil: the chapters of the range.
    public var chapters: ChapterRequest?
    /// The metadata request; nil: the source's metadata is copied.
    public var metadata: MetadataRequest?
    /// By whose rights, and of when, the files of a playlist are opened; nil: the daemon's own.
    public var reader: SourceReader?
    /// The identities of all sources when they were accepted, as the daemon writes them, where they are several; set by the daemon only.
    public var sourceIdentities: [String]?
    /// Their bytes together; set by the daemon only.
    public var sourceBytes: Int64?
    /// The identity of the file of subtitles when it was shown, as the daemon writes it; set by the daemon only.
    public var subtitlesIdentity: String?

    /// Creates a request; omitted arguments take their defaults.
    public init(
        input: String, output: OutputTarget, range: RangeRequest = RangeRequest(), preset: Preset,
        render: RenderMode = .auto, strict: Bool = false, key: String? = nil, options: ExportOptions? = nil
    ) {
        self.input = input
        self.output = output
        self.range = range
        self.preset = preset
        self.render = render
        self.strict = strict
        self.key = key
        self.options = options
    }
}
