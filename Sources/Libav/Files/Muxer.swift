// Writes a container to an open descriptor. Owns its FFmpeg context, not the descriptor. Used on one queue. Writes packets in
// call order: the caller interleaves the tracks by decoding time.
internal import CFFmpeg
internal import Glibc
public import MediaTime

/// A container open for writing.
@safe public final class Muxer {
    let context: UnsafeMutablePointer<AVFormatContext>
    private let io: FileIO
    private let descriptor: Int32
    private var hasHeader = false
    /// Bytes reserved before the media for the index of a movie; 0: it comes after the media.
    private var reserve = 0

    /// Prepares a container of a format for writing to a descriptor of an empty regular file.
    public init(format: String, descriptor: Int32) throws(LibavError) {
        io = try FileIO(descriptor: descriptor, size: 0, writing: true)
        self.descriptor = descriptor
        var allocated: UnsafeMutablePointer<AVFormatContext>?
        try LibavError.check(
            unsafe avformat_alloc_output_context2(&allocated, nil, format, nil),
            "preparing the container \(format)")
        unsafe context = try LibavError.allocated(allocated, "a muxer")
        unsafe context.pointee.pb = unsafe io.context
        unsafe context.pointee.flags |= AVFMT_FLAG_CUSTOM_IO
        // The output is read only when complete: avoids a system call per packet.
        unsafe context.pointee.flags &= ~AVFMT_FLAG_FLUSH_PACKETS
        unsafe context.pointee.flush_packets = 0
        unsafe context.pointee.io_open = { _, _, _, _, _ in trim_averror(EPERM) }
        // Times stay as given: the edit list hides samples before 0.
        unsafe context.pointee.avoid_negative_ts = AVFMT_AVOID_NEG_TS_DISABLED
        if format == "mpegts" { unsafe context.pointee.max_delay = Muxer.transportDelay }
    }

    /// Microseconds by which a transport stream's clock lags its decoding times, so that decoders have that long to fill their
    /// buffers; all times are delayed by twice as much. The ffmpeg tool uses the same value.
    private static let transportDelay: Int32 = 700_000

    deinit { unsafe avformat_free_context(context) }

    /// Adds a track made by an encoder; its packets' times will be in `timebase`.
    /// - Parameter hasPriming: the packets begin with encoder delay.
    /// - Returns: its index.
    public func addTrack(
        _ encoder: Encoder, timebase: Timebase, language: String?, title: String?, isDefault: Bool,
        tag: String? = nil, hasPriming: Bool = true
    ) throws(LibavError) -> Int {
        guard let stream = unsafe avformat_new_stream(context, nil) else {
            throw LibavError("adding a track", code: trim_averror(ENOMEM))
        }
        try LibavError.check(
            unsafe avcodec_parameters_from_context(stream.pointee.codecpar, encoder.context), "adding a track"
        )
        if !hasPriming { unsafe stream.pointee.codecpar.pointee.initial_padding = 0 }
        if let tag {
            unsafe stream.pointee.codecpar.pointee.codec_tag = tag.utf8.reversed().reduce(0) {
                $0 << 8 | UInt32($1)
            }
        }
        for (type, bytes) in encoder.light.sideData { try unsafe Muxer.add(bytes, as: type, to: stream) }
        unsafe stream.pointee.time_base = AVRational(num: timebase.numerator, den: timebase.denominator)
        if unsafe encoder.context.pointee.framerate.num > 0 {
            unsafe stream.pointee.avg_frame_rate = encoder.context.pointee.framerate
        }
        unsafe stream.pointee.sample_aspect_ratio = encoder.context.pointee.sample_aspect_ratio
        unsafe stream.pointee.disposition = isDefault ? AV_DISPOSITION_DEFAULT : 0
        if let language { unsafe av_dict_set(&stream.pointee.metadata, "language", language, 0) }
        if let title { unsafe av_dict_set(&stream.pointee.metadata, "title", title, 0) }
        return Int(unsafe stream.pointee.index)
    }

