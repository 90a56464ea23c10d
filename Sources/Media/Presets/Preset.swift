// A preset: the format of an output. A pure value with one JSON schema, version 1; decoding checks every key and number, so a
// decoded preset is usable. PresetCatalogue finds and reads the files.
internal import Glibc
internal import MediaTime
public import Text

/// The format of an output: container, video and audio.
public struct Preset: Hashable, Codable, StrictDecodable, Sendable {
    /// The version of the JSON schema.
    public static let currentVersion = 1
    /// The ID of the preset of a request that names none: samples as they are stored.
    public static let unnamed = "passthrough"
    /// The ID of the preset for assets that cannot be cut so.
    public static let unnamedFallback = "highest"

    /// The version of the JSON schema it was written in.
    public var version: Int
    /// Its ID on the command line: lower-case letters, digits, `-` and `x`.
    public var id: String
    /// Its display name.
    public var name: String
    /// AVFoundation's name, such as `AVAssetExportPresetAppleM4V720pHD`; nil if there is none.
    public var appleName: String?
    /// Extensions the output may have; the first is the default.
    public var fileTypes: [String]
    /// Extensions for an asset without video; nil: an asset without video is not valid for this preset.
    public var audioOnlyFileTypes: [String]?
    /// The video settings; nil for an audio preset.
    public var video: VideoSettings?
    /// The audio settings; nil for a silent preset.
    public var audio: AudioSettings?
    /// Whether samples are copied as stored; then there are no video or audio settings.
    @FalseIfMissing public var isPassthrough: Bool
    /// Whether an asset that already conforms is encoded all the same.
    @FalseIfMissing public var alwaysEncodes: Bool
    /// Whether the index precedes the media ("fast start").
    @FalseIfMissing public var optimizeForNetwork: Bool

    /// Creates a preset.
    public init(
        id: String, name: String, appleName: String?, fileTypes: [String],
        audioOnlyFileTypes: [String]? = nil,
        video: VideoSettings?, audio: AudioSettings?, isPassthrough: Bool = false,
        alwaysEncodes: Bool = false, optimizeForNetwork: Bool = false
    ) {
        version = Preset.currentVersion
        self.id = id
        self.name = name
        self.appleName = appleName
        self.fileTypes = fileTypes
        self.audioOnlyFileTypes = audioOnlyFileTypes
        self.video = video
        self.audio = audio
        self.isPassthrough = isPassthrough
        self.alwaysEncodes = alwaysEncodes
        self.optimizeForNetwork = optimizeForNetwork
    }

    enum CodingKeys: String, CodingKey {
        case version, id, name, appleName, fileTypes, audioOnlyFileTypes, video, audio
        case isPassthrough = "passthrough"
        case alwaysEncodes = "alwaysEncode"
        case optimizeForNetwork
    }

    /// Throws for the first value that is out of its range.
    public func validate() throws(InvalidValue) {
        guard version == Preset.currentVersion else {
            throw InvalidValue(
                CodingKeys.version, "is \(version), and this trimd reads version \(Preset.currentVersion)")
        }
        guard !id.isEmpty, id.count <= 64,
            id.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || "-_.".contains($0)) })
        else { throw InvalidValue(CodingKeys.id, "must be letters, digits, '-', '_' and '.', at most 64") }
        guard !fileTypes.isEmpty else {
            throw InvalidValue(CodingKeys.fileTypes, "must name at least one extension")
        }
        for (key, types) in [
            (CodingKeys.fileTypes, fileTypes), (.audioOnlyFileTypes, audioOnlyFileTypes ?? []),
        ] {
            if let unknown = types.first(where: { FileType(rawValue: $0) == nil }) {
                let known = FileType.allCases.map(\.rawValue)
                throw InvalidValue(key, "names '\(unknown)'; known are \(known.joined(separator: ", "))")
            }
        }
        if isPassthrough, video != nil || audio != nil {
            throw InvalidValue(
                CodingKeys.isPassthrough, "is true, and then there are no settings for video and audio")
        }
        guard isPassthrough || video != nil || audio != nil else {
            throw InvalidValue(CodingKeys.video, "is missing, and so is audio")
        }
    }
}

