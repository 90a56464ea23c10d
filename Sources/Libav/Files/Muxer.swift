// Writes a container to an open descriptor, after its header. Owns its FFmpeg context, not the descriptor. Used on one queue. Writes
// packets in call order: the caller interleaves the tracks by decoding time.
internal import CFFmpeg
internal import Glibc
public import MediaTime

/// FFmpeg's context of a container that is written, and what it writes to.
@safe final class MuxerContext {
    let raw: UnsafeMutablePointer<AVFormatContext>
    let io: FileIO
    let descriptor: Int32
    /// Bytes of the packets written so far.
    var written: Int64 = 0
    /// FFmpeg divides the audio into pieces as long as the frames, and puts each after its frame.
    let isInterleaved: Bool

    init(format: String, descriptor: Int32) throws(LibavError) {
        io = try FileIO(descriptor: descriptor, size: 0, writing: true)
        self.descriptor = descriptor
        isInterleaved = format == "mxf"
        var allocated: UnsafeMutablePointer<AVFormatContext>?
        try LibavError.check(
            unsafe avformat_alloc_output_context2(&allocated, LibavLookup.muxers[format], format, nil),
            "preparing the container \(format)")
        unsafe raw = try LibavError.allocated(allocated, "a muxer")
        unsafe raw.pointee.pb = unsafe io.context
        unsafe raw.pointee.flags |= AVFMT_FLAG_CUSTOM_IO
        // The output is read only when complete: avoids a system call per packet.
        unsafe raw.pointee.flags &= ~AVFMT_FLAG_FLUSH_PACKETS
        unsafe raw.pointee.flush_packets = 0
        unsafe raw.pointee.io_open = { _, _, _, _, _ in trim_averror(EPERM) }
        // Times stay as given: the edit list hides samples before 0.
        unsafe raw.pointee.avoid_negative_ts = AVFMT_AVOID_NEG_TS_DISABLED
        if format == "mpegts" { unsafe raw.pointee.max_delay = MuxerContext.transportDelay }
    }

    /// Microseconds by which a transport stream's clock lags its decoding times, so that decoders have that long to fill their
    /// buffers; all times are delayed by twice as much. The ffmpeg tool uses the same value.
    private static let transportDelay: Int32 = 700_000

    deinit { unsafe avformat_free_context(raw) }

    /// FFmpeg's codes may lose the errno of a failed write; uses the descriptor's.
    func check(_ code: Int32, _ act: String) throws(LibavError) {
        guard code < 0 || io.failure != 0 else { return }
        throw LibavError(act, code: io.failure != 0 ? trim_averror(io.failure) : code)
    }
}

/// A container open for packets.
@safe public struct Muxer: ~Copyable {
    private let muxer: MuxerContext
    private var context: UnsafeMutablePointer<AVFormatContext> { unsafe muxer.raw }
    /// Bytes reserved before the media for the index of a movie; 0: it comes after the media.
    private let reserve: Int
    private let clones: CloneWriter?

    init(_ muxer: MuxerContext, reserve: Int, clones: CloneWriter?) {
        (self.muxer, self.reserve, self.clones) = (muxer, reserve, clones)
    }

    /// The codecs that readers support in containers for which FFmpeg accepts anything, or names one codec of each kind.
    private static let held: [String: Set<String>] = [
        "mpegts": [
            "h264", "hevc", "mpeg2video", "mpeg1video", "mpeg4", "aac", "ac3", "eac3", "mp2", "mp3", "opus",
            "dts", "dvb_subtitle",
        ],
        "ogg": ["opus", "vorbis", "flac"],
        "ogv": ["theora", "opus", "vorbis", "flac"],
        "opus": ["opus"], "adts": ["aac"], "mp3": ["mp3"], "flac": ["flac"], "ivf": ["vp8", "vp9", "av1"],
        "3gp": ["h263", "h264", "mpeg4", "aac", "amr_nb", "amr_wb", "mov_text"],
        // Frames have no times there: only where their types give the order.
        "avi": [
            "mpeg4", "msmpeg4v2", "msmpeg4v3", "mjpeg", "ffv1", "huffyuv", "mp3", "mp2", "ac3", "pcm_u8",
            "pcm_s16le", "pcm_s24le",
        ],
        "mxf": ["mpeg2video", "dnxhd", "dvvideo", "pcm_s16le", "pcm_s24le"],
    ]

    /// Codecs that Matroska stores with their AVI tag (V_MS/VFW/FOURCC); FFmpeg only says that it may hold them. They have no
    /// B-frames: such tracks store only one time per sample.
    private static let foreign: Set<String> = ["h263", "flv1", "msmpeg4v2", "wmv1", "wmv2"]
    /// Codecs that FFmpeg knows in Matroska and cannot write there; uncompressed video needs a tag for its pixels.
    private static let unwritten: Set<String> = [
        "rv10", "rv20", "cook", "sipr", "ra_288", "atrac3", "rawvideo",
    ]

