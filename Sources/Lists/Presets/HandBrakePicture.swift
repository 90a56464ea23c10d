// The size, the frame rate and the filters of a HandBrake preset as limits of a preset of trimd's.
internal import Media
internal import MediaTime

extension HandBrakeSettings {
    /// The box and the frame rate.
    mutating func box(_ settings: inout VideoSettings) {
        let (width, height) = (count("PictureWidth"), count("PictureHeight"))
        pass(["PictureUseMaximumSize", "PictureModulus", "PictureForceWidth", "PictureForceHeight"])
        switch (width, height) {
        case (nil, nil): break
        // One side alone bounds that side.
        default:
            settings.maxWidth = min(max(width ?? 16384, 16), 16384)
            settings.maxHeight = min(max(height ?? 16384, 16), 16384)
        }
        if flag("PictureAllowUpscaling") { leaveOut("PictureAllowUpscaling", "video is never scaled up") }
        pass(["PicturePARWidth", "PicturePARHeight", "PictureDARWidth", "PictureItuPAR"])
        if let shape = text("PicturePAR"), shape != "off" {
            approximate("PicturePAR", "frames have square pixels, and the same aspect ratio")
        }
        _ = flag("PictureKeepRatio")
        frameRate(&settings)
    }

    private mutating func frameRate(_ settings: inout VideoSettings) {
        let mode = text("VideoFramerateMode") ?? "vfr"
        guard let text = text("VideoFramerate"), let rate = Ratio(handBrake: text) else {
            if mode == "cfr" {
                approximate(
                    "VideoFramerateMode", "the source's timestamps are kept; --fps gives a constant rate")
            }
            return
        }
        settings.maxFrameRate = rate
        if mode == "cfr" {
            approximate("VideoFramerateMode", "a limit; --fps \(text) gives a constant rate")
        }
    }

    /// Filters that are set apart in HandBrake, and what is to be had instead.
    private static let filters = [
        ("PictureDenoiseFilter", "noise is not removed"), ("PictureDeblockPreset", "blocks are not smoothed"),
        ("PictureSharpenFilter", "frames are not sharpened"),
        ("PictureChromaSmoothPreset", "chroma is not smoothed"),
        ("PictureColorspacePreset", "colours stay as they are; HDR becomes SDR where the preset has 8 bits"),
        ("PictureDetelecine", "telecine is not reversed"),
    ]

    /// The filters, the crop and the rotation.
    mutating func filters() {
        pass([
            "PictureDenoisePreset", "PictureDenoiseTune", "PictureDenoiseCustom", "PictureDeblockTune",
            "PictureDeblockCustom", "PictureSharpenPreset", "PictureSharpenTune", "PictureSharpenCustom",
            "PictureChromaSmoothTune", "PictureChromaSmoothCustom", "PictureColorspaceCustom",
            "PictureDetelecineCustom", "PictureDeinterlacePreset", "PictureDeinterlaceCustom",
            "PictureCombDetectPreset", "PictureCombDetectCustom",
        ])
        for (key, advice) in HandBrakeSettings.filters {
            if let value = text(key), value != "off" { leaveOut(key, advice) }
        }
        if let filter = text("PictureDeinterlaceFilter") {
            approximate(
                "PictureDeinterlaceFilter",
                filter == "off"
                    ? "interlaced video is deinterlaced all the same"
                    : "video that is marked as interlaced is deinterlaced")
        }
        crop()
        if let turn = text("PictureRotate"), turn.contains(/angle=(90|180|270)|hflip=1/) {
            leaveOut("PictureRotate", "--rotate turns a single export")
        }
        pass(["PicturePadTop", "PicturePadBottom", "PicturePadLeft", "PicturePadRight", "PicturePadColor"])
        if let mode = text("PicturePadMode"), mode != "none" {
            leaveOut("PicturePadMode", "frames get no borders")
        }
        if flag("VideoGrayScale") { leaveOut("VideoGrayScale", "colours are kept") }
        if let matrix = number("VideoColorMatrixCodeOverride"), matrix != 0 {
            leaveOut("VideoColorMatrixCodeOverride", "colours are marked as they are")
        }
    }

    private mutating func crop() {
        let sides = ["Top", "Bottom", "Left", "Right"].map { number("Picture\($0)Crop") ?? 0 }
        let isAutomatic = flag("PictureAutoCrop")
        let mode = number("PictureCropMode")
        switch mode ?? (isAutomatic ? 0 : 3) {
        // Automatic, and conservative.
        case 0, 1:
            leaveOut(
                mode == nil ? "PictureAutoCrop" : "PictureCropMode",
                "black borders stay; --crop cuts them off")
        case 3 where sides.contains { $0 > 0 }:
            leaveOut(
                mode == nil ? "PictureTopCrop" : "PictureCropMode", "--crop W:H:X:Y crops a single export")
        default: break
        }
    }
}
