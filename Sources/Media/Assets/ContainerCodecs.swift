// The codecs that each container holds: the one table that the checker, the planner and the muxer ask. Codecs by FFmpeg's names. A test writes
// every codec into every container with FFmpeg's muxers, reads it back, and compares; where this table differs, the row says why. Pure.

/// The codecs that one container holds.
public struct ContainerCodecs: Sendable {
    /// Codecs that are stored in it, and cut as exactly as the container can say.
    public let held: Set<String>
    /// Codecs that FFmpeg's muxer writes and its demuxer reads back unchanged, and that are not stored in it; with the reason.
    public let refused: [String: Refusal]

    /// Why a codec is not stored in a container although FFmpeg writes and reads it.
    public enum Refusal: String, Hashable, Sendable {
        case noPlayers = "FFmpeg writes it with a tag that hardly any player knows there"
        case uncutPackets =
            "its packets cannot be cut, and the container cannot say where audio begins and ends within one"
        case noTimes =
            "the container has no times of frames, and the types of this codec's frames do not give their order"
        case pixels = "the container says too little of the layout of the pixels"
        case otherName = "such files are named otherwise"
        case onlyCameras = "players of such files do not expect it; only what a camera stored so is copied"
    }

    fileprivate init(_ held: String..., refused: [Refusal: String] = [:]) {
        self.held = Set(held.flatMap(ContainerCodecs.names))
        var reasons: [String: Refusal] = [:]
        for (why, codecs) in refused { for name in ContainerCodecs.names(codecs) { reasons[name] = why } }
        self.refused = reasons
    }

    private static func names(_ text: String) -> [String] {
        text.split(whereSeparator: \.isWhitespace).map(String.init)
    }

    /// Whether it is uncompressed audio of plain samples, or of one byte on a logarithmic scale. That of discs has headers in its packets.
    public static func isPCM(_ codec: String) -> Bool {
        codec.hasPrefix("pcm_") && codec != "pcm_bluray" && codec != "pcm_dvd"
    }
}

extension FileType {
    /// Whether it holds a codec.
    public func holds(_ codec: String) -> Bool { codecs.held.contains(codec) }

    /// Whether it holds a track of an asset as it is stored: its codec, and what else the container must say of it.
    ///
    /// PCM in MP4 is kept where the asset has it there, as cameras store it, and beside what QuickTime holds.
    public func keeps(_ track: Track, of asset: Asset) -> Bool {
        guard holds(track.codec) || codecs.refused[track.codec] == .onlyCameras, loss(of: track) == nil else {
            return false
        }
        let codecs = asset.tracks.filter { $0.kind == .video && !$0.isPicture || $0.kind == .audio }.map(
            \.codec)
        if muxer(for: [track.codec]) != muxer {
            return FileType(of: asset) == self && codecs.allSatisfy(FileType.mov.holds)
        }
        // It has a number in streams of Blu-ray alone.
        return track.codec != "pcm_bluray" || isBluRay(codecs)
    }

    /// The codecs that it holds.
    public var codecs: ContainerCodecs {
        switch self {
        case .mp4: .mp4
        case .m4v: .m4v
        case .m4a, .m4b, .m4r: .m4a
        case .mov: .mov
        case .threeGP: .threeGP
        case .mkv, .mka: .matroska
        case .webm: .webm
        case .ts: .transport
        case .m2ts, .mts: .bluRay
        case .vob, .mpg: .program
        case .flv: .flv
        case .avi: .avi
        case .mxf: .mxf
        case .ogv: .ogv
        case .ogg: .ogg
        case .oga: .oga
        case .spx: .spx
        case .ivf: .ivf
        case .wav, .w64: .wav
        case .aiff, .aif: .aiff
        case .au: .au
        case .caf: .caf
        case .opus: .opus
        case .flac: .flac
        case .mp3: .mp3
        case .mp2: .mp2
        case .aac: .adts
        case .ac3: .ac3
        case .eac3: .eac3
        case .dts: .dts
        case .amr: .amr
        case .wv: .wavPack
        case .tta: .tta
        case .gif: .gif
        }
    }
}

extension ContainerCodecs {
    /// PCM with a description in QuickTime.
    private static let quickTimePCM = """
        pcm_s16le pcm_s16be pcm_s8 pcm_u8 pcm_mulaw pcm_alaw pcm_s32le pcm_s32be pcm_s24le pcm_s24be pcm_f32be
        pcm_f32le pcm_f64be pcm_f64le
        """
    /// PCM that WAVE names.
    private static let wavePCM = """
        pcm_s16le pcm_u8 pcm_mulaw pcm_alaw pcm_s32le pcm_s24le pcm_f32le pcm_f64le pcm_s64le
        """

