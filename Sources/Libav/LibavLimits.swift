// What FFmpeg may be made to do by a file: which decoders it may open, how many tracks and pixels there may be, how far it
// looks for streams. One place for the numbers; Demuxer and Decoder hold to them. Constants only.
internal import CFFmpeg
internal import Glibc

/// Limits on media.
public enum LibavLimits {
    /// Tracks a container may have. A whole television transponder has some 200; a file of 100 000 is an attack.
    public static let tracks = 256

    /// Pixels a picture may have: 16384 x 16384, twice what 16K video needs.
    public static let pixels: Int64 = 16384 * 16384

    /// Bytes read to find out about streams: FFmpeg's own figure, said here so that no build of it has another.
    static let probeBytes = 5_000_000

    /// The same where a track has not been found in these: half a minute of a disc, a minute of television.
    static let deepProbeBytes = 128 << 20

    /// Decoders that may be opened: those of the containers that are taken, without the rare ones, in which most faults
    /// are found.
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

    /// Opened while FFmpeg looks for streams; no picture is made of them.
    private static let subtitles = """
        ass ssa srt subrip mov_text webvtt text dvbsub dvdsub pgssub cc_dec xsub
        """.split(whereSeparator: \.isWhitespace).map(String.init)

    /// The list as FFmpeg's options take it.
    static let decoderList = decoders.sorted().joined(separator: ",")

    /// Whether this build has a decoder that may be opened.
    static func hasDecoder(_ id: AVCodecID) -> Bool {
        guard let codec = unsafe avcodec_find_decoder(id) else { return false }
        return unsafe decoders.contains(text(codec.pointee.name) ?? "")
    }

    /// Lets FFmpeg find out what it would ask the system for later: the processors, the tables of its codecs.
    public static func warm() {
        _ = av_cpu_count()
        // SVT-AV1 tells about itself on stderr unless it is told to say errors only.
        unsafe setenv("SVT_LOG", "1", 1)
        _ = av_get_cpu_flags()
        for name in ["libx264", "aac", "h264", "hevc"] {
            unsafe _ = avcodec_find_decoder_by_name(name)
            unsafe _ = avcodec_find_encoder_by_name(name)
        }
    }
}
