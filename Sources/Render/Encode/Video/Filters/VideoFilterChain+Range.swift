// The dynamic range of frames: what a film has, and the filters that convert parts of another range to it. Pure.
internal import Libav
internal import Media

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
    static func toHigh(_ color: Known, _ target: Known) -> [String] {
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
    static func toStandard(_ color: Known, isHDR: Bool) -> [String] {
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
