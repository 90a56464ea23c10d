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
        _ asset: Asset, presets: [Preset], fileType: String? = nil, options: ExportOptions = ExportOptions()
    ) -> CompatibilityReport {
        if let error = obstacle(of: asset) { return report(error, presets: presets) }
        let results = presets.map { check($0, for: asset, fileType: fileType, options: options) }
        return CompatibilityReport(canTrim: true, reason: nil, presets: results)
    }

    /// A preset with the options over it, for an asset and a file type.
    public func adjusted(
        _ preset: Preset, for asset: Asset, to type: FileType, _ options: ExportOptions
    ) throws(MediaError) -> Preset {
        try preset.adjusted(by: options, for: asset, to: type)
    }

    /// Checks one preset for an asset that can be trimmed, for one or all of its file types.
    public func check(
        _ preset: Preset, for asset: Asset, fileType: String? = nil, options: ExportOptions = ExportOptions()
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

// The compatibility rules, one by one: why a preset is not valid, and which losses to warn of. Pure.
extension Compatibility {
    // MARK: Not valid

    /// The audio reasons against a preset.
    private func audioReasons(_ preset: Preset, _ asset: Asset, _ options: ExportOptions) -> [Reason] {
        let audio = asset.audioTracks
        var reasons: [Reason] = []
        let chosen = TrackSelection(options, of: asset).audio
        if audio.isEmpty, preset.video == nil {
            reasons.append(
                Reason(
                    .noAudioTrack, "the file has no audio, and \(preset.id) is for audio only",
                    remedy: "choose a preset with video, such as m4v720"))
        }
        // Audio is never left out unless that was asked for.
        let isAsked = preset.audio != nil && !preset.copiesAudio
        if isAsked || preset.video == nil || asset.mainVideo == nil, !chosen.isEmpty,
            !chosen.contains(where: \.isDecodable)
        {
            let codecs = chosen.map(\.codecWords).joined(separator: ", ")
            let remedy =
                asset.mainVideo == nil
                ? nil : "--preset passthrough copies it, and --audio none leaves it out"
            let known = chosen.first { $0.obstacle == .unknownFormat }
            reasons.append(
                known.map {
                    Reason($0.obstacleCode, "the file's audio: \($0.obstacleWords)", remedy: remedy)
                }
                    ?? Reason(
                        ErrorCode.decoderNotFound, "no decoder for the file's audio (\(codecs))",
                        remedy: remedy))
        }
        let isNeeded = !chosen.isEmpty && preset.audio != nil
        if isNeeded, let encoder = preset.audio?.encoder, !encoders.contains(encoder) {
            reasons.append(Reason(.encoderNotFound, "this build of FFmpeg has no encoder \(encoder)"))
        }
        return reasons
    }

    /// The video reasons against a preset.
    private func videoReasons(_ preset: Preset, _ asset: Asset, _ options: ExportOptions) -> [Reason] {
        guard let settings = preset.video else { return [] }
        guard let video = asset.mainVideo else {
            if preset.audioOnlyFileTypes != nil, preset.audio != nil { return [] }
            return [
                Reason(
                    .noVideoTrack, "the file has no video, and \(preset.id) is for video",
                    remedy: "choose m4a, or an m4v preset, which gives .m4a for audio alone")
            ]
        }
        guard video.isDecodable, let format = video.video else {
            if video.obstacle == .unknownFormat {
                return [Reason(video.obstacleCode, "the video track: \(video.obstacleWords)")]
            }
            let codec = video.codecWords
            return [Reason(ErrorCode.decoderNotFound, "no decoder for the video track's codec (\(codec))")]
        }
        var reasons: [Reason] = []
        if !encoders.contains(settings.encoder) {
            reasons.append(
                Reason(.encoderNotFound, "this build of FFmpeg has no encoder \(settings.encoder)"))
        }
        if let vision = format.dolbyVision, vision.isAlone {
            // Their colours are IPTPQc2: displayed without conversion, they are green and purple.
            reasons.append(
                Reason(
                    .dolbyVisionOnly,
                    "the video is Dolby Vision \(vision.name) without a base layer, which FFmpeg cannot convert",
                    remedy: "choose passthrough, which copies it unchanged"))
        }
        if options.twoPass == true {
            if !VideoSettings.twoPassEncoders.contains(settings.encoder) {
                reasons.append(
                    Reason(
                        .onePassOnly, "\(settings.encoder) encodes in one pass",
                        remedy: "leave out --two-pass"))
            } else if settings.bitRate == nil, options.limitSize == nil {
                reasons.append(
                    Reason(
                        .twoPassNeedsRate,
                        "\(preset.id) is of constant quality, which a second pass cannot better",
                        remedy: "add --limit-size, or choose a preset with an average rate, such as m4v-ipod")
                )
            }
        }
        let output = OutputVideo(format, settings, options)
        if format.hasAlpha, !output.keepsAlpha, options.background == ExportOptions.refusedGround {
            reasons.append(
                Reason(
                    ReasonCode.alphaLost,
                    "the video has an alpha channel, which \(preset.id) cannot keep",
                    remedy: "choose prores4444 or vp9-1080, or composite it over a colour: --background black"
                ))
        }
        if output.toneMaps, let hdr = format.color.dynamicRange {
            if options.hdr == .refuse {
                reasons.append(
                    Reason(
                        .hdrLost, "the video is HDR (\(hdr)), and \(preset.id) has 8 bits",
                        remedy: "choose hevc1080 or another preset of 10 bits, or --hdr tonemap"))
            } else if !canToneMap {
                reasons.append(
                    Reason(
                        .toneMapNotFound,
                        "the video is HDR (\(hdr)), and this build of FFmpeg cannot tone-map",
                        remedy: "choose hevc1080 or another preset of 10 bits"))
            }
        }
        reasons += sizeReasons(preset, output)
        return reasons
    }

    private func sizeReasons(_ preset: Preset, _ output: OutputVideo) -> [Reason] {
        let size = "\(output.width)x\(output.height)"
        var reasons: [Reason] = []
        if output.exceedsLevel {
            let level = output.level.map { "level \($0.name)" } ?? "any level"
            reasons.append(
                Reason(
                    .levelExceeded,
                    "\(size) at \(output.rate) frames a second is more than \(level) of \(output.settings.codec) allows",
                    remedy:
                        "choose a preset with a box, such as 3840x2160 or hevc4320, or lower the rate with --fps"
                ))
        }
        if min(output.width, output.height) < output.smallestSide {
            reasons.append(
                Reason(
                    .pictureTooSmall,
                    "frames of \(size) are smaller than \(output.settings.encoder) takes (\(output.smallestSide) pixels a side)",
                    remedy: "choose passthrough, which keeps the frames as they are"))
        }
        if let memory, output.encoderMemory > memory {
            let (need, have) = (output.encoderMemory >> 20, memory >> 20)
            reasons.append(
                Reason(
                    .notEnoughMemory,
                    "encoding \(size) takes about \(need) MiB of memory, and a worker may take \(have) MiB",
                    remedy: "choose a smaller preset, or give workers more memory in trimd.json"))
        }
        return reasons
    }

    /// The reasons against a file type.
    private func typeReasons(
        _ type: FileType, _ preset: Preset, _ asset: Asset, _ options: ExportOptions
    ) -> [Reason] {
        let audio = TrackSelection(options, of: asset).audio
        guard !preset.isPassthrough else { return passthroughReasons(type, preset, asset, options) }
        if type.countsFrames, preset.video != nil, asset.mainVideo != nil {
            return [
                Reason(
                    .timingLost,
                    ".\(type.rawValue) counts frames instead of storing times, and is only copied to",
                    remedy: "choose another extension, such as .mp4 or .mkv")
            ]
        }
        var codecs: [String] = []
        if let video = preset.video, asset.mainVideo != nil { codecs.append(video.codec) }
        if let settings = preset.audio, !audio.isEmpty { codecs.append(settings.codec) }
        return codecs.filter { !type.holds($0) }.map { codec in
            let others = FileType.allCases.filter { $0.holds(codec) && !$0.isAudio }.map {
                "." + $0.rawValue
            }
            let isChosen = options.videoCodec != nil || options.audioCodec != nil
            let all = others.joined(separator: ", ")
            return Reason(
                .codecNotInContainer, ".\(type.rawValue) cannot hold \(codec)",
                remedy: others.isEmpty
                    ? nil
                    : isChosen
                        ? "choose another codec, or a preset that writes one of \(all)" : "what can: \(all)")
        }
    }

    /// Passthrough: the video must fit, and at least one audio track.
    private func passthroughReasons(
        _ type: FileType, _ preset: Preset, _ asset: Asset, _ options: ExportOptions
    ) -> [Reason] {
        let others = "choose another extension, or a preset that encodes"
        let encoding =
            (preset.copiesVideo ? [] : videoReasons(preset, asset, options))
            + (preset.copiesAudio ? [] : audioReasons(preset, asset, options))
        guard encoding.isEmpty else { return encoding }
        if preset.copiesVideo, options.background != nil {
            return [
                Reason(
                    .optionsNeedEncoding,
                    "\(preset.id) takes samples as they are stored, and a background changes them",
                    remedy: "choose a preset that encodes")
            ]
        }
        if !preset.copiesVideo || (asset.mainVideo == nil && !preset.copiesAudio) { return [] }
        let audio = TrackSelection(options, of: asset).audio
        if let video = asset.mainVideo {
            guard type.holds(video.codec) else {
                let why = ".\(type.rawValue) cannot hold \(video.codecWords)"
                return [Reason(.codecNotInContainer, why, remedy: others)]
            }
            if let words = type.loss(of: video)?.words {
                return [
                    Reason(
                        words.code, "\(words.what), and .\(type.rawValue) cannot store that",
                        remedy: words.remedy
                    )
                ]
            }
            return []
        }
        guard !type.needsVideo, audio.contains(where: { type.keeps($0, of: asset) }) else {
            let codecs = audio.map(\.codec).joined(separator: ", ")
            let why = ".\(type.rawValue) cannot hold \(codecs)\(type.needsVideo ? " without video" : "")"
            return [Reason(.codecNotInContainer, why, remedy: others)]
        }
        return []
    }

    // MARK: Valid, with a loss

    /// The warnings for a preset.
    func warnings(_ preset: Preset, _ asset: Asset, _ options: ExportOptions) -> [Reason] {
        var warnings: [Reason] = []
        if let format = asset.mainVideo?.video, asset.mainVideo?.isDecodable == true {
            if let settings = preset.video {
                warnings += videoWarnings(format, OutputVideo(format, settings, options), options)
            } else if !preset.isPassthrough {
                warnings.append(
                    Reason(.videoDropped, "\(preset.id) is for audio only; the video is left out"))
            }
        }
        let chosen = TrackSelection(options, of: asset).audio
        guard !preset.copiesAudio else { return warnings }
        for track in chosen where !track.isDecodable {
            warnings.append(
                Reason(
                    track.obstacleCode,
                    "audio track \(track.index) (\(track.codecWords)) is left out: \(track.obstacleWords)"))
        }
        guard let settings = preset.audio else {
            if !chosen.isEmpty, !preset.isPassthrough {
                warnings.append(Reason(.audioDropped, "\(preset.id) has no audio; the file's is left out"))
            }
            return warnings
        }
        for track in chosen where track.isDecodable {
            guard let format = track.audio else { continue }
            let bits = settings.maxBits ?? 16
            if settings.bitRate == nil, format.storedBits != nil, let own = format.bits, own > bits {
                warnings.append(Reason(.depthLowered, track.losing(own, to: bits)))
            }
            let kept = settings.channels(of: format)
            guard kept < format.channels else { continue }
            warnings.append(
                Reason(
                    .downmixed,
                    "the \(format.channels) channels of track \(track.index) are mixed down to \(kept == 1 ? "one" : "\(kept)")"
                ))
        }
        return warnings
    }

    private func videoWarnings(
        _ format: VideoFormat, _ output: OutputVideo, _ options: ExportOptions
    ) -> [Reason] {
        var warnings: [Reason] = []
        if format.hasAlpha, !output.keepsAlpha {
            let message =
                "the video has an alpha channel; it is composited over \(options.background ?? "black")"
            warnings.append(
                Reason(WarningCode.alphaLost, message, remedy: "prores4444 and vp9-1080 keep it"))
        }
        if let crop = format.crop {
            warnings.append(
                Reason(
                    .croppedToAperture,
                    "the video is cropped to its clean aperture, \(crop.width)x\(crop.height) of \(format.width)x\(format.height)"
                ))
        }
        if output.toneMaps, let hdr = format.color.dynamicRange {
            warnings.append(
                Reason(.toneMapped, "the video is HDR (\(hdr)) and is tone-mapped to 8 bits"))
        }
        if let vision = format.dolbyVision {
            warnings.append(
                Reason(
                    .dolbyVisionLost,
                    "the video is Dolby Vision \(vision.name); only its base layer is encoded",
                    remedy: "passthrough keeps it"))
        }
        if format.hasSecondView == true {
            warnings.append(
                Reason(
                    .secondViewLost, "the video has a second view for the other eye, which is left out",
                    remedy: "passthrough keeps it where the cut needs no encoding"))
        }
        if format.isInterlaced, options.deinterlace ?? .auto == .auto {
            let message = "the video is interlaced and is deinterlaced, one frame for two fields"
            warnings.append(Reason(.deinterlaced, message))
        }
        if let cap = output.settings.maxFrameRate, let rate = format.frameRate,
            FrameRateCap(cap, on: rate) != .all
        {
            let most = format.isVariable && options.frameRate == nil ? "at most " : ""
            warnings.append(
                Reason(
                    .frameRateLowered,
                    "the frame rate \(rate.rounded) is lowered to \(most)\(output.rate.rounded)"))
        }
        return warnings
    }
}

extension Track {
    /// The sentence that its samples lose bits.
    package func losing(_ bits: Int, to stored: Int) -> String {
        "the \(bits)-bit samples of track \(index) are stored with \(stored) bits"
    }
}
