// The tables of FFmpeg's codecs. Each codec computes its own at its first use in a process, which takes milliseconds; a process that
// is forked for each request has them computed before. Opens codecs without media, with one thread, and closes them.
internal import CFFmpeg

/// The tables of common codecs.
public enum CodecTables {
    /// The decoders of most files. Those that start threads or libraries of their own when opened are not among them.
    static let decoders = [
        "h264", "hevc", "vp9", "mpeg4", "mpeg2video", "aac", "mp3float", "ac3", "opus", "vorbis", "flac",
    ]

    /// Computes them.
    public static func compute() {
        for name in decoders {
            guard let codec = unsafe avcodec_find_decoder_by_name(name) else { continue }
            var context = unsafe avcodec_alloc_context3(codec)
            unsafe context?.pointee.thread_count = 1
            unsafe context?.pointee.sample_rate = 48_000
            unsafe context.map { unsafe av_channel_layout_default(&$0.pointee.ch_layout, 2) }
            // Some find that parameters are missing, after they have computed their tables.
            unsafe _ = avcodec_open2(context, codec, nil)
            unsafe avcodec_free_context(&context)
        }
    }
}