// The extension of an unnamed output, guessed from the source's name; only a worker knows the source's content. Pure.
extension Preset {
    /// Every extension an output may have, each once.
    public var allFileTypes: [String] {
        fileTypes + (audioOnlyFileTypes ?? []).filter { !fileTypes.contains($0) }
    }

    /// The most likely extension of an unnamed output: the source's if samples are copied, the audio one if the source's name
    /// indicates audio only.
    public func likelyFileType(of input: String) -> String {
        let own = FileType(ofName: input)
        let isAudio = own?.isAudio ?? false
        let types = isAudio && (video != nil || isPassthrough) ? audioOnlyFileTypes ?? fileTypes : fileTypes
        if isPassthrough, let own, isAudio || types.contains(own.rawValue) { return own.rawValue }
        return types.first ?? ""
    }
}

extension FileType {
    /// The type that the extension of a path says; nil: none.
    public init?(ofName path: String) {
        let name = path.pathNames.last ?? ""
        self.init(rawValue: name.split(separator: ".").dropFirst().last?.lowercased() ?? "")
    }
}

// A preset with the options of an export over it: what follows plans, checks and estimates with the result as with any preset. Pure.
// Throws where the preset, its codec or the container cannot hold what an option asks for.
extension Preset {
    /// Whether the video's samples are copied as stored.
    public var copiesVideo: Bool { isPassthrough && video == nil }
    /// Whether the audio's samples are copied as stored.
    public var copiesAudio: Bool { isPassthrough && audio == nil }

    /// This preset as files and messages hold it: one that copies has no settings, though options give it some for an export.
    public var asStored: Preset {
        guard isPassthrough else { return self }
        var preset = self
        (preset.video, preset.audio) = (nil, nil)
        return preset
    }

    /// This preset, as an export to a file type with these options uses it. Of a preset that copies, the tracks that an option
    /// changes get settings: the source's codec where there is an encoder and the container takes it, else the container's
    /// common one.
    public func adjusted(
        by options: ExportOptions, for asset: Asset, to type: FileType
    ) throws(MediaError) -> Preset {
        var preset = self
        if options.videoChange != nil, let track = asset.mainVideo, let format = track.video {
            try FrameEdit(options).check(track)
            if isPassthrough {
                preset.video = try Preset.settings(track, format, options, type)
            }
            if var settings = preset.video {
                try settings.apply(options, over: self, for: format)
                if options.burnSubtitles != nil { try Preset.checkBurning(settings, options, asset) }
                preset.video = settings
            } else if options.videoOnlyChange != nil {
                throw Preset.refused("\(id) makes no video", "choose a preset with video, such as m4v720")
            }
        }
        let chosen = TrackSelection(options, of: asset).audio
        if options.audioChange != nil,
            let track = TrackChoice.standard.tracks(of: chosen).first ?? chosen.first
        {
            if isPassthrough { preset.audio = try Preset.settings(track, options, type) }
            if var settings = preset.audio {
                try settings.apply(options, for: chosen)
                preset.audio = settings
            } else if options.audioCodec != nil || options.audioBitRate != nil {
                throw Preset.refused("\(id) makes no audio", "choose a preset with audio, such as m4v720")
            }
        }
        return preset
    }

    /// Settings for a video track that a preset without any copies otherwise.
    private static func settings(
        _ track: Track, _ format: VideoFormat, _ options: ExportOptions, _ type: FileType
    ) throws(MediaError) -> VideoSettings {
        let own = options.videoCodec ?? VideoCodecChoice(rawValue: track.codec)
        let common: [VideoCodecChoice] = options.videoCodec == nil ? [.h264, .vp9, .av1, .prores] : []
        let codec = ([own].compactMap(\.self) + common).first { type.holds($0.rawValue) }
        if let codec { return codec.settings(like: format) }
        throw refused(
            options.videoCodec.map { ".\(type.rawValue) cannot hold \($0.rawValue)" }
                ?? ".\(type.rawValue) holds no video that can be encoded",
            "choose another extension, such as .mp4 or .mkv")
    }