    fileprivate static let mp4 = ContainerCodecs(
        "mpeg1video mpeg2video mjpeg mpeg4 h264 png vc1 jpeg2000 dirac tscc2 vp9 hevc av1",
        "mp2 mp3 aac ac3 dts flac alac qcelp eac3 truehd mp4als opus evrc mpegh_3d_audio",
        "dvd_subtitle mov_text ttml", refused: [.onlyCameras: quickTimePCM, .noPlayers: "vorbis"])

    fileprivate static let m4v = ContainerCodecs(
        "mpeg4 h264 aac ac3 alac mov_text", refused: [.onlyCameras: quickTimePCM])

    fileprivate static let m4a = ContainerCodecs("mpeg4 h264 aac ac3 alac mov_text")

    fileprivate static let mov = ContainerCodecs(
        """
        mpeg1video mpeg2video h263 mjpeg mjpegb mpeg4 rawvideo msmpeg4v3 svq1 svq3 dvvideo h264 vp3 rpza cinepak
        msrle 8bps smc flic qtrle qdraw png vc1 cavs jpeg2000 targa tiff gif dnxhd sgi dirac v210 dpx r210 r10k
        prores v410 aic hevc exr sgirle hap dxv y41p avrp avui targa_y216 v308 v408 yuv4 magicyuv sheervideo
        pixlet cdtoons notchlc
        """,
        """
        adpcm_ima_qt amr_nb amr_wb mp2 mp3 aac ac3 dts dvaudio mace3 mace6 alac gsm qdm2 qcelp nellymoser speex
        eac3 mp1 qdmc ilbc evrc smv mpegh_3d_audio
        """,
        quickTimePCM, "mov_text eia_608",
        refused: [
            .noPlayers: "msmpeg4v2 flv1 wmv1 wmv2 theora ffv1 huffyuv ffvhuff utvideo snow cfhd h261",
            .uncutPackets: "adpcm_yamaha adpcm_swf adpcm_g722",
        ])

    fileprivate static let threeGP = ContainerCodecs("h263 h264 mpeg4 aac amr_nb amr_wb mov_text")

    /// The last two groups are stored with their AVI tags (V_MS/VFW/FOURCC, A_MS/ACM), and one time a sample: they have no B-frames.
    fileprivate static let matroska = ContainerCodecs(
        """
        mpeg1video mpeg2video mjpeg mpeg4 msmpeg4v3 h264 theora ffv1 rv30 rv40 dirac vp8 prores vp9 hevc avs2 avs3
        snow av1
        """,
        """
        pcm_s16le pcm_s16be pcm_u8 pcm_s32le pcm_s32be pcm_s24le pcm_s24be pcm_f32le pcm_f64le ra_144 mp2 mp3 aac
        ac3 dts vorbis flac alac qdm2 tta wavpack mlp eac3 mp1 truehd qdmc opus
        """,
        "dvd_subtitle dvb_subtitle text hdmv_pgs_subtitle subrip webvtt ass hdmv_text_subtitle",
        "h263 flv1 msmpeg4v2 wmv1 wmv2 dvvideo huffyuv ffvhuff utvideo png jpeg2000 v210 cfhd",
        "pcm_mulaw pcm_alaw",
        refused: [
            .noPlayers: "svq1 h261 speex pcm_s64le", .pixels: "rawvideo",
            .uncutPackets: "gsm_ms adpcm_ms adpcm_ima_wav adpcm_yamaha adpcm_swf adpcm_g722",
        ])

    fileprivate static let webm = ContainerCodecs("vp8 vp9 av1 vorbis opus webvtt")

    fileprivate static let transport = ContainerCodecs(
        "h264 hevc mpeg2video mpeg1video mpeg4 aac ac3 eac3 mp2 mp3 opus dts dvb_subtitle")

    /// The audio of Blu-ray has a number of its own beside those of broadcasts.
    fileprivate static let bluRay = ContainerCodecs(
        "h264 hevc mpeg2video mpeg1video mpeg4 aac ac3 eac3 mp2 mp3 opus dts dvb_subtitle pcm_bluray")

