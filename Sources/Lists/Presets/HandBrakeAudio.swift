// The audio tracks of a HandBrake preset as the audio settings of a preset of trimd's, which has one for all tracks.
internal import Media
internal import Text

extension HandBrakeSettings {
    /// The audio settings; nil if the output is silent.
    mutating func audio(fileType: String) -> AudioSettings? {
        pass([
            "AudioCopyMask", "AudioLanguageList", "AudioSecondaryEncoderMode",
            "AudioAutomaticNamingBehavior", "AudioTrackNamePassthru",
        ])
        let tracks = list("AudioList")
        let fallback = text("AudioEncoderFallback") ?? "none"
        let selection = text("AudioTrackSelectionBehavior") ?? "first"
        guard let first = tracks.first, selection != "none" else {
            carry("no audio")
            return nil
        }
        if selection == "all" {
            leaveOut("AudioTrackSelectionBehavior", "--audio all takes all tracks")
        } else {
            _ = list("AudioLanguageList")
        }
        var track = HandBrakeSettings(first)
        let settings = track.settings(fallback: fallback, fileType: fileType)
        take(track.notes)
        if tracks.count > 1 {
            let encoders = tracks.dropFirst().compactMap { $0.given("AudioEncoder")?.string }
            leaveOut(
                "AudioList", "the further tracks of each source track: \(encoders.joined(separator: ", "))")
        }
        return settings
    }

    /// FFmpeg's names of an audio encoder of HandBrake's; nil: it copies, or is not known.
    private static func choice(_ name: String) -> (choice: AudioCodecChoice, bits: Int?)? {
        switch name {
        case "aac", "av_aac", "fdk_aac", "fdk_haac", "ca_aac", "ca_haac", "faac": (.aac, nil)
        case "opus": (.opus, nil)
        case "mp3", "lame": (.mp3, nil)
        case "ac3", "ffac3": (.ac3, nil)
        case "flac16", "ffflac": (.flac, 16)
        case "flac24", "ffflac24": (.flac, 24)
        case "alac16", "ca_alac16": (.alac, 16)
        case "alac24", "ca_alac24": (.alac, 24)
        case "pcm16": (.pcm, 16)
        case "pcm24": (.pcm, 24)
        default: nil
        }
    }

    /// The channels of a mixdown; nil: as many as the source has.
    private static func channels(_ mixdown: String) -> Int? {
        switch mixdown {
        case "mono", "left_only", "right_only": 1
        case "stereo", "dpl1", "dpl2": 2
        case "5point1": 6
        case "6point1": 7
        case "7point1", "5_2_lfe": 8
        default: nil
        }
    }

    /// The settings of one track.
    private mutating func settings(fallback: String, fileType: String) -> AudioSettings {
        let name = text("AudioEncoder") ?? "av_aac"
        let known = HandBrakeSettings.choice(name)
        let other = HandBrakeSettings.choice(fallback)?.choice
        let choice = known?.choice ?? other ?? (fileType == "webm" ? .opus : .aac)
        if known == nil {
            approximate(
                "AudioEncoder",
                "audio is encoded as \(choice.rawValue); the preset passthrough copies video and audio")
        } else if name.hasSuffix("_haac") {
            approximate("AudioEncoder", "AAC-LC, not HE-AAC")
        }
        var settings = choice.settings
        if let bits = known?.bits { settings.maxBits = bits }
        mix(&settings)
        if let rate = number("AudioSamplerate"), 8...384 ~= rate,
            let hertz = Int(exactly: (rate * 1000).rounded())
        {
            settings.maxSampleRate = min(settings.maxSampleRate, hertz)
        }
        bitRate(&settings)
        if let gain = number("AudioTrackGainSlider"), gain != 0 {
            leaveOut("AudioTrackGainSlider", "--loudness sets the level of a single export")
        }
        if let range = number("AudioTrackDRCSlider"), range != 0 {
            leaveOut("AudioTrackDRCSlider", "the dynamic range is kept")
        }
        if flag("AudioNormalizeMixLevel") {
            leaveOut("AudioNormalizeMixLevel", "a mixdown keeps within full scale")
        }
        carry(HandBrakeSettings.described(settings))
        return settings
    }

    private mutating func mix(_ settings: inout AudioSettings) {
        let mixdown = text("AudioMixdown") ?? "none"
        guard let channels = HandBrakeSettings.channels(mixdown) else { return }
        settings.maxChannels = min(settings.maxChannels, channels)
        if !["mono", "stereo", "5point1", "7point1", "6point1"].contains(mixdown) {
            approximate("AudioMixdown", channels == 1 ? "mono of all channels" : "plain stereo")
        }
    }

    private mutating func bitRate(_ settings: inout AudioSettings) {
        guard let own = settings.bitRate else { return }
        if flag("AudioTrackQualityEnable") {
            approximate("AudioTrackQualityEnable", "\(own / 1000) kbit/s for two channels")
            return
        }
        guard let kilobits = count("AudioBitrate") else { return }
        let bits = min(max(kilobits * 1000, 8000), 2_000_000)
        switch settings.maxChannels {
        case 1: settings.bitRate = min(bits * 2, 2_000_000)
        case 2: settings.bitRate = bits
        default: settings.surroundBitRate = bits
        }
    }

    /// The settings in a few words.
    private static func described(_ settings: AudioSettings) -> String {
        var words = [settings.codec]
        let rate = settings.bitRate(channels: settings.maxChannels, sampleRate: 48_000)
        if rate > 0 { words.append("\(rate / 1000) kbit/s") }
        words.append(settings.maxChannels == 1 ? "mono" : "at most \(settings.maxChannels) channels")
        return words.joined(separator: ", ")
    }
}
