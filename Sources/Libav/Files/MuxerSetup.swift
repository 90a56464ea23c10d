// Sets up a container before its header is written: tracks, labels, chapters and attachments. Owns its FFmpeg
// context, not the descriptor. Used on one queue. It writes no packets: `begin` writes the header and gives the muxer for them, and
// nothing can be added afterwards.
internal import CFFmpeg
internal import Glibc
public import MediaTime

/// A container whose header is not written yet.
@safe public struct MuxerSetup: ~Copyable {
    private let muxer: MuxerContext
    var context: UnsafeMutablePointer<AVFormatContext> { unsafe muxer.raw }

    /// Prepares a container of a format for writing to a descriptor of an empty regular file.
    public init(format: String, descriptor: Int32) throws(LibavError) {
        muxer = try MuxerContext(format: format, descriptor: descriptor)
    }

    /// Writes no random identifiers, and no name of this build.
    public func omitRandomBytes() { unsafe context.pointee.flags |= AVFMT_FLAG_BITEXACT }

    /// Adds a track; its packets' times will be in `timebase`.
    /// - Returns: its index.
    public func addTrack(
        _ parameters: CodecParameters, timebase: Timebase, language: String?, title: String?, isDefault: Bool
    ) throws(LibavError) -> Int {
        guard let stream = unsafe avformat_new_stream(context, nil) else {
            throw LibavError("adding a track", code: trim_averror(ENOMEM))
        }
        try LibavError.check(
            unsafe avcodec_parameters_copy(stream.pointee.codecpar, parameters.pointer), "adding a track")
        // Up to FFmpeg 5.1 its muxer writes a delay of Opus alone and leaves times as they are, and later of all audio, moving its times:
        // it has none to write, and the finished file says it.
        if isMatroska { unsafe stream.pointee.codecpar.pointee.initial_padding = 0 }
        unsafe stream.pointee.time_base = AVRational(num: timebase.numerator, den: timebase.denominator)
        unsafe stream.pointee.avg_frame_rate = parameters.frameRate
        unsafe stream.pointee.sample_aspect_ratio = parameters.pointer.pointee.sample_aspect_ratio
        unsafe stream.pointee.disposition = isDefault ? AV_DISPOSITION_DEFAULT : 0
        if let language { unsafe av_dict_set(&stream.pointee.metadata, "language", language, 0) }
        if let title { unsafe av_dict_set(&stream.pointee.metadata, "title", title, 0) }
        for (type, bytes) in parameters.sideData { try unsafe MuxerSetup.add(bytes, as: type, to: stream) }
        if parameters.needsLaterStandards,
            unsafe context.pointee.strict_std_compliance == FF_COMPLIANCE_NORMAL
        {
            unsafe context.pointee.strict_std_compliance = FF_COMPLIANCE_UNOFFICIAL
        }
        return Int(unsafe stream.pointee.index)
    }

    private var isMatroska: Bool {
        ["matroska", "webm"].contains(unsafe text(context.pointee.oformat.pointee.name) ?? "")
    }

    private static func add(
        _ bytes: [UInt8], as type: AVPacketSideDataType, to stream: UnsafeMutablePointer<AVStream>
    ) throws(LibavError) {
        guard let data = unsafe trim_stream_add_side_data(stream, type, bytes.count) else {
            throw LibavError("adding a track", code: trim_averror(ENOMEM))
        }
        unsafe bytes.withUnsafeBytes { from in
            if let base = from.baseAddress {
                unsafe UnsafeMutableRawPointer(data).copyMemory(from: base, byteCount: bytes.count)
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

    /// Writes the header, after all tracks were added; the muxer for the packets.
    /// - Parameters:
    ///   - reserve: bytes to reserve before the media of a movie, for its index; 0: it comes after the media.
    ///   - room: bytes to reserve between the header of a Matroska file and its media.
    ///   - clones: leaves out what the output is given of its source; nil: all is written. Movies only.
    public consuming func begin(
        options entries: [(String, String)], reserve: Int = 0, room: Int = 0, clones: CloneWriter? = nil
    ) throws(LibavError) -> Muxer {
        unsafe context.pointee.metadata_header_padding = Int32(clamping: room)
        // FFmpeg 5.1 treats FLAC and TrueHD in MP4 as experimental, long after their specifications.
        let codecs = (0..<Int(unsafe context.pointee.nb_streams)).compactMap { index in
            unsafe context.pointee.streams[index]?.pointee.codecpar.pointee.codec_id
        }
        if codecs.contains(where: { $0 == AV_CODEC_ID_FLAC || $0 == AV_CODEC_ID_TRUEHD }) {
            unsafe context.pointee.strict_std_compliance = FF_COMPLIANCE_EXPERIMENTAL
        }
        var options = OptionDictionary(entries + (reserve > 0 ? [("moov_size", "\(reserve)")] : []))
        try muxer.check(
            unsafe avformat_write_header(context, &options.pointer), "writing the output's header")
        guard options.leftOver.isEmpty else {
            throw LibavError(
                "writing the output's header",
                cause: "the container has no option \(options.leftOver.joined(separator: ", "))")
        }
        return Muxer(muxer, reserve: reserve, clones: clones)
    }
}
