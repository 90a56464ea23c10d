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

// Cover art in containers other than movies: as attachments, or as streams with one packet.
extension Demuxer {
    /// The bytes of an attached picture.
    public func attachedPicture(_ track: Int) -> [UInt8]? {
        guard let stream = unsafe stream(track),
            unsafe stream.pointee.disposition & AV_DISPOSITION_ATTACHED_PIC != 0,
            let data = unsafe stream.pointee.attached_pic.data
        else { return nil }
        return unsafe [UInt8](
            UnsafeBufferPointer(start: data, count: Int(stream.pointee.attached_pic.size)))
    }

    /// An attachment's bytes, name and type.
    public func attachment(_ track: Int) -> (bytes: [UInt8], name: String, type: String)? {
        guard let stream = unsafe stream(track), let codec = unsafe stream.pointee.codecpar,
            unsafe codec.pointee.codec_type == AVMEDIA_TYPE_ATTACHMENT,
            unsafe codec.pointee.extradata_size > 0
        else { return nil }
        let tags = unsafe metadata(stream.pointee.metadata)
        let bytes = unsafe [UInt8](
            UnsafeBufferPointer(start: codec.pointee.extradata, count: Int(codec.pointee.extradata_size)))
        return (bytes, tags["filename"] ?? "attachment", tags["mimetype"] ?? "application/octet-stream")
    }
}

extension MuxerSetup {
    /// Adds an attachment (Matroska).
    public func addAttachment(_ bytes: [UInt8], name: String, type: String) throws(LibavError) {
        let stream = unsafe try pictureStream()
        let raw = unsafe av_mallocz(bytes.count + Int(AV_INPUT_BUFFER_PADDING_SIZE))
        guard let raw = unsafe raw else {
            throw LibavError("adding an attachment", code: trim_averror(ENOMEM))
        }
        unsafe bytes.withUnsafeBytes { from in
            if let base = from.baseAddress { unsafe raw.copyMemory(from: base, byteCount: bytes.count) }
        }
        unsafe stream.pointee.codecpar.pointee.codec_type = AVMEDIA_TYPE_ATTACHMENT
        // Fonts are identified by their type; Matroska writes the given type.
        unsafe stream.pointee.codecpar.pointee.codec_id = AV_CODEC_ID_BIN_DATA
        unsafe stream.pointee.codecpar.pointee.extradata = raw.assumingMemoryBound(to: UInt8.self)
        unsafe stream.pointee.codecpar.pointee.extradata_size = Int32(clamping: bytes.count)
        unsafe av_dict_set(&stream.pointee.metadata, "filename", name, 0)
        unsafe av_dict_set(&stream.pointee.metadata, "mimetype", type, 0)
    }

    /// Adds an image as a separate stream (FLAC, MP3); `writePicture` writes it after the header.
    /// - Returns: its index.
    public func addPicture(codec: String, width: Int, height: Int) throws(LibavError) -> Int {
        let stream = unsafe try pictureStream()
        guard let description = unsafe avcodec_descriptor_get_by_name(codec) else {
            throw LibavError("adding artwork", cause: "there is no codec \(codec)")
        }
        unsafe stream.pointee.codecpar.pointee.codec_type = AVMEDIA_TYPE_VIDEO
        unsafe stream.pointee.codecpar.pointee.codec_id = description.pointee.id
        unsafe stream.pointee.codecpar.pointee.width = Int32(clamping: width)
        unsafe stream.pointee.codecpar.pointee.height = Int32(clamping: height)
        unsafe stream.pointee.disposition = AV_DISPOSITION_ATTACHED_PIC
        unsafe stream.pointee.time_base = AVRational(num: 1, den: 90_000)
        unsafe av_dict_set(&stream.pointee.metadata, "comment", "Cover (front)", 0)
        return Int(unsafe stream.pointee.index)
    }

    private func pictureStream() throws(LibavError) -> UnsafeMutablePointer<AVStream> {
        guard let stream = unsafe avformat_new_stream(context, nil) else {
            throw LibavError("adding artwork", code: trim_averror(ENOMEM))
        }
        return unsafe stream
    }
}

extension Muxer {
    /// Writes the single packet of an image.
    public func writePicture(_ bytes: [UInt8], to track: Int) throws(LibavError) {
        let packet = try Packet()
        try packet.replaceBytes(bytes)
        packet.track = track
        (packet.pts, packet.dts) = (0, 0)
        packet.setKey(true)
        try write(packet)
    }
}
