// The results of the compatibility check: one per preset, one per file type, with reasons. Values only.
public import MediaTime

/// Why a preset is not valid for an asset, for reasons without an error code.
public enum ReasonCode: String, Hashable, Sendable, CaseIterable {
    // The asset has no such track.
    case noAudioTrack, noVideoTrack
    // A property would be lost.
    case alphaLost, aspectLost, hdrLost, dolbyVisionOnly, rotationLost, timingLost
    // The encoder cannot.
    case levelExceeded, notEnoughMemory, onePassOnly, pictureTooSmall, toneMapNotFound, twoPassNeedsRate
    // The file type cannot.
    case codecNotInContainer, rateNotInContainer
    // The options do not fit the preset.
    case optionsNeedEncoding
}

/// Why a preset is not valid, or a warning for a valid one.
public struct Reason: Hashable, Codable, Sendable {
    /// A stable code.
    public var code: String
    /// A message for people.
    public var message: String
    /// The remedy.
    public var remedy: String?

    /// Creates a reason against a preset.
    public init(_ code: ReasonCode, _ message: String, remedy: String? = nil) {
        self.init(word: code.rawValue, message, remedy: remedy)
    }

    /// Creates the reason for an error that an export would end with.
    public init(_ code: ErrorCode, _ message: String, remedy: String? = nil) {
        self.init(word: code.rawValue, message, remedy: remedy)
    }

    /// Creates the reason for a warning that an export would give.
    public init(_ code: WarningCode, _ message: String, remedy: String? = nil) {
        self.init(word: code.rawValue, message, remedy: remedy)
    }

    /// Creates the reason for an error.
    public init(_ error: MediaError) {
        self.init(error.code, error.message, remedy: error.remedy)
    }

    /// The error with this code; nil if none has it.
    public var error: ErrorCode? { ErrorCode(rawValue: code) }
    /// The warning with this code; nil if none has it.
    public var warning: WarningCode? { WarningCode(rawValue: code) }

    private init(word: String, _ message: String, remedy: String?) {
        code = word
        self.message = message
        self.remedy = remedy
    }
}

/// The result for one preset and one asset.
public struct PresetCompatibility: Hashable, Codable, Sendable {
    /// The preset's id.
    public var id: String
    /// Whether an export with it can succeed.
    public var valid: Bool
    /// The extensions the output may have for this asset.
    public var fileTypes: [String]
    /// The render mode.
    public var render: RenderMode?
    /// Why it is not valid.
    public var reasons: [Reason]
    /// The losses and changes.
    public var warnings: [Reason]
    /// Each file type of the preset, valid or not.
    public var types: [TypeCompatibility]?
    /// Why this render mode is used: why the samples cannot be copied.
    public var renderReason: String?
    /// The estimated size of the output, in bytes.
    public var estimatedBytes: SizeBand?
    /// The longest duration of the source that meets the requested size.
    public var estimatedMaximumDuration: Time?

    /// Creates a result.
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

/// The result for one file type of a preset.
public struct TypeCompatibility: Hashable, Codable, Sendable {
    /// The extension.
    public var type: String
    /// Whether an export to this type can succeed.
    public var valid: Bool
    /// The render mode.
    public var render: RenderMode?
    /// Why it is not valid.
    public var reasons: [Reason]

    /// Creates a result.
    public init(type: String, valid: Bool, render: RenderMode?, reasons: [Reason]) {
        self.type = type
        self.valid = valid
        self.render = render
        self.reasons = reasons
    }
}

/// An estimated size (90 % interval).
public struct SizeBand: Hashable, Codable, Sendable {
    /// Bytes; 90 % of outputs lie between `low` and `high`.
    public var low: Int64, likely: Int64, high: Int64

    /// Creates an interval.
    public init(low: Int64, likely: Int64, high: Int64) {
        self.low = low
        self.likely = likely
        self.high = high
    }
}

/// The answer of `trimctl check`.
public struct CompatibilityReport: Hashable, Codable, Sendable {
    /// Whether the asset can be trimmed at all.
    public var canTrim: Bool
    /// Why it cannot.
    public var reason: Reason?
    /// One result per preset.
    public var presets: [PresetCompatibility]
    /// Anything unusual or wrong about the asset; nil: it was not read.
    public var faults: [Fault]?
    /// Properties of the asset that a cut depends on, and that are no faults; nil: it was not read.
    public var properties: [AssetTrait]?

    /// Creates a report.
    public init(canTrim: Bool, reason: Reason?, presets: [PresetCompatibility]) {
        self.canTrim = canTrim
        self.reason = reason
        self.presets = presets
    }
}
