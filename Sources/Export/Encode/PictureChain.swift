// The filters between a decoded picture and the encoder, in FFmpeg's notation: deinterlacing, colour, size, turning. Pure:
// it writes text, and says how the result is to be tagged.
internal import Libav
internal import Media
internal import MediaTime

/// The filters for pictures of one shape, and the colour they come out in.
struct PictureChain {
    /// In FFmpeg's notation.
    let filters: String
    /// Tags of the result.
    let primaries: String, transfer: String, matrix: String
    /// The pictures were HDR and are not any more.
    let isToneMapped: Bool

    /// The chain for a plan and the shape of the frames that come.
    init(_ plan: VideoPlan, shape: FrameShape) {
        let color = PictureChain.color(plan.track.video?.color ?? Color(), shape)
        var chain: [String] = []
        if plan.track.video?.fieldOrder != .progressive {
            // Frames that are not marked as interlaced pass untouched; one frame for two fields.
            let parity = plan.track.video?.fieldOrder == .bottomFieldFirst ? "bff" : "auto"
            chain.append("bwdif=mode=send_frame:parity=\(parity):deint=interlaced")
        }
        let isHDR = color.transfer == "smpte2084" || color.transfer == "arib-std-b67"
        isToneMapped = isHDR
        // A quarter turn is cheaper after the size: scale to the picture as it lies.
        let isTurned = plan.rotation % 180 != 0
        let (width, height) = isTurned ? (plan.height, plan.width) : (plan.width, plan.height)
        let matrix = color.matrix ?? "bt709"
        let scaled = width != shape.width || height != shape.height
        if isHDR {
            if scaled { chain.append("scale=\(width):\(height):flags=bicubic") }
            chain.append(
                "zscale=tin=\(color.transfer ?? "smpte2084"):pin=\(color.primaries ?? "bt2020")"
                    + ":min=\(matrix.hasPrefix("bt2020") || color.matrix == nil ? "bt2020nc" : matrix)"
                    + ":rin=\(color.isFullRange ? "full" : "limited"):t=linear:npl=100")
            chain.append("format=gbrpf32le,zscale=p=bt709,tonemap=tonemap=hable:desat=0")
            chain.append("zscale=t=bt709:m=bt709:r=limited,format=\(plan.settings.pixelFormat)")
            (primaries, transfer, self.matrix) = ("bt709", "bt709", "bt709")
        } else if matrix.hasPrefix("bt2020") {
            if scaled { chain.append("scale=\(width):\(height):flags=bicubic") }
            chain.append(
                "zscale=tin=\(color.transfer ?? "bt709"):pin=bt2020:min=bt2020nc:rin=\(color.isFullRange ? "full" : "limited")"
                    + ":t=bt709:p=bt709:m=bt709:r=limited,format=\(plan.settings.pixelFormat)")
            (primaries, transfer, self.matrix) = ("bt709", "bt709", "bt709")
        } else {
            let isRGB =
                color.matrix == "gbr" || shape.pixelFormat.contains("rgb")
                || shape.pixelFormat.contains("gbr")
                || shape.pixelFormat.contains("bgr")
            let tags =
                isRGB || color.matrix == nil
                ? PictureChain.usual(for: plan)
                : (
                    color.primaries ?? PictureChain.usual(for: plan).0, color.transfer ?? "bt709", matrix
                )
            (primaries, transfer, self.matrix) = tags
            var scale: [String] = ["\(width):\(height)", "flags=bicubic"]
            if color.isFullRange { scale += ["in_range=full", "out_range=limited"] }
            if isRGB { scale.append("out_color_matrix=\(tags.2 == "bt709" ? "bt709" : "smpte170m")") }
            if scaled || color.isFullRange || isRGB { chain.append("scale=" + scale.joined(separator: ":")) }
            chain.append("format=\(plan.settings.pixelFormat)")
        }
        switch plan.rotation {
        case 90: chain.append("transpose=clock")
        case 180: chain.append("hflip,vflip")
        case 270: chain.append("transpose=cclock")
        default: break
        }
        if plan.isMirrored { chain.append("hflip") }
        chain.append("setsar=1")
        filters = chain.joined(separator: ",")
    }

    private struct Known {
        var primaries: String?, transfer: String?, matrix: String?
        var isFullRange: Bool
    }

    /// The track's colour as the container says, else as the frames say; FFmpeg's "unknown" is nothing known.
    private static func color(_ track: Color, _ shape: FrameShape) -> Known {
        func known(_ a: String?, _ b: String?) -> String? {
            [a, b].compactMap(\.self).first { $0 != "unknown" && $0 != "reserved" && $0 != "unspecified" }
        }
        return Known(
            primaries: known(shape.primaries, track.primaries),
            transfer: known(shape.transfer, track.transfer),
            matrix: known(shape.matrix, track.matrix),
            isFullRange: shape.isFullRange || shape.pixelFormat.hasPrefix("yuvj"))
    }

    /// What players take untagged video for: BT.601 below high definition, else BT.709.
    private static func usual(for plan: VideoPlan) -> (String, String, String) {
        let (width, height) = (plan.track.video?.width ?? 0, plan.track.video?.height ?? 0)
        guard max(width, height) <= 1024, min(width, height) <= 576 else {
            return ("bt709", "bt709", "bt709")
        }
        return (
            min(width, height) == 576 || min(width, height) == 288 ? "bt470bg" : "smpte170m", "bt709",
            "smpte170m"
        )
    }
}
