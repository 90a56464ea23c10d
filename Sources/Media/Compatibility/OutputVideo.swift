// The output's frame size, frame rate and level, from the source and the preset, before decoding. Pure; the plan, the checker
// and the estimates use it.
public import MediaTime

/// The output's video.
public struct OutputVideo: Hashable, Sendable {
    /// The preset's settings, with the selected box.
    public var settings: VideoSettings
    /// Size in pixels.
    public var width: Int, height: Int
    /// Frames per second, nominal if they vary.
    public var rate: Ratio
    /// The level the stream must have, or the requested one; nil if its codec has none, or none is high enough.
    public var level: VideoLevel?
    /// Whether the source has alpha and the output keeps it.
    public var keepsAlpha: Bool
    /// Whether HDR is tone-mapped to SDR.
    public var toneMaps: Bool

    /// Creates the output's video from a source format and a preset.
    public init(_ format: VideoFormat, _ settings: VideoSettings, _ options: ExportOptions) {
        let speed = options.speed ?? Ratio(1)
        let source = format.frameRate?.multiplied(by: speed)
        let settings = settings.suiting(source)
        self.settings = settings
        let edit = FrameEdit(options)
        if edit.crop != nil {
            let cut = edit.size(format)
            (width, height) = FrameSize.fit(
                width: cut.width, height: cut.height, sampleAspect: Ratio(1), isTurned: false,
                maxWidth: settings.maxWidth, maxHeight: settings.maxHeight)
        } else {
            (width, height) = FrameSize.fit(
                width: format.crop?.width ?? format.width, height: format.crop?.height ?? format.height,
                sampleAspect: format.sampleAspect,
                isTurned: (format.rotation + edit.rotation) % 180 != 0,
                maxWidth: settings.maxWidth, maxHeight: settings.maxHeight)
        }
        var rate = options.frameRate ?? source ?? settings.maxFrameRate ?? Ratio(30)
        if options.deinterlace == .field, format.isInterlaced {
            rate = rate.multiplied(by: Ratio(2)) ?? rate
        }
        if let cap = settings.maxFrameRate, rate > cap {
            if options.frameRate != nil || format.isVariable {
                rate = cap
            } else {
                rate = min(FrameRateCap(cap, on: rate).rate(from: rate) ?? cap, cap)
            }
        }
        self.rate = rate
        level =
            settings.level.flatMap { VideoLevel.named($0, of: settings.codec) }
            ?? VideoLevel.lowest(of: settings.codec, width: width, height: height, rate: rate)
        keepsAlpha = format.hasAlpha && settings.alphaPixelFormat != nil
        toneMaps = format.color.dynamicRange != nil && !settings.isDeep
    }

    /// Whether the frames exceed the level, or no level is high enough.
    public var exceedsLevel: Bool {
        guard VideoLevel.all(of: settings.codec) != nil else { return false }
        return level.map { !$0.allows(width: width, height: height, rate: rate) } ?? true
    }

    /// Approximate bytes of memory the encoder uses for the frames it holds (lookahead and references). The number of frames
    /// was derived from each encoder's memory use at 1920x1080 and 3840x2160.
    public var encoderMemory: Int64 {
        let held: Int64 =
            switch settings.encoder {
            case "libx265": 45
            case "libx264": 60
            case "libsvtav1": 90
            case "libvpx-vp9", "libaom-av1": 40
            default: 8
            }
        let bytes: Int64 = settings.isDeep ? 3 : 2
        return Int64(width) * Int64(height) * bytes * held
    }

    /// The smallest side, in pixels, of frames that the encoder accepts.
    public var smallestSide: Int {
        settings.encoder == "libsvtav1" ? 64 : settings.encoder == "libx265" ? 32 : 16
    }
}