    /// Whether a format can hold a codec, both in FFmpeg's names.
    public static func canHold(codec: String, in format: String) -> Bool {
        guard let muxer = unsafe LibavLookup.muxers[format],
            let description = unsafe avcodec_descriptor_get_by_name(codec)
        else { return false }
        // QuickTime's table has tags for these, but the muxer refuses them.
        if format == "mov", ["opus", "av1", "vp8", "vp9", "flac"].contains(codec) { return false }
        // FFmpeg writes it with a private tag that hardly any player knows; and the first decoded packet gives no samples, which
        // an edit list cannot express: half a packet would be missing or extra.
        if codec == "vorbis", ["mov", "mp4", "ipod"].contains(format) { return false }
        // FFmpeg's QuickTime muxer claims support and then fails.
        if codec == "truehd", ["mov", "ipod"].contains(format) { return false }
        if format == "matroska", foreign.contains(codec) { return true }
        if format == "matroska", unwritten.contains(codec) { return false }
        if let held = held[format] { return held.contains(codec) }
        let answer = unsafe avformat_query_codec(muxer, description.pointee.id, FF_COMPLIANCE_NORMAL)
        // Their tables also list compressed audio, which they cannot cut to the sample.
        if ["wav", "aiff", "caf"].contains(format) {
            return answer == 1 && (codec.hasPrefix("pcm_") || format == "caf" && codec == "alac")
        }
        return answer == 1
    }

    /// Seconds per tick of a track's packets, as set by the container after the header.
    public func timebase(of track: Int) -> Timebase {
        guard 0..<Int(unsafe context.pointee.nb_streams) ~= track,
            let stream = unsafe context.pointee.streams[track]
        else { return .microseconds }
        return unsafe Timebase(
            numerator: stream.pointee.time_base.num, denominator: stream.pointee.time_base.den)
            ?? .microseconds
    }

    /// Bytes of the packets written so far: the minimum size of the output.
    public var written: Int64 { muxer.written }

    /// Writes a packet, whose times are in its track's ticks. The packet may lose its content.
    /// - Parameters:
    ///   - isStored: its bytes are stored as they are in the source.
    ///   - beginsRun: the packets that follow are probably those that follow in the source.
    public func write(
        _ packet: Packet, isStored: Bool = false, beginsRun: () -> Bool = { false }
    ) throws(LibavError) {
        muxer.written += Int64(packet.size)
        let end = isStored ? clones?.leaveOut(packet, beginsRun: beginsRun, muxer.io) : nil
        if isStored, end == nil { try clones?.load(packet) }
        // FFmpeg would copy bytes that are not written to its buffer, and allocate a reference to them.
        let bytes = unsafe packet.pointer.pointee.buf
        if end != nil {
            unsafe packet.pointer.pointee.buf = nil
            unsafe muxer.io.context.pointee.direct = 1
        }
        defer {
            if end != nil {
                unsafe packet.pointer.pointee.buf = unsafe bytes
                unsafe muxer.io.context.pointee.direct = 0
            }
        }
        if muxer.isInterleaved {
            try muxer.check(unsafe av_interleaved_write_frame(context, packet.pointer), "writing the output")
        } else {
            try muxer.check(unsafe av_write_frame(context, packet.pointer), "writing the output")
        }
        if let end, unsafe avio_tell(muxer.io.context) != end {
            throw LibavError("writing the output", cause: "the muxer stored a packet in another form")
        }
    }

    /// Sets how long a GIF's last frame is shown, in hundredths of a second: nothing follows it that would say so.
    public func setLastDelay(_ ticks: Int64) {
        unsafe av_opt_set_int(context.pointee.priv_data, "final_delay", ticks, 0)
    }

    /// Writes the trailer. Nothing can be written afterwards.
    public consuming func finish() throws(LibavError) {
        if reserve > 0 {
            // FFmpeg would write past a reserved space that is too small: the index goes last and is then moved.
            unsafe av_opt_set_int(context.pointee.priv_data, "moov_size", 0, 0)
        }
        try muxer.check(unsafe av_write_trailer(context), "writing the output's trailer")
        unsafe avio_flush(muxer.io.context)
        try muxer.check(unsafe context.pointee.pb.pointee.error, "writing the output's trailer")
        try clones?.finish(muxer.descriptor, reserve: reserve)
        guard reserve > 0 else { return }
        try FastStart(descriptor: muxer.descriptor, reserve: reserve).move {
            [clones, muxer] () throws(LibavError) in
            try clones?.fill(muxer.descriptor)
        }
    }
}
