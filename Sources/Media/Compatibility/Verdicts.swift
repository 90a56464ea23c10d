// What the checker answers: a verdict a preset, a verdict a file type of it, and why. Values only.
public import MediaTime

/// Why a preset is not valid for an asset, where that is no error of its own.
public enum ReasonCode: String, Hashable, Sendable, CaseIterable {
    // The asset has no such track.
    case noAudioTrack, noVideoTrack
    // Something would be lost.
    case alphaLost, hdrLost, dolbyVisionOnly, rotationLost
    // The encoder cannot.
    case levelExceeded, notEnoughMemory, onePassOnly, pictureTooSmall, toneMapNotFound, twoPassNeedsRate
    // The file type cannot.
    case codecNotInContainer, rateNotInContainer
    // The options and the preset do not fit.
    case optionsNeedEncoding
}

/// Why a preset is not valid, or what a user should know of one that is.
public struct Reason: Hashable, Codable, Sendable {
    /// A stable word.
    public var code: String
    /// A sentence for people.
    public var message: String
    /// What to do instead.
    public var remedy: String?

    /// A reason against a preset.
    public init(_ code: ReasonCode, _ message: String, remedy: String? = nil) {
        self.init(word: code.rawValue, message, remedy: remedy)
    }

    /// A reason that an export would end with.
    public init(_ code: ErrorCode, _ message: String, remedy: String? = nil) {
        self.init(word: code.rawValue, message, remedy: remedy)
    }

    /// A reason that an export would warn of.
    public init(_ code: WarningCode, _ message: String, remedy: String? = nil) {
        self.init(word: code.rawValue, message, remedy: remedy)
    }

    /// The reason of an error.
    public init(_ error: MediaError) {
        self.init(error.code, error.message, remedy: error.remedy)
    }

    /// The error with this code; nil: it is no error's.
    public var error: ErrorCode? { ErrorCode(rawValue: code) }
    /// The warning with this code; nil: it is no warning's.
    public var warning: WarningCode? { WarningCode(rawValue: code) }

    private init(word: String, _ message: String, remedy: String?) {
        code = word
        self.message = message
        self.remedy = remedy
    }
}

/// The judgement of one preset for one asset.
public struct PresetCompatibility: Hashable, Codable, Sendable {
    /// The preset's id.
    public var id: String
    /// An export with it can succeed.
    public var valid: Bool
    /// The extensions the output may have for this asset.
    public var fileTypes: [String]
    /// The way it would be rendered.
    public var render: RenderMode?
    /// Why it is not valid.
    public var reasons: [Reason]
    /// What would be lost or changed.
    public var warnings: [Reason]
    /// Each file type of the preset, valid or not.
    public var types: [TypeCompatibility]?
    /// Why it is rendered that way: what keeps samples from being taken over as they are stored.
    public var renderReason: String?
    /// How large the output would be, in bytes.
    public var estimatedBytes: SizeBand?
    /// How much of the source, in time, fits the size that was asked for.
    public var estimatedMaximumDuration: Time?

    /// A verdict from its parts.
    public init(
        id: String, valid: Bool, fileTypes: [String], render: RenderMode?, reasons: [Reason],
        warnings: [Reason]
    ) {
        self.id = id
        self.valid = valid
        self.fileTypes = fileTypes
        self.render = render
        self.reasons = reasons
        self.warnings = warnings
    }
}

/// The judgement of one file type of a preset.
public struct TypeCompatibility: Hashable, Codable, Sendable {
    /// The extension.
    public var type: String
    /// An export of this type can succeed.
    public var valid: Bool
    /// The way it would be rendered.
    public var render: RenderMode?
    /// Why it is not valid.
    public var reasons: [Reason]

    /// A verdict from its parts.
    public init(type: String, valid: Bool, render: RenderMode?, reasons: [Reason]) {
        self.type = type
        self.valid = valid
        self.render = render
        self.reasons = reasons
    }
}

/// A size that is not known yet: between two bounds in nine of ten cases.
public struct SizeBand: Hashable, Codable, Sendable {
    /// Bytes; nine of ten outputs are no smaller than `low` and no larger than `high`.
    public var low: Int64, likely: Int64, high: Int64

    /// A band from its parts.
    public init(low: Int64, likely: Int64, high: Int64) {
        self.low = low
        self.likely = likely
        self.high = high
    }
}

/// The answer of `trimctl check`.
public struct CompatibilityReport: Hashable, Codable, Sendable {
    /// Trimming can begin at all.
    public var canTrim: Bool
    /// Why not.
    public var reason: Reason?
    /// One verdict a preset.
    public var presets: [PresetCompatibility]

    /// A report from its parts.
    public init(canTrim: Bool, reason: Reason?, presets: [PresetCompatibility]) {
        self.canTrim = canTrim
        self.reason = reason
        self.presets = presets
    }
}
