// Which presets are valid for an asset, and why the others are not. Works on an Asset alone and opens no file. `check` and
// exports use the same rules.
internal import MediaTime

/// Checks presets against an asset.
public struct Compatibility: Sendable {
    /// FFmpeg's names of the available encoders.
    public var encoders: Set<String>
    /// Whether this build can tone-map HDR to SDR.
    public var canToneMap = true
    /// Bytes of memory an encoder may use; nil: no limit is known.
    public var memory: Int64?

    /// Creates a checker from the available encoders.
    public init(encoders: Set<String>) { self.encoders = encoders }

    /// Why an asset cannot be trimmed at all; nil if it can.
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
                remedy: "choose a video or audio file")
        }
        if !media.contains(where: \.isDecodable) {
            let codecs = media.map(\.codecWords).joined(separator: ", ")
            if let track = media.first(where: { $0.obstacle == .unknownFormat }) {
                return MediaError(
                    .undecodableMediaData,
                    "track \(track.index) (\(track.codecWords)): \(track.obstacleWords)",
                    track: track.index)
            }
            return MediaError(.decoderNotFound, "this FFmpeg has no decoder for \(codecs)")
        }
        if let video = asset.mainVideo,
            asset.faults.contains(where: { $0.code == .noTimestamps && $0.track == video.index })
        {
            return MediaError(
                .operationNotSupported,
                "the video (track \(video.index)) has no timestamps",
                track: video.index, remedy: "put it into a container first, such as with mkvmerge")
        }
        return nil
    }

    /// A report that the asset cannot be trimmed.
    public func report(_ error: MediaError, presets: [Preset]) -> CompatibilityReport {
        let reason = Reason(error)
        let results = presets.map {
            PresetCompatibility(
                id: $0.id, valid: false, fileTypes: [], render: nil, reasons: [reason], warnings: [])
        }
        return CompatibilityReport(canTrim: false, reason: reason, presets: results)
    }

    /// Checks presets for an asset, for one file type if given.
    public func report(
        _ asset: Asset, presets: [Preset], fileType: String? = nil, options: RenderOptions = RenderOptions()
    ) -> CompatibilityReport {
        if let error = obstacle(of: asset) { return report(error, presets: presets) }
        let results = presets.map { check($0, for: asset, fileType: fileType, options: options) }
        return CompatibilityReport(canTrim: true, reason: nil, presets: results)
    }

    /// A preset with the options over it, for an asset and a file type.
    public func adjusted(
        _ preset: Preset, for asset: Asset, to type: FileType, _ options: RenderOptions
    ) throws(MediaError) -> Preset {
        try preset.adjusted(by: options, for: asset, to: type)
    }

    /// Checks one preset for an asset that can be trimmed, for one or all of its file types.
    public func check(
        _ preset: Preset, for asset: Asset, fileType: String? = nil, options: RenderOptions = RenderOptions()
    ) -> PresetCompatibility {
        let hasVideo = asset.mainVideo != nil
        var types = preset.fileTypes
        if !hasVideo, preset.video != nil || preset.isPassthrough {
            types = preset.audioOnlyFileTypes ?? types
        }
        if preset.isPassthrough, let own = FileType(of: asset)?.rawValue,
            preset.fileTypes.contains(own) || !hasVideo
        {
            // The asset's own type comes first: it holds the asset for certain.
            types = [own] + types.filter { $0 != own }
        }
        let made: [Result<Preset, MediaError>] = types.compactMap(FileType.init(rawValue:)).map { type in
            do throws(MediaError) {
                return .success(try adjusted(preset, for: asset, to: type, options))
            } catch {
                return .failure(error)
            }
        }
        var general: [Reason] = []
        var warnings: [Reason] = []
        if !preset.isPassthrough, case .failure(let error)? = made.first { general.append(Reason(error)) }
        if case .success(let made)? = made.first(where: { (try? $0.get()) != nil }) {
            if !preset.isPassthrough {
                general += audioReasons(made, asset, options)
                general += videoReasons(made, asset, options)
            } else if options.twoPass == true, hasVideo, made.copiesVideo {
                general.append(
                    Reason(
                        .onePassOnly, "\(preset.id) encodes video only around the cuts, in one pass",
                        remedy: "add --bitrate, or choose a preset that encodes"))
            }
            warnings = self.warnings(made, asset, options)
        }
        let typeResults = zip(types, made).map { (name, made) -> TypeCompatibility in
            var reasons = general
            switch made {
            case .failure(let error) where general.isEmpty: reasons.append(Reason(error))
            case .failure: break
            case .success(let made):
                reasons += FileType(rawValue: name).map { typeReasons($0, made, asset, options) }.orEmpty
            }
            let valid = reasons.isEmpty
            let copies = (try? made.get().copiesVideo) ?? true
            return TypeCompatibility(
                type: name, valid: valid,
                render: valid ? (preset.isPassthrough && copies ? .smart : .encode) : nil, reasons: reasons)
        }
        if let fileType, !types.contains(fileType) {
            let right = FileType.choice(of: types)
            general.append(
                Reason(
                    .outputTypeNotValid, "\(preset.id) gives \(right) for this file, not .\(fileType)",
                    remedy: types.first.map { "use the extension .\($0), or choose another preset" }))
        }
        let meant = typeResults.filter { fileType == nil || $0.type == fileType }
        let valid = general.isEmpty && meant.contains(where: \.valid)
        let own = meant.flatMap(\.reasons).filter { !general.contains($0) }
        var result = PresetCompatibility(
            id: preset.id, valid: valid,
            fileTypes: valid ? (fileType == nil ? typeResults : meant).filter(\.valid).map(\.type) : [],
            render: valid ? meant.first(where: \.valid)?.render : nil,
            reasons: valid ? [] : general + own.reduce(into: []) { if !$0.contains($1) { $0.append($1) } },
            warnings: warnings)
        result.types = typeResults
        return result
    }
}

extension [Reason]? {
    fileprivate var orEmpty: [Reason] { self ?? [] }
}
