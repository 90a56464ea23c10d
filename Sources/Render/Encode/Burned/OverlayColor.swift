// Colours of subtitles as frames store them. Pure.
internal import Libav

extension FrameColor {
    /// The luminance of white in HDR frames, as a share of the signal: 203 cd/m² (ITU-R BT.2408), in PQ and in HLG.
    private static let whites = ["smpte2084": 0.58, "arib-std-b67": 0.75]

    /// A colour of sRGB, 0 to 255 each, in frames of a matrix and a transfer function, by FFmpeg's names.
    init(red: UInt8, green: UInt8, blue: UInt8, matrix: String, transfer: String) {
        let (forRed, forBlue) =
            switch matrix {
            case "smpte170m", "bt470bg", "fcc": (0.299, 0.114)
            case "smpte240m": (0.212, 0.087)
            case let name where name.hasPrefix("bt2020"): (0.2627, 0.0593)
            default: (0.2126, 0.0722)
            }
        let white = FrameColor.whites[transfer] ?? 1
        let (red, green, blue) = (
            Double(red) / 255 * white, Double(green) / 255 * white, Double(blue) / 255 * white
        )
        let luma = forRed * red + (1 - forRed - forBlue) * green + forBlue * blue
        self.init(
            luma: 16 + 219 * luma, blue: 128 + 112 * (blue - luma) / (1 - forBlue),
            red: 128 + 112 * (red - luma) / (1 - forRed))
    }
}
