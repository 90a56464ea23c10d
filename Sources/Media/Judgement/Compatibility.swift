// Which presets are valid for an asset, and why the others are not. A pure judgement of an Asset; it opens nothing.
internal import MediaTime

/// Why a preset is not valid, or what a user should know of one that is.
public struct Reason: Hashable, Codable, Sendable {
    /// A stable word.
    public var code: String
    /// A sentence for people.
    public var message: String
    /// What to do instead.
    public var remedy: String?

    /// A reason from its parts.
    public init(_ code: String, _ message: String, remedy: String? = nil) {
        self.code = code
        self.message = message
        self.remedy = remedy
    }
}

/// The judgement of one preset for one asset.
public struct PresetVerdict: Hashable, Codable, Sendable {
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

/// The answer of `trimctl check`.
public struct CompatibilityReport: Hashable, Codable, Sendable {
    /// Trimming can begin at all.
    public var canTrim: Bool
    /// Why not.
    public var reason: Reason?
    /// One verdict a preset.
    public var presets: [PresetVerdict]

    /// A report from its parts.
    public init(canTrim: Bool, reason: Reason?, presets: [PresetVerdict]) {
        self.canTrim = canTrim
        self.reason = reason
        self.presets = presets
    }
}

/// The judge: the same rules for `check` and for an export that is about to begin.
public struct Compatibility: Sendable {
    /// FFmpeg's names of the encoders this build has.
    public var encoders: Set<String>

    /// A judge that knows which encoders there are.
    public init(encoders: Set<String>) { self.encoders = encoders }

    /// Why an asset cannot be trimmed at all; nil where it can.
    public func obstacle(of asset: Asset) -> MediaError? {
        let media = asset.tracks.filter { ($0.kind == .video && !$0.isPicture) || $0.kind == .audio }
        if let track = media.first(where: \.isProtected) {
            return MediaError(
                .contentIsProtected, "track \(track.index) (\(track.kind.rawValue)) is encrypted",
                track: track.index,
                remedy: "export needs the unencrypted original")
        }
        if media.isEmpty {
            return MediaError(
                .noSourceTrack, "the file has neither video nor audio",
                remedy: "choose a film or a sound file")
        }
        if !media.contains(where: \.isDecodable) {
            let codecs = media.map(\.codec).joined(separator: ", ")
            return MediaError(.decoderNotFound, "no track can be decoded (\(codecs))")
        }
        return nil
    }

    /// Judges presets for an asset, all of them for one file type where one is given.
    public func report(_ asset: Asset, presets: [Preset], fileType: String? = nil) -> CompatibilityReport {
        if let error = obstacle(of: asset) {
            let reason = Reason(error.code.rawValue, error.message, remedy: error.remedy)
            let verdicts = presets.map {
                PresetVerdict(
                    id: $0.id, valid: false, fileTypes: [], render: nil, reasons: [reason], warnings: [])
            }
            return CompatibilityReport(canTrim: false, reason: reason, presets: verdicts)
        }
        let verdicts = presets.map { verdict($0, for: asset, fileType: fileType) }
        return CompatibilityReport(canTrim: true, reason: nil, presets: verdicts)
    }