    /// Settings for an audio track that a preset without any copies otherwise.
    private static func settings(
        _ track: Track, _ options: ExportOptions, _ type: FileType
    ) throws(MediaError) -> AudioSettings {
        // A rate or a size that is asked for needs a codec whose rate may be chosen freely.
        let isFree = options.audioBitRate == nil && options.limitSize == nil
        if options.audioCodec == nil,
            let own = AudioSettings.kept(codec: track.codec)?.ordered(for: type),
            own.bitRate == nil || isFree, track.audio?.channels ?? 2 <= own.maxChannels,
            type.holds(own.codec)
        {
            return own
        }
        let own = options.audioCodec ?? AudioCodecChoice(codec: track.codec)
        let common: [AudioCodecChoice] = options.audioCodec == nil ? [.aac, .opus, .mp3, .flac, .pcm] : []
        let codec = ([own].compactMap(\.self) + common).first { type.holds($0.settings.codec) }
        guard let codec else {
            throw refused(
                options.audioCodec.map { ".\(type.rawValue) cannot hold \($0.rawValue)" }
                    ?? ".\(type.rawValue) holds no audio that can be encoded",
                "choose another extension, such as .mp4 or .mkv")
        }
        var settings = codec.settings
        // A picture that is encoded a second time needs more bits than one that is encoded once.
        settings.bitRate = settings.bitRate.map { max($0, 256_000) }
        return settings.ordered(for: type)
    }

    /// Throws where subtitles cannot be drawn.
    private static func checkBurning(
        _ settings: VideoSettings, _ options: ExportOptions, _ asset: Asset
    ) throws(MediaError) {
        if options.burnedFile == nil {
            guard let track = TrackSelection(options, of: asset).burned else {
                throw MediaError(
                    .invalidRequest, "--burn-subtitles: the film has no subtitle track",
                    remedy:
                        "leave out --burn-subtitles; a file of subtitles is \(ExportOptions.subtitleFileRule)"
                )
            }
            guard track.isDecodable else {
                throw refused(
                    "subtitle track \(track.index) cannot be drawn: \(track.obstacleWords)",
                    "choose another track with --burn-subtitles")
            }
        }
        guard settings.pixelFormat.hasPrefix("yuv") else {
            throw refused(
                "nothing can be drawn on \(settings.pixelFormat) frames",
                "choose another preset, such as m4v720")
        }
    }

    fileprivate static func refused(_ message: String, _ remedy: String) -> MediaError {
        MediaError(.presetNotValid, message, remedy: remedy)
    }
}

extension ExportOptions {
    /// The first option that changes frames and not the audio.
    fileprivate var videoOnlyChange: String? {
        var own = self
        own.speed = nil
        return own.videoChange
    }
}

extension VideoSettings {
    fileprivate mutating func apply(
        _ options: ExportOptions, over preset: Preset, for format: VideoFormat
    ) throws(MediaError) {
        if let wanted = options.videoCodec, wanted.rawValue != codec { self = replacing(by: wanted) }
        if let box = options.size {
            bitRate = bitRate.map { average in
                guard let width = maxWidth, let height = maxHeight else { return average }
                let share = min(1, Double(box.width * box.height) / Double(width * height))
                // As EncoderOptions lowers a preset's average for a frame that does not fill the box.
                return max(1000, Int(Double(average) * pow(share, 0.75)))
            }
            // A box turns with the frames, so that it makes no difference which side is written first.
            (maxWidth, maxHeight) = (max(box.width, box.height), min(box.width, box.height))
            alternatives = nil
        }
        if let quality = options.crf { try set(quality: quality) }
        if let rate = options.bitRate { try set(average: rate, over: preset) }
        if options.deinterlace == .field, format.isInterlaced, let cap = maxFrameRate,
            let rate = format.frameRate?.multiplied(by: Ratio(2)), rate.value > cap.value * 1.01
        {
            throw Preset.refused(
                "a frame for each field is \(rate) frames a second, and \(preset.id) has \(cap) at most",
                "choose a preset with 60, such as 1280x720, or leave out --deinterlace field")
        }
    }

