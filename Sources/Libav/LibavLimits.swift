// Limits on FFmpeg for untrusted files: allowed decoders, maximum tracks and pixels, probe size. Demuxer and Decoder enforce
// them. Constants only.
internal import CFFmpeg
internal import Glibc

/// Limits on media.
public enum LibavLimits {
    /// Maximum number of tracks in a container. A full television transponder has about 200; a file with 100 000 is an attack.
    public static let tracks = 256

    /// Maximum number of pixels in a frame: 16384 x 16384, twice what 16K video needs.
    public static let pixels: Int64 = 16384 * 16384

    /// Bytes read to probe streams: FFmpeg's default, fixed here for all builds.
    static let probeBytes = 5_000_000

    /// The same for tracks not found in these: half a minute of a disc, a minute of television.
    static let deepProbeBytes = 128 << 20

    /// Allowed decoders: those of the accepted containers, without rare ones, in which most bugs are found.
    static let decoders: Set<String> = Set(video + audio + subtitles)

    private static let video = """
        h264 hevc libdav1d libaom-av1 av1 vp8 vp9 libvpx libvpx-vp9 mpeg1video mpeg2video mpegvideo
        mpeg4 msmpeg4v1 msmpeg4v2 msmpeg4 h261 h263 h263i h263p flv vp6 vp6f theora vc1 wmv1 wmv2 wmv3
        rv10 rv20 rv30 rv40 svq1 svq3 prores dnxhd cfhd dvvideo ffv1 huffyuv ffvhuff utvideo mjpeg
        jpeg2000 libopenjpeg qtrle cinepak png apng gif bmp webp rawvideo v210 v410 v308 v408 r210 yuv4
        wrapped_avframe
        """.split(whereSeparator: \.isWhitespace).map(String.init)

    private static let audio = """
        aac aac_latm ac3 eac3 dca truehd mlp mp1float mp1 mp2float mp2 mp3float mp3 opus libopus vorbis
        libvorbis flac alac ape tta wavpack wmav1 wmav2 wmapro wmalossless cook ra_144 ra_288 amrnb
        libopencore_amrnb amrwb libopencore_amrwb speex libspeex gsm gsm_ms qdm2 nellymoser mace3 mace6
        adpcm_ima_qt adpcm_ima_wav adpcm_ms adpcm_swf adpcm_yamaha g722 g726 pcm_alaw pcm_mulaw
        pcm_bluray pcm_dvd pcm_u8 pcm_s8 pcm_s8_planar pcm_s16le pcm_s16be pcm_s16le_planar
        pcm_s16be_planar pcm_u16le pcm_u16be pcm_s24le pcm_s24be pcm_s24le_planar pcm_u24le pcm_u24be
        pcm_s32le pcm_s32be pcm_s32le_planar pcm_u32le pcm_u32be pcm_s64le pcm_s64be pcm_f32le pcm_f32be
        pcm_f64le pcm_f64be pcm_f16le pcm_f24le
        """.split(whereSeparator: \.isWhitespace).map(String.init)

    /// Opened while FFmpeg probes streams; no frames are decoded with them.
    private static let subtitles = """
        ass ssa srt subrip mov_text webvtt text dvbsub dvdsub pgssub cc_dec xsub
        """.split(whereSeparator: \.isWhitespace).map(String.init)

    /// The list in the format of FFmpeg's options.
    static let decoderList = decoders.sorted().joined(separator: ",")

    /// Whether this build has an allowed decoder.
    static func hasDecoder(_ id: AVCodecID) -> Bool {
        guard let codec = unsafe LibavLookup.decoders[id.rawValue] else { return false }
        return unsafe decoders.contains(text(codec.pointee.name) ?? "")
    }

    /// Initialises what FFmpeg would query or allocate later: the CPU count, the tables of its codecs.
    public static func warm() {
        _ = av_cpu_count()
        // SVT-AV1 logs information to stderr unless set to errors only.
        unsafe setenv("SVT_LOG", "1", 1)
        _ = av_get_cpu_flags()
        for name in ["libx264", "aac", "h264", "hevc"] {
            unsafe _ = avcodec_find_decoder_by_name(name)
            unsafe _ = LibavLookup.encoders[name]
        }
    }
}