    /// Adds a track whose packets are copied.
    /// - Parameter dispositions: FFmpeg's names.
    /// - Returns: its index.
    public func addTrack(
        _ parameters: CodecParameters, timebase: Timebase, language: String?, title: String?, isDefault: Bool
    ) throws(LibavError) -> Int {
        guard let stream = unsafe avformat_new_stream(context, nil) else {
            throw LibavError("adding a track", code: trim_averror(ENOMEM))
        }
        try LibavError.check(
            unsafe avcodec_parameters_copy(stream.pointee.codecpar, parameters.pointer), "adding a track")
        unsafe stream.pointee.time_base = AVRational(num: timebase.numerator, den: timebase.denominator)
        unsafe stream.pointee.avg_frame_rate = parameters.frameRate
        unsafe stream.pointee.sample_aspect_ratio = parameters.pointer.pointee.sample_aspect_ratio
        unsafe stream.pointee.disposition = isDefault ? AV_DISPOSITION_DEFAULT : 0
        if let language { unsafe av_dict_set(&stream.pointee.metadata, "language", language, 0) }
        if let title { unsafe av_dict_set(&stream.pointee.metadata, "title", title, 0) }
        for (type, bytes) in parameters.sideData { try unsafe Muxer.add(bytes, as: type, to: stream) }
        if parameters.needsLaterStandards,
            unsafe context.pointee.strict_std_compliance == FF_COMPLIANCE_NORMAL
        {
            unsafe context.pointee.strict_std_compliance = FF_COMPLIANCE_UNOFFICIAL
        }
        return Int(unsafe stream.pointee.index)
    }

    private static func add(
        _ bytes: [UInt8], as type: AVPacketSideDataType, to stream: UnsafeMutablePointer<AVStream>
    ) throws(LibavError) {
        guard let place = unsafe av_stream_new_side_data(stream, type, bytes.count) else {
            throw LibavError("adding a track", code: trim_averror(ENOMEM))
        }
        unsafe bytes.withUnsafeBytes { from in
            if let base = from.baseAddress {
                unsafe UnsafeMutableRawPointer(place).copyMemory(from: base, byteCount: bytes.count)
            }
        }
    }

    /// Sets the handler name of a track, which movie readers show in place of a title; before the header.
    public func setHandler(_ name: String, of track: Int) {
        // QuickTime stores its length in one byte.
        guard name.utf8.count <= 255, 0..<Int(unsafe context.pointee.nb_streams) ~= track,
            let stream = unsafe context.pointee.streams[track]
        else { return }
        unsafe av_dict_set(&stream.pointee.metadata, "handler_name", name, 0)
    }

    /// Sets a track's dispositions, in FFmpeg's names (`default`, `forced`, `hearing_impaired`); before the header.
    public func setDispositions(_ names: [String], of track: Int) {
        guard 0..<Int(unsafe context.pointee.nb_streams) ~= track,
            let stream = unsafe context.pointee.streams[track]
        else { return }
        unsafe stream.pointee.disposition = names.reduce(0) { flags, name in
            let flag = unsafe av_disposition_from_string(name)
            return flag > 0 ? flags | flag : flags
        }
    }

    /// Sets the timecode of a track's first frame, with its counting rate; before the header.
    public func setTimecode(_ timecode: String, rate: Ratio, of track: Int) {
        guard 0..<Int(unsafe context.pointee.nb_streams) ~= track,
            let stream = unsafe context.pointee.streams[track]
        else { return }
        unsafe av_dict_set(&stream.pointee.metadata, "timecode", timecode, 0)
        unsafe stream.pointee.avg_frame_rate = AVRational(
            num: Int32(clamping: rate.numerator), den: Int32(clamping: rate.denominator))
    }

    private static let transportable: Set<String> = [
        "h264", "hevc", "mpeg2video", "mpeg1video", "mpeg4", "aac", "ac3", "eac3", "mp2", "mp3", "opus",
        "dts",
    ]

    /// Codecs that Matroska stores with their AVI tag (V_MS/VFW/FOURCC); FFmpeg only says that it may hold them. They have no
    /// B-frames: such tracks store only one time per sample.
    private static let foreign: Set<String> = ["h263", "flv1", "msmpeg4v2", "wmv1", "wmv2"]

    /// Whether a format can hold a codec, both in FFmpeg's names.
    public static func canHold(codec: String, in format: String) -> Bool {
        guard let muxer = unsafe av_guess_format(format, nil, nil),
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
        let answer = unsafe avformat_query_codec(muxer, description.pointee.id, FF_COMPLIANCE_NORMAL)
        // Ogg returns one codec of each kind but accepts these.
        if format == "ogg" { return ["opus", "vorbis", "flac", "speex", "theora", "vp8"].contains(codec) }
        // A transport stream accepts anything; these are the codecs readers support.
        return format == "mpegts" ? transportable.contains(codec) : answer == 1
    }

