// The options over a preset as text: one parser for the command line and for the columns of lists. Pure.
internal import MediaTime

/// An option over a preset, by its name on the command line and in lists.
public enum OptionSpelling: String, Hashable, Sendable, CaseIterable {
    case crf, bitrate, size
    case videoCodec = "video-codec", audioBitRate = "audio-bitrate", audioCodec = "audio-codec"
    case crop, rotate, deinterlace, speed, fps
    case burnSubtitles = "burn-subtitles"
    case variant

    /// The form of its values, as the end of a sentence, and values to write.
    private var form: (kind: String, examples: String) {
        switch self {
        case .crf: ("a quality from 0 to 63", "20; less is better")
        case .bitrate: ("a rate from 1000 to 1000000000 bits a second", "5M or 800k")
        case .size: ("a size of at least 16 pixels a side", "1280x720, or 720 or 720p for that many lines")
        case .videoCodec: ("a video codec", VideoCodecChoice.allCases.spelled)
        case .audioBitRate: ("a rate from 8000 to 2000000 bits a second", "128k")
        case .audioCodec: ("an audio codec", AudioCodecChoice.allCases.spelled)
        case .crop: ("a rectangle of at least 16 pixels a side", "W:H:X:Y, such as 640:480:0:120, or W:H")
        case .rotate: ("a quarter turn", "90, 180, 270, right or left")
        case .deinterlace: ("a way to deinterlace", Deinterlacing.allCases.spelled)
        case .speed: ("a speed from 0.5 to 4", "1.5, 2x or 3/2")
        case .burnSubtitles:
            ("subtitles to draw", "a track's number or language, default, or a file such as words.srt")
        case .fps: ("a frame rate from 1 to 240", "25, 29.97 or 30000/1001")
        case .variant:
            ("a variant of a playlist", "highest, lowest, its number or its size, such as 1280x720")
        }
    }

    /// Sets the option from its text. Throws if the text is none of its values.
    /// - Parameter name: the option in the error.
    public func set(_ text: String, in options: inout RenderOptions, as name: String) throws(MediaError) {
        switch self {
        case .crf: options.crf = try value(Double(text), text, name) { RenderOptions.qualities ~= $0 }
        case .bitrate: options.bitRate = try value(rate(text), text, name) { RenderOptions.bitRates ~= $0 }
        case .audioBitRate:
            options.audioBitRate = try value(rate(text), text, name) { RenderOptions.audioBitRates ~= $0 }
        case .size: options.size = try value(FrameBox(text), text, name)
        case .videoCodec: options.videoCodec = try value(VideoCodecChoice(rawValue: text), text, name)
        case .audioCodec: options.audioCodec = try value(AudioCodecChoice(rawValue: text), text, name)
        case .crop: options.crop = try value(FrameCrop(text), text, name)
        case .rotate: options.rotate = try value(OptionSpelling.turn(text), text, name)
        case .deinterlace: options.deinterlace = try value(Deinterlacing(rawValue: text), text, name)
        case .speed:
            let speed = try value(PlaybackSpeed.parse(text), text, name)
            options.speed = speed == Ratio(1) ? nil : speed
        case .burnSubtitles:
            options.burnSubtitles = try value(text, text, name) {
                !["", "all", "none"].contains($0.lowercased())
            }
        case .fps:
            options.frameRate = try value(TimecodeRate.frameRate(text), text, name) { 1...240 ~= $0.value }
        case .variant: options.variant = try value(VariantChoice(text) == nil ? nil : text, text, name)
        }
    }

    /// Degrees clockwise: 90, 180 or 270, less than a whole turn to the other side, or the side that the top goes to; nil: none of these.
    private static func turn(_ text: String) -> Int? {
        switch text.lowercased() {
        case "90", "+90", "-270", "right", "cw", "clockwise": 90
        case "180", "+180", "-180": 180
        case "270", "+270", "-90", "left", "ccw", "counterclockwise": 270
        default: nil
        }
    }

    private func value<T>(
        _ value: T?, _ text: String, _ name: String, _ isValid: (T) -> Bool = { _ in true }
    ) throws(MediaError) -> T {
        if let value, isValid(value) { return value }
        throw MediaError(
            .invalidRequest, "\(name): '\(text)' is not \(form.kind)", remedy: "write \(form.examples)")
    }

    /// Parses bits per second: `5000000`, `5M`, `2.5M` or `128k`.
    private func rate(_ text: String) -> Int? {
        let powers: [Character: Double] = ["k": 1e3, "K": 1e3, "m": 1e6, "M": 1e6, "g": 1e9, "G": 1e9]
        let power = text.last.flatMap { powers[$0] }
        let digits = power == nil ? text : String(text.dropLast())
        guard !digits.isEmpty, digits.allSatisfy({ $0.isASCII && ($0.isNumber || $0 == ".") }),
            let number = Double(digits)
        else { return nil }
        return Int(exactly: (number * (power ?? 1)).rounded())
    }
}

extension RenderOptions {
    /// These options, with those of a whole list where these leave one open.
    public func completed(by others: RenderOptions) -> RenderOptions {
        var all = self
        // A quality and a rate are one choice.
        if all.crf == nil, all.bitRate == nil { (all.crf, all.bitRate) = (others.crf, others.bitRate) }
        all.size = size ?? others.size
        (all.videoCodec, all.audioCodec) = (videoCodec ?? others.videoCodec, audioCodec ?? others.audioCodec)
        all.audioBitRate = audioBitRate ?? others.audioBitRate
        (all.crop, all.rotate) = (crop ?? others.crop, rotate ?? others.rotate)
        (all.deinterlace, all.speed) = (deinterlace ?? others.deinterlace, speed ?? others.speed)
        all.frameRate = frameRate ?? others.frameRate
        all.burnSubtitles = burnSubtitles ?? others.burnSubtitles
        all.variant = variant ?? others.variant
        return all
    }
}

extension Collection where Element: RawRepresentable<String> {
    /// `a, b or c`.
    fileprivate var spelled: String {
        let words = map(\.rawValue)
        return words.dropLast().joined(separator: ", ") + (words.last.map { " or \($0)" } ?? "")
    }
}