    /// Judges one preset for an asset that can be trimmed.
    public func verdict(_ preset: Preset, for asset: Asset, fileType: String? = nil) -> PresetVerdict {
        var reasons: [Reason] = []
        var warnings: [Reason] = []
        let video = asset.mainVideo
        let audio = asset.audioTracks
        var types = preset.fileTypes
        if preset.isPassthrough { return passthrough(preset, asset, fileType) }
        let takesVideo = preset.video != nil && video?.isDecodable == true

        if preset.video == nil, audio.isEmpty {
            reasons.append(
                Reason(
                    "noAudioTrack", "the asset has no sound, and \(preset.id) is for sound only",
                    remedy: "choose a preset with video, such as m4v720"))
        } else if preset.video == nil, !audio.contains(where: \.isDecodable) {
            let codecs = audio.map(\.codec).joined(separator: ", ")
            reasons.append(Reason("decoderNotFound", "no decoder for the asset's sound (\(codecs))"))
        } else if preset.video != nil, video == nil {
            if let audioOnly = preset.audioOnlyFileTypes, preset.audio != nil {
                types = audioOnly
            } else {
                reasons.append(
                    Reason(
                        "noVideoTrack", "the asset has no video, and \(preset.id) is for video",
                        remedy: "choose m4a, or an m4v preset, which gives .m4a for sound alone"))
            }
        } else if preset.video != nil, let video, !video.isDecodable {
            reasons.append(
                Reason("decoderNotFound", "no decoder for the video track's codec (\(video.codec))"))
        }
        let wanted = [takesVideo ? preset.video?.encoder : nil, audio.isEmpty ? nil : preset.audio?.encoder]
        for encoder in wanted.compactMap(\.self) where !encoders.contains(encoder) {
            reasons.append(Reason("encoderNotFound", "this build of FFmpeg has no encoder \(encoder)"))
        }
        if let fileType, !types.contains(fileType) {
            let types = types.map { "." + $0 }.joined(separator: " or ")
            reasons.append(
                Reason(
                    "outputTypeNotValid", "\(preset.id) gives \(types) for this asset, not .\(fileType)",
                    remedy: "name the output so, or choose another preset"))
        }
        if takesVideo, let picture = video?.video, let settings = preset.video {
            warnings += pictureWarnings(picture, settings)
        } else if preset.video == nil, video != nil {
            warnings.append(Reason("videoDropped", "\(preset.id) is for sound only; the video is left out"))
        }
        for track in audio where !track.isDecodable {
            warnings.append(
                Reason(
                    "decoderNotFound",
                    "no decoder for audio track \(track.index) (\(track.codec)); it is left out"))
        }
        let valid = reasons.isEmpty
        return PresetVerdict(
            id: preset.id, valid: valid, fileTypes: valid ? types : [], render: valid ? .encode : nil,
            reasons: reasons, warnings: warnings)
    }

    /// Judges taking everything over as it is: anything that the container can hold.
    private func passthrough(_ preset: Preset, _ asset: Asset, _ fileType: String?) -> PresetVerdict {
        let hasVideo = asset.mainVideo != nil
        let types = hasVideo ? preset.fileTypes : preset.audioOnlyFileTypes ?? preset.fileTypes
        let own = FileType(of: asset)?.rawValue
        var reasons: [Reason] = []
        if let fileType, !types.contains(fileType) {
            let types = types.map { "." + $0 }.joined(separator: " or ")
            reasons.append(
                Reason(
                    "outputTypeNotValid", "\(preset.id) gives \(types) for this asset, not .\(fileType)",
                    remedy: "name the output so, or choose another preset"))
        }
        // The asset's own type is the one it certainly fits.
        let first = own ?? (hasVideo ? "mov" : "m4a")
        return PresetVerdict(
            id: preset.id, valid: reasons.isEmpty,
            fileTypes: reasons.isEmpty ? [first] + types.filter { $0 != first } : [],
            render: reasons.isEmpty ? .smart : nil, reasons: reasons, warnings: [])
    }

    private func pictureWarnings(_ picture: VideoFormat, _ settings: VideoSettings) -> [Reason] {
        var warnings: [Reason] = []
        if picture.hasAlpha {
            warnings.append(
                Reason(
                    "alphaLost",
                    "the pictures have an alpha channel, which \(settings.codec) here cannot hold"))
        }
        if let hdr = picture.color.dynamicRange, !settings.pixelFormat.contains("10") {
            warnings.append(
                Reason("toneMapped", "the pictures are HDR (\(hdr)) and are tone-mapped to 8 bits"))
        }
        if picture.fieldOrder == .topFieldFirst || picture.fieldOrder == .bottomFieldFirst {
            warnings.append(
                Reason(
                    "deinterlaced",
                    "the pictures are interlaced and are deinterlaced, one frame for two fields"))
        }
        if let cap = settings.maxFrameRate, let rate = picture.frameRate, rate > cap {
            warnings.append(Reason("frameRateLowered", "the frame rate \(rate) is lowered to at most \(cap)"))
        }
        return warnings
    }
}