    /// Sets the container's metadata.
    public func setMetadata(_ entries: [String: String]) {
        for (key, value) in entries.sorted(by: { $0.key < $1.key }) {
            unsafe av_dict_set(&context.pointee.metadata, key, value, 0)
        }
    }

    /// Adds a chapter, in ticks of the output.
    public func addChapter(
        start: Int64, end: Int64, timebase: Timebase, title: String?
    ) throws(LibavError) {
        guard let raw = unsafe av_mallocz(MemoryLayout<AVChapter>.size) else {
            throw LibavError("adding a chapter", code: trim_averror(ENOMEM))
        }
        let chapter = unsafe raw.assumingMemoryBound(to: AVChapter.self)
        unsafe chapter.pointee.id = Int64(context.pointee.nb_chapters)
        unsafe chapter.pointee.time_base = AVRational(
            num: timebase.numerator, den: timebase.denominator)
        unsafe chapter.pointee.start = start
        unsafe chapter.pointee.end = end
        if let title { unsafe av_dict_set(&chapter.pointee.metadata, "title", title, 0) }
        var count = Int32(unsafe context.pointee.nb_chapters)
        // The context owns the list and its entries and frees them.
        unsafe av_dynarray_add(&context.pointee.chapters, &count, chapter)
        unsafe context.pointee.nb_chapters = UInt32(count)
    }

    /// Writes the header, after all tracks were added.
    /// - Parameters:
    ///   - reserve: bytes to reserve before the media of a movie, for its index; 0: it comes after the media.
    ///   - room: bytes to reserve between the header of a Matroska file and its media.
    public func begin(
        options entries: [(String, String)], reserve: Int = 0, room: Int = 0
    ) throws(LibavError) {
        self.reserve = reserve
        unsafe context.pointee.metadata_header_padding = Int32(clamping: room)
        // FFmpeg 5.1 treats FLAC and TrueHD in MP4 as experimental, long after their specifications.
        let codecs = (0..<Int(unsafe context.pointee.nb_streams)).compactMap { index in
            unsafe context.pointee.streams[index]?.pointee.codecpar.pointee.codec_id
        }
        if codecs.contains(where: { $0 == AV_CODEC_ID_FLAC || $0 == AV_CODEC_ID_TRUEHD }) {
            unsafe context.pointee.strict_std_compliance = FF_COMPLIANCE_EXPERIMENTAL
        }
        var options = OptionDictionary(entries + (reserve > 0 ? [("moov_size", "\(reserve)")] : []))
        try check(unsafe avformat_write_header(context, &options.pointer), "writing the header")
        guard options.leftOver.isEmpty else {
            throw LibavError(
                "writing the header",
                cause: "the container has no option \(options.leftOver.joined(separator: ", "))")
        }
        hasHeader = true
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
    public private(set) var written: Int64 = 0

    /// Writes a packet, whose times are in its track's ticks, and takes its content.
    public func write(_ packet: Packet) throws(LibavError) {
        written += Int64(packet.size)
        try check(unsafe av_write_frame(context, packet.pointer), "writing")
        packet.clear()
    }

    /// Writes the trailer. Nothing can be written afterwards.
    public consuming func finish() throws(LibavError) {
        guard hasHeader else { throw LibavError("writing the trailer", cause: "there is no header") }
        if reserve > 0 {
            // FFmpeg would write past a reserved space that is too small: the index goes last and is then moved.
            unsafe av_opt_set_int(context.pointee.priv_data, "moov_size", 0, 0)
        }
        try check(unsafe av_write_trailer(context), "writing the trailer")
        unsafe avio_flush(io.context)
        try check(unsafe context.pointee.pb.pointee.error, "writing the trailer")
        if reserve > 0 { try FastStart(descriptor: descriptor, reserve: reserve).move() }
    }

    /// Bytes written so far.
    public var bytes: Int64 { unsafe avio_size(io.context) }

    /// FFmpeg's codes may lose the errno of a failed write; uses the descriptor's.
    private func check(_ code: Int32, _ act: String) throws(LibavError) {
        guard code < 0 || io.failure != 0 else { return }
        throw LibavError(act, code: io.failure != 0 ? trim_averror(io.failure) : code)
    }
}