    fileprivate static let program = ContainerCodecs(
        "mpeg2video mpeg1video mp2 mp3 ac3 dts pcm_dvd", refused: [.noPlayers: "eac3"])

    fileprivate static let flv = ContainerCodecs(
        "flv1 h264 vp6f mp3 aac speex nellymoser", refused: [.uncutPackets: "adpcm_swf"])

    /// Frames have no times there: only codecs whose frame types give the order.
    fileprivate static let avi = ContainerCodecs(
        """
        mpeg4 msmpeg4v2 msmpeg4v3 mjpeg ffv1 huffyuv ffvhuff utvideo dvvideo h263 flv1 wmv1 wmv2 mp3 mp2 ac3 pcm_u8
        pcm_s16le pcm_s24le pcm_mulaw pcm_alaw
        """,
        refused: [
            .noTimes: "h264 hevc mpeg1video mpeg2video vp8 vp9 av1 theora snow",
            .noPlayers:
                "prores png jpeg2000 v210 svq1 cfhd h261 aac eac3 vorbis dts pcm_s32le pcm_f32le pcm_f64le pcm_s64le",
            .pixels: "rawvideo",
            .uncutPackets: "flac speex gsm_ms adpcm_ms adpcm_ima_wav adpcm_yamaha adpcm_swf adpcm_g722",
        ])

    fileprivate static let mxf = ContainerCodecs("mpeg2video dnxhd dvvideo pcm_s16le pcm_s24le")

    fileprivate static let ogv = ContainerCodecs(
        "theora opus vorbis flac speex", refused: [.noPlayers: "vp8"])
    fileprivate static let ogg = ContainerCodecs(
        "opus vorbis flac speex", refused: [.otherName: "theora", .noPlayers: "vp8"])
    fileprivate static let oga = ContainerCodecs("opus vorbis flac speex")
    fileprivate static let spx = ContainerCodecs("speex", refused: [.otherName: "flac opus vorbis"])
    fileprivate static let opus = ContainerCodecs("opus", refused: [.otherName: "flac speex vorbis"])
    fileprivate static let ivf = ContainerCodecs("vp8 vp9 av1")

    fileprivate static let wav = ContainerCodecs(
        wavePCM,
        refused: [
            .uncutPackets: """
            aac ac3 eac3 mp2 mp3 flac dts vorbis speex gsm_ms adpcm_ms adpcm_ima_wav adpcm_yamaha adpcm_swf adpcm_g722
            """
        ])
    fileprivate static let aiff = ContainerCodecs(
        """
        pcm_s16le pcm_s16be pcm_s8 pcm_u8 pcm_mulaw pcm_alaw pcm_s32be pcm_s24be pcm_f32be pcm_f64be
        """)
    fileprivate static let au = ContainerCodecs(
        "pcm_s16be pcm_s8 pcm_mulaw pcm_alaw pcm_s32be pcm_s24be pcm_f32be pcm_f64be",
        refused: [.uncutPackets: "adpcm_g722"])
    fileprivate static let caf = ContainerCodecs(
        """
        pcm_s16le pcm_s16be pcm_s8 pcm_mulaw pcm_alaw pcm_s32le pcm_s32be pcm_s24le pcm_s24be pcm_f32be pcm_f32le
        pcm_f64be pcm_f64le alac
        """, refused: [.uncutPackets: "ac3 mp2 mp3 opus gsm_ms"])

    fileprivate static let flac = ContainerCodecs("flac")
    fileprivate static let mp3 = ContainerCodecs("mp3")
    fileprivate static let mp2 = ContainerCodecs(
        "mp2", refused: [.otherName: "ac3 eac3 mp3 flac dts wavpack"])
    fileprivate static let adts = ContainerCodecs("aac")
    fileprivate static let ac3 = ContainerCodecs(
        "ac3", refused: [.otherName: "eac3 mp2 mp3 flac dts wavpack"])
    fileprivate static let eac3 = ContainerCodecs(
        "eac3", refused: [.otherName: "ac3 mp2 mp3 flac dts wavpack"])
    fileprivate static let dts = ContainerCodecs(
        "dts", refused: [.otherName: "ac3 eac3 mp2 mp3 flac wavpack"])
    fileprivate static let amr = ContainerCodecs("amr_nb amr_wb")
    fileprivate static let wavPack = ContainerCodecs("wavpack")
    fileprivate static let tta = ContainerCodecs("tta")
    fileprivate static let gif = ContainerCodecs("gif")
}