    /// These limits, with another codec at its own quality.
    private func replacing(by choice: VideoCodecChoice) -> VideoSettings {
        var settings = choice.settings(isDeep: isDeep && choice != .h264)
        (settings.maxWidth, settings.maxHeight) = (maxWidth, maxHeight)
        (settings.maxFrameRate, settings.alternatives) = (maxFrameRate, alternatives)
        if choice != .prores { settings.keyframeInterval = keyframeInterval }
        guard choice == .h264 || choice == .hevc else { return settings }
        (settings.maxBitRate, settings.bufferSize) = (maxBitRate, bufferSize)
        if crf == nil, let bitRate { (settings.crf, settings.bitRate) = (nil, bitRate) }
        return settings
    }

    private mutating func set(quality: Double) throws(MediaError) {
        let range = VideoCodecChoice(rawValue: codec)?.qualities
        guard let range else {
            throw Preset.refused(
                "\(encoder) has no constant quality (crf): its profile fixes it",
                "leave out --crf, or choose another --video-codec")
        }
        guard range ~= quality else {
            throw Preset.refused(
                "the quality (crf) \(quality) is not one of \(encoder)'s",
                "give \(Int(range.lowerBound)) to \(Int(range.upperBound))")
        }
        (crf, bitRate, twoPass) = (quality, nil, nil)
    }

    private mutating func set(average: Int, over preset: Preset) throws(MediaError) {
        guard !VideoSettings.intraEncoders.contains(encoder), VideoCodecChoice(rawValue: codec) != nil else {
            throw Preset.refused(
                "\(encoder) has no average rate (bitrate): its profile fixes it",
                "leave out --bitrate, or choose another --video-codec")
        }
        if let name = level, let level = VideoLevel.named(name, of: codec) {
            let most = level.bitRate(profile: profile, tier: tier)
            guard average <= most else {
                throw Preset.refused(
                    "\(average) bits a second are more than level \(name) of \(codec) allows (\(most)), which \(preset.id) keeps to",
                    "give at most --bitrate \(most / 1000)k, or choose a preset without a level, such as highest"
                )
            }
        }
        if let highest = maxBitRate, highest < average {
            (maxBitRate, bufferSize) = (average, max(bufferSize ?? 0, average))
        }
        (crf, bitRate) = (nil, average)
    }
}

extension AudioSettings {
    fileprivate mutating func apply(_ options: ExportOptions, for tracks: [Track]) throws(MediaError) {
        if let wanted = options.audioCodec, AudioCodecChoice(codec: codec) != wanted {
            var settings = wanted.settings
            settings.maxChannels = min(maxChannels, settings.maxChannels)
            settings.maxSampleRate = min(maxSampleRate, settings.maxSampleRate)
            if settings.bitRate != nil, let bitRate {
                (settings.bitRate, settings.surroundBitRate) = (bitRate, surroundBitRate)
            }
            self = settings
        }
        guard let rate = options.audioBitRate else { return }
        guard bitRate != nil, let most = AudioCodecChoice(codec: codec)?.highestBitRate else {
            throw Preset.refused(
                "\(codec) has no bit rate: it keeps every sample",
                "leave out --audio-bitrate, or choose --audio-codec aac or opus")
        }
        let channels = tracks.compactMap(\.audio).map(channels).min() ?? 2
        let highest = min(most.track, most.channel * max(1, channels))
        guard rate <= highest else {
            throw Preset.refused(
                "\(rate) bits a second are more than \(codec) takes for \(channels) channel\(channels == 1 ? "" : "s") (\(highest))",
                "give at most --audio-bitrate \(highest / 1000)k")
        }
        (bitRate, surroundBitRate, trackBitRate) = (rate, rate, rate)
    }
}
