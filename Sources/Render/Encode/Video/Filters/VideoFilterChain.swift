// The filters between decoder and encoder, in FFmpeg's syntax: deinterlacing, colour conversion, scaling, rotation. Pure: it
// writes the filter string and the colour tags of the result.
package import Libav
internal import Media
internal import MediaTime

/// The filters for frames of one format, and the resulting colour.
package struct VideoFilterChain: Hashable, Codable, Sendable {
    /// In FFmpeg's syntax.
    package private(set) var filters: String
    /// Tags of the result.
    package private(set) var primaries: String, transfer: String, matrix: String
    /// The frames were HDR and are SDR now.
    let isToneMapped: Bool
    /// The frames are HDR and stay HDR.
    let keepsHDR: Bool

    /// The chain for a plan and the format of the incoming frames.
    package init(_ plan: VideoPlan, shape: FrameShape) {
        var color = VideoFilterChain.color(plan.track.video, shape)
        let main = VideoFilterChain.Range(plan.track.video)
        var chain: [String] = []
        if plan.track.video?.fieldOrder != .progressive, plan.deinterlace != .off {
            // Frames not marked as interlaced pass unchanged; two fields give one frame, or one each.
            let parity = plan.track.video?.fieldOrder == .bottomFieldFirst ? "bff" : "auto"
            let mode = plan.deinterlace == .field ? "send_field" : "send_frame"
            chain.append("bwdif=mode=\(mode):parity=\(parity):deint=interlaced")
        }
        let cut = VideoFilterChain.cut(plan, shape)
        chain += cut.filters
        let isDeep = plan.settings.isDeep
        let isPalette = plan.pixelFormat == "pal8"
        // Rotating by 90 degrees is cheaper after scaling: scale to the unrotated size.
        let isTurned = (plan.rotation + plan.edit.rotation) % 180 != 0
        let (width, height) = isTurned ? (plan.height, plan.width) : (plan.width, plan.height)
        var scaled = width != cut.width || height != cut.height
        let size = scaled ? "scale=\(width):\(height):flags=bicubic" : nil
        if case .high(let target) = main, color.transfer != target.transfer,
            !VideoFilterChain.isRGB(color, shape)
        {
            // Of a film in HDR the parts in SDR, or in another HDR, become what the film is.
            if let size { chain.append(size) }
            scaled = false
            chain += VideoFilterChain.toHigh(color, target)
            color = target
        }
        let isHDR = VideoFilterChain.isHDR(color.transfer)
        isToneMapped = isHDR && (!isDeep || main == .standard)
        keepsHDR = isHDR && !isToneMapped
        let isWide = color.matrix?.hasPrefix("bt2020") == true
        if isToneMapped || (isWide && !isDeep) {
            if let size, scaled { chain.append(size) }
            chain += VideoFilterChain.toStandard(color, isHDR: isHDR)
            chain.append("format=\(isPalette ? "yuv444p" : plan.pixelFormat)")
            (primaries, transfer, matrix) = ("bt709", "bt709", "bt709")
        } else {
            let tags = VideoFilterChain.tags(of: plan, color, shape, isHDR: isHDR)
            (primaries, transfer, matrix) = tags
            chain += VideoFilterChain.plain(plan, color, shape, tags.2, width, height, scaled: scaled)
            if let background = plan.background {
                chain.append("format=\(isDeep ? "yuva420p10le" : "yuva420p")[picture]")
                chain = [
                    chain.joined(separator: ","),
                    VideoFilterChain.ground(background, width, height, tags.2, isDeep: isDeep) + "[ground]",
                    "[ground][picture]overlay=shortest=1:format=\(isDeep ? "yuv420p10" : "yuv420")",
                ]
                // Chains of a graph are separated by semicolons, filters of a chain by commas.
                chain = [chain.joined(separator: ";")]
            }
            chain.append("format=\(isPalette ? "yuv444p" : plan.pixelFormat)")
        }
        chain += VideoFilterChain.turned(plan.rotation)
        if plan.isMirrored { chain.append("hflip") }
        chain += VideoFilterChain.turned(plan.edit.rotation)
        if isPalette { chain += VideoFilterChain.palette(matrix) }
        chain.append("setsar=1")
        filters = chain.joined(separator: ",")
    }

    /// The chain whose result has the matrix of BT.709 and its tags, for video beside stills of the same frames: browsers convert video by
    /// all its tags, and stills by none. Its values in RGB are those of a still.
    package func besideStills(_ pixelFormat: String) -> VideoFilterChain {
        var chain = self
        if matrix != "bt709" {
            chain.filters +=
                ",scale=in_color_matrix=\(VideoFilterChain.scaler(matrix)):out_color_matrix=bt709:in_range=limited:out_range=limited"
                + ":flags=bicubic+accurate_rnd+full_chroma_int+full_chroma_inp,format=\(pixelFormat)"
        }
        (chain.primaries, chain.transfer, chain.matrix) = ("bt709", "bt709", "bt709")
        return chain
    }

    /// The filters that choose 256 colours for each frame, so that no frame waits for those after it, and dither with a fixed
    /// pattern, which does not flicker and compresses better than diffused error.
    private static func palette(_ matrix: String) -> [String] {
        [
            "scale=in_color_matrix=\(scaler(matrix)):in_range=limited:out_range=full:flags=accurate_rnd+full_chroma_int",
            "format=bgra",
            "split[whole][sample];[sample]palettegen=stats_mode=single:reserve_transparent=0[palette];"
                + "[whole][palette]paletteuse=new=1:dither=bayer:bayer_scale=3",
        ]
    }

    /// The filters that rotate frames clockwise.
    private static func turned(_ degrees: Int) -> [String] {
        switch degrees {
        case 90: ["transpose=clock"]
        case 180: ["hflip,vflip"]
        case 270: ["transpose=cclock"]
        default: []
        }
    }

    /// The filters that put frames of another shape between bars, and cut frames to their clean aperture and to the rectangle that was
    /// asked for, and the size after them.
    private static func cut(
        _ plan: VideoPlan, _ shape: FrameShape
    ) -> (filters: [String], width: Int, height: Int) {
        var filters: [String] = []
        var (width, height) = (shape.width, shape.height)
        func crop(_ left: Int, _ top: Int, _ wide: Int, _ high: Int) {
            filters.append("crop=\(wide):\(high):\(left):\(top):exact=1")
            (width, height) = (wide, high)
        }
        func scale(_ wide: Int, _ high: Int) {
            guard (wide, high) != (width, height) else { return }
            filters.append("scale=\(wide):\(high):flags=bicubic")
            (width, height) = (wide, high)
        }
        guard let format = plan.track.video else { return (filters, width, height) }
        let place = plan.edit.stored(format)
        if let fit = PictureFit(shape, in: format) {
            scale(fit.width, fit.height)
            filters.append(fit.bars)
            (width, height) = (fit.wholeWidth, fit.wholeHeight)
        }
        let isOwnSize = shape.width == format.width && shape.height == format.height
        if let aperture = format.crop, isOwnSize {
            crop(aperture.left, aperture.top, aperture.width, aperture.height)
        } else if place != nil {
            // Frames whose size changes are shown in the size of the track; its aperture is not theirs.
            let shown = PictureFit.shown(format)
            scale(shown.width, shown.height)
        }
        if let place {
            let square = FrameEdit.squareSize(format)
            scale(square.width, square.height)
            crop(place.left, place.top, place.width, place.height)
        }
        return (filters, width, height)
    }

    /// Size, range and matrix of frames whose colours do not change.
    private static func plain(
        _ plan: VideoPlan, _ color: Known, _ shape: FrameShape, _ matrix: String, _ width: Int, _ height: Int,
        scaled: Bool
    ) -> [String] {
        let isRGB = isRGB(color, shape)
        // Screen content needs exact values more than speed.
        var scale = [
            "\(width):\(height)",
            "flags=bicubic" + (isRGB ? "+accurate_rnd+full_chroma_int+full_chroma_inp" : ""),
        ]
        if color.isFullRange, !isRGB { scale += ["in_range=full", "out_range=limited"] }
        if isRGB { scale += ["out_color_matrix=\(scaler(matrix))", "out_range=limited"] }
        guard scaled || color.isFullRange || isRGB else { return [] }
        return ["scale=" + scale.joined(separator: ":")]
    }

    private static func isRGB(_ color: Known, _ shape: FrameShape) -> Bool {
        color.matrix == "gbr"
            || ["rgb", "gbr", "bgr", "argb", "abgr", "pal8"].contains { shape.pixelFormat.contains($0) }
    }

    /// The scaler's name for a matrix.
    package static func scaler(_ matrix: String) -> String {
        if matrix.hasPrefix("bt2020") { return "bt2020" }
        return ["bt709", "fcc", "smpte240m"].first { $0 == matrix } ?? "smpte170m"
    }

    /// The filters that generate the background of transparent frames.
    private static func ground(
        _ color: String, _ width: Int, _ height: Int, _ matrix: String, isDeep: Bool
    ) -> String {
        "color=c=0x\(color):s=\(width)x\(height):r=25,format=gbrp,"
            + "scale=out_color_matrix=\(scaler(matrix)):out_range=limited:flags=accurate_rnd+full_chroma_int,"
            + "format=\(isDeep ? "yuv420p10le" : "yuv420p")"
    }

    private static func tags(
        of plan: VideoPlan, _ color: Known, _ shape: FrameShape, isHDR: Bool
    ) -> (String, String, String) {
        let usual = usual(for: plan)
        if isHDR {
            return (color.primaries ?? "bt2020", color.transfer ?? "smpte2084", color.matrix ?? "bt2020nc")
        }
        if isRGB(color, shape) || color.matrix == nil { return usual }
        return (color.primaries ?? usual.0, color.transfer ?? "bt709", color.matrix ?? usual.2)
    }

    /// The colour that players assume for untagged video: BT.601 below HD, otherwise BT.709.
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

// The dynamic range of frames: what a film has, and the filters that convert parts of another range to it. Pure.
extension VideoFilterChain {
    /// The colour of frames as far as it is known, in FFmpeg's names.
    struct Known: Hashable {
        var primaries: String?, transfer: String?, matrix: String?
        var isFullRange: Bool
    }

    /// The dynamic range of a track, which that of most of a film is.
    enum Range: Hashable {
        case unknown, standard
        case high(Known)

        init(_ format: VideoFormat?) {
            let color = format?.color
            guard let transfer = known(color?.transfer) else {
                self = .unknown
                return
            }
            self =
                isHDR(transfer)
                ? .high(
                    Known(
                        primaries: known(color?.primaries) ?? "bt2020", transfer: transfer,
                        matrix: known(color?.matrix) ?? "bt2020nc", isFullRange: false)) : .standard
        }
    }

    package static func isHDR(_ transfer: String?) -> Bool {
        transfer == "smpte2084" || transfer == "arib-std-b67"
    }

    /// A tag that says something; FFmpeg's "unknown" counts as not set.
    private static func known(_ tag: String?) -> String? {
        tag.flatMap { ["unknown", "reserved", "unspecified"].contains($0) ? nil : $0 }
    }

    /// The luminance of SDR's white in HDR: ITU-R BT.2408, in cd/m².
    private static let white = 203

    /// Converts SDR, or another HDR, to the HDR of a film.
    private static func toHigh(_ color: Known, _ target: Known) -> [String] {
        let curves = [
            "smpte170m", "bt470bg", "iec61966-2-1", "bt2020-10", "bt2020-12", "smpte2084", "arib-std-b67",
        ]
        let standard = ["smpte170m", "bt470bg", "bt2020", "bt2020nc"]
        func one(_ tag: String?, of tags: [String]) -> String {
            tag.flatMap { tags.contains($0) ? $0 : nil } ?? "bt709"
        }
        let (transfer, primaries) = (one(color.transfer, of: curves), one(color.primaries, of: standard))
        let matrix = one(color.matrix, of: standard)
        return [
            // zscale converts no frames that say nothing, whatever its options say.
            "setparams=color_primaries=\(primaries):color_trc=\(transfer):colorspace=\(matrix)",
            "zscale=tin=\(transfer):pin=\(primaries):min=\(matrix):rin=\(color.isFullRange ? "full" : "limited")"
                + ":t=linear:npl=\(white)",
            "format=gbrpf32le",
            "zscale=t=\(target.transfer ?? "smpte2084"):p=bt2020:m=bt2020nc:r=limited:npl=\(white)",
            "format=yuv444p10le",
        ]
    }

    /// Converts HDR or a wide gamut to BT.709.
    private static func toStandard(_ color: Known, isHDR: Bool) -> [String] {
        let range = color.isFullRange ? "full" : "limited"
        guard isHDR else {
            return [
                "zscale=tin=\(color.transfer ?? "bt709"):pin=bt2020:min=bt2020nc:rin=\(range)"
                    + ":t=bt709:p=bt709:m=bt709:r=limited"
            ]
        }
        let isWide = color.matrix?.hasPrefix("bt2020") ?? true
        return [
            "zscale=tin=\(color.transfer ?? "smpte2084"):pin=\(color.primaries ?? "bt2020")"
                + ":min=\(isWide ? "bt2020nc" : color.matrix ?? "bt2020nc")"
                + ":rin=\(range):t=linear:npl=100",
            "format=gbrpf32le,zscale=p=bt709,tonemap=tonemap=hable:desat=0",
            "zscale=t=bt709:m=bt709:r=limited",
        ]
    }

    /// Formats of 8 bits, which HDR does not have.
    private static let shallow: Set<String> = [
        "yuv420p", "yuvj420p", "yuv422p", "yuvj422p", "yuv444p", "nv12",
    ]

    /// The colour that a frame says, otherwise its track.
    static func color(_ format: VideoFormat?, _ shape: FrameShape) -> Known {
        let isFull = shape.isFullRange || shape.pixelFormat.hasPrefix("yuvj")
        let track = format?.color ?? Color()
        // Frames of 8 bits in a film of HDR are SDR, whatever they say: FFmpeg 5.1 keeps the word of an SEI message on HLG for all frames
        // behind it.
        if known(shape.transfer).map(isHDR) ?? true, isHDR(track.transfer), format?.bitDepth ?? 8 > 8,
            shallow.contains(shape.pixelFormat)
        {
            return Known(
                primaries: known(shape.primaries) ?? "bt709", transfer: "bt709",
                matrix: known(shape.matrix) ?? "bt709", isFullRange: isFull)
        }
        return Known(
            primaries: known(shape.primaries) ?? known(track.primaries),
            transfer: known(shape.transfer) ?? known(track.transfer),
            matrix: known(shape.matrix) ?? known(track.matrix), isFullRange: isFull)
    }
}
