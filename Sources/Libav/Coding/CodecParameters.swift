// The codec parameters of a track, independent of its container: the input of a decoder, or of a muxer that copies the packets.
// Owns FFmpeg's structure and the side data of its stream.
internal import CFFmpeg

/// The codec parameters of a track.
///
/// `@unchecked Sendable`: nothing changes them after init.
@safe public final class CodecParameters: @unchecked Sendable {
    let pointer: UnsafeMutablePointer<AVCodecParameters>
    /// The stream's side data: display matrix, mastering display, content light level, stereo and spherical layout, Dolby Vision
    /// configuration.
    let sideData: [(type: AVPacketSideDataType, bytes: [UInt8])]
    /// The nominal frame rate, for containers that store one; 0/1 if unknown.
    let frameRate: AVRational
    /// FFmpeg's names of the container that they are from, separated by commas; empty if they are from none.
    let container: String

    /// A copy of a track's parameters.
    public convenience init(_ demuxer: Demuxer, track: Int) throws(LibavError) {
        guard let stream = unsafe demuxer.stream(track) else {
            throw LibavError("looking for track \(track)", cause: "there is none")
        }
        var sideData: [(type: AVPacketSideDataType, bytes: [UInt8])] = []
        for index in 0..<(unsafe trim_stream_side_data_count(stream)) {
            let entry = unsafe trim_stream_side_data_entry(stream, index).pointee
            guard unsafe CodecParameters.carried.contains(entry.type) else { continue }
            unsafe sideData.append(
                (entry.type, [UInt8](UnsafeBufferPointer(start: entry.data, count: entry.size))))
        }
        try unsafe self.init(
            copying: unsafe stream.pointee.codecpar, sideData: sideData,
            frameRate: unsafe stream.pointee.avg_frame_rate, container: demuxer.format)
        // A container's sample aspect ratio is what players show, whatever the stream says.
        unsafe pointer.pointee.sample_aspect_ratio = av_guess_sample_aspect_ratio(nil, stream, nil)
    }

    /// A copy with other extradata, and without the old container's codec tag.
    /// - Parameters:
    ///   - extradata: the decoder's initialisation data (avcC, hvcC, …); nil: unchanged.
    ///   - tag: the codec tag in the new container; nil: the old one, where it is known there too, otherwise the container's default.
    ///   - muxer: FFmpeg's muxer of the new container; nil: the old tag is not kept.
    ///   - video: the video format, where the source's container does not give it.
    ///   - sampleRate: the rate of decoded audio, which the decoder's initialisation data need not name (HE-AAC); nil: unchanged.
    public convenience init(
        _ other: CodecParameters, extradata: [UInt8]?, tag: String?, in muxer: String? = nil,
        video: StoredVideoFormat? = nil, sampleRate: Int? = nil
    ) throws(LibavError) {
        try unsafe self.init(
            copying: other.pointer, sideData: other.sideData, frameRate: other.frameRate,
            container: other.container)
        unsafe pointer.pointee.codec_tag =
            tag.map { $0.utf8.reversed().reduce(0) { $0 << 8 | UInt32($1) } } ?? other.tag(in: muxer)
        if let video { unsafe video.complete(pointer) }
        if let sampleRate { unsafe pointer.pointee.sample_rate = Int32(clamping: sampleRate) }
        if let extradata { try setExtradata(extradata) }
    }

    /// The codec tag, where it is one in a muxer's container too; otherwise 0. It names what the codec alone does not: the kind of ProRes,
    /// or the encoder of MPEG-4 in AVI, to which decoders adapt.
    private func tag(in muxer: String?) -> UInt32 {
        let (id, tag) = unsafe (pointer.pointee.codec_id, pointer.pointee.codec_tag)
        func tags(_ muxer: String) -> UnsafePointer<OpaquePointer?>? {
            unsafe LibavLookup.muxers[muxer]?.pointee.codec_tag
        }
        func isKnown(in muxer: String) -> Bool { unsafe av_codec_get_id(tags(muxer), tag) == id }
        guard let muxer, tag != 0, let own = unsafe tags(muxer) else { return 0 }
        var other: UInt32 = 0
        guard unsafe av_codec_get_tag2(own, id, &other) != 0 else { return tag }
        let movies: Set = ["mov", "mp4", "ipod", "3gp"]
        let isISOMedia = movies.contains(muxer)
        let formats = container.split(separator: ",").map(String.init)
        let isAlike = isISOMedia ? !movies.isDisjoint(with: formats) : formats.contains(muxer)
        // Movies and AVI call the same codec by other tags, and know some of each other's that their players do not.
        return isKnown(in: muxer) && (isAlike || !isKnown(in: isISOMedia ? "avi" : "mov")) ? tag : 0
    }

    /// A copy with this initialisation data for decoders.
    func withExtradata(_ extradata: [UInt8]) throws(LibavError) -> CodecParameters {
        let other = try unsafe CodecParameters(
            copying: pointer, sideData: sideData, frameRate: frameRate, container: container)
        try other.setExtradata(extradata)
        return other
    }

    func setExtradata(_ extradata: [UInt8]) throws(LibavError) {
        unsafe av_freep(&pointer.pointee.extradata)
        unsafe pointer.pointee.extradata_size = 0
        guard !extradata.isEmpty else { return }
        let raw = unsafe av_mallocz(extradata.count + Int(AV_INPUT_BUFFER_PADDING_SIZE))
        guard let raw = unsafe raw else {
            throw LibavError("copying codec parameters", code: trim_averror(12))
        }
        unsafe extradata.withUnsafeBytes { bytes in
            if let base = bytes.baseAddress { unsafe raw.copyMemory(from: base, byteCount: bytes.count) }
        }
        unsafe pointer.pointee.extradata = raw.assumingMemoryBound(to: UInt8.self)
        unsafe pointer.pointee.extradata_size = Int32(clamping: extradata.count)
    }

    /// A copy for audio whose first samples are not played.
    /// - Parameters:
    ///   - header: the decoder's initialisation data; nil: unchanged.
    ///   - count: samples that are decoded and not played.
    public convenience init(
        _ other: CodecParameters, header: [UInt8]?, skipping count: Int
    ) throws(LibavError) {
        try self.init(other, extradata: header, tag: nil)
        unsafe pointer.pointee.initial_padding = Int32(clamping: count)
    }

    init(
        copying source: UnsafePointer<AVCodecParameters>,
        sideData: [(type: AVPacketSideDataType, bytes: [UInt8])],
        frameRate: AVRational, container: String = ""
    ) throws(LibavError) {
        self.container = container
        unsafe pointer = try LibavError.allocated(avcodec_parameters_alloc(), "codec parameters")
        self.sideData = sideData
        self.frameRate = frameRate
        try LibavError.check(unsafe avcodec_parameters_copy(pointer, source), "copying codec parameters")
        // They are `sideData` alone, in every version.
        unsafe trim_parameters_remove_side_data(pointer)
    }

    /// A copy without Dolby Vision, for tracks where not all frames carry it.
    public func withoutDolbyVision() throws(LibavError) -> CodecParameters {
        try unsafe CodecParameters(
            copying: pointer, sideData: sideData.filter { $0.type != AV_PKT_DATA_DOVI_CONF },
            frameRate: frameRate)
    }

    /// Whether it has side data that FFmpeg's movie muxer writes only with relaxed standard compliance.
    var needsLaterStandards: Bool {
        sideData.contains {
            [AV_PKT_DATA_DOVI_CONF, AV_PKT_DATA_SPHERICAL, AV_PKT_DATA_STEREO3D].contains($0.type)
        }
    }

    deinit {
        var pointer: UnsafeMutablePointer<AVCodecParameters>? = unsafe pointer
        unsafe avcodec_parameters_free(&pointer)
    }

    /// Side data that describes the video in any container.
    private static let carried: Set<AVPacketSideDataType> = [
        AV_PKT_DATA_DISPLAYMATRIX, AV_PKT_DATA_MASTERING_DISPLAY_METADATA, AV_PKT_DATA_CONTENT_LIGHT_LEVEL,
        AV_PKT_DATA_STEREO3D, AV_PKT_DATA_SPHERICAL, AV_PKT_DATA_REPLAYGAIN, AV_PKT_DATA_DOVI_CONF,
    ]

    /// The degrees clockwise by which players turn the frames: 0, 90, 180 or 270.
    var rotation: Int {
        guard let bytes = sideData.first(where: { $0.type == AV_PKT_DATA_DISPLAYMATRIX })?.bytes,
            bytes.count >= 9 * 4
        else { return 0 }
        let matrix = (0..<9).map { index in
            unsafe bytes.withUnsafeBytes {
                unsafe $0.loadUnaligned(fromByteOffset: index * 4, as: Int32.self)
            }
        }
        let angle = unsafe matrix.withUnsafeBufferPointer { entries in
            unsafe entries.baseAddress.map { unsafe av_display_rotation_get($0) } ?? 0
        }
        guard angle.isFinite else { return 0 }
        return ((Int((-angle / 90).rounded()) * 90) % 360 + 360) % 360
    }

    /// The decoder's initialisation data, such as avcC.
    public var extradata: [UInt8] {
        unsafe [UInt8](
            UnsafeBufferPointer(start: pointer.pointee.extradata, count: Int(pointer.pointee.extradata_size)))
    }

    /// Reorder delay of a decoder in frames; 0 if unknown.
    public var reorderDepth: Int { Int(unsafe pointer.pointee.video_delay) }

    /// Audio samples in a packet of this many bytes; 0 if it is known only after decoding.
    public func samples(inBytes size: Int) -> Int {
        let known = Int(unsafe av_get_audio_frame_duration2(pointer, Int32(clamping: size)))
        guard known == 0, unsafe pointer.pointee.codec_id == AV_CODEC_ID_ALAC else { return known }
        // All frames except the last have the length given in the header, after 12 bytes of an old box.
        return extradata.dropFirst(12).prefix(4).reduce(0) { $0 << 8 | Int($1) }
    }

    /// Bytes of one sample of all channels, for uncompressed audio; nil for all other codecs.
    public var bytesPerSample: Int? {
        let bits = unsafe av_get_exact_bits_per_sample(pointer.pointee.codec_id)
        guard bits >= 8, bits % 8 == 0,
            unsafe avcodec_get_name(pointer.pointee.codec_id).map({
                unsafe String(cString: $0).hasPrefix("pcm_")
            })
                == true
        else { return nil }
        return Int(bits / 8) * Int(unsafe pointer.pointee.ch_layout.nb_channels)
    }
}

/// The format of stored video from its own headers. Names are FFmpeg's; nil: unknown.
public struct StoredVideoFormat: Sendable {
    /// In pixels.
    public var width: Int, height: Int
    /// FFmpeg's names of the codec's profile, the pixel format and the colour.
    public var profile: String?, pixelFormat: String?, primaries: String?, transfer: String?, matrix: String?,
        range: String?

    /// The frames have alpha, in their pixels or beside them.
    public var hasAlpha = false

    /// A format with a frame size.
    public init(width: Int, height: Int) { (self.width, self.height) = (width, height) }

    /// FFmpeg's number of a codec's profile.
    private static func code(of profile: String, _ codec: AVCodecID) -> Int32? {
        guard var next = unsafe avcodec_descriptor_get(codec)?.pointee.profiles else { return nil }
        while unsafe next.pointee.profile != trim_profile_unknown {
            if unsafe text(next.pointee.name) == profile { return unsafe next.pointee.profile }
            unsafe next += 1
        }
        return nil
    }

    /// Fills in missing values: FFmpeg leaves the size of MPEG-4 in movies, and the pixel format of VP9 in Matroska, to the
    /// decoder, but the movie muxer needs them.
    fileprivate func complete(_ parameters: UnsafeMutablePointer<AVCodecParameters>) {
        let known = unsafe parameters
        if unsafe known.pointee.width == 0 || known.pointee.height == 0 {
            unsafe known.pointee.width = Int32(clamping: width)
            unsafe known.pointee.height = Int32(clamping: height)
        }
        if let profile, unsafe known.pointee.profile == trim_profile_unknown,
            let code = Self.code(of: profile, unsafe known.pointee.codec_id)
        {
            unsafe known.pointee.profile = code
        }
        if let pixelFormat, unsafe known.pointee.format < 0 {
            unsafe known.pointee.format = av_get_pix_fmt(pixelFormat).rawValue
        }
        // Of VP8 and VP9, FFmpeg tells the pixel format without the alpha that is stored beside the frames, and its Matroska muxer marks the
        // track by it.
        if hasAlpha, unsafe [AV_CODEC_ID_VP8, AV_CODEC_ID_VP9].contains(known.pointee.codec_id),
            unsafe known.pointee.format == AV_PIX_FMT_YUV420P.rawValue
        {
            unsafe known.pointee.format = AV_PIX_FMT_YUVA420P.rawValue
        }
        /// The value for a name, where the present one is unspecified (2 in all these enumerations) and the name is known.
        func named(_ name: String?, _ present: UInt32, _ find: (UnsafePointer<CChar>) -> Int32) -> UInt32 {
            guard let name, present == 2 else { return present }
            let code = unsafe name.withCString { unsafe find($0) }
            return code >= 0 ? UInt32(code) : present
        }
        unsafe known.pointee.color_primaries.rawValue = named(
            primaries, known.pointee.color_primaries.rawValue, av_color_primaries_from_name)
        unsafe known.pointee.color_trc.rawValue = named(
            transfer, known.pointee.color_trc.rawValue, av_color_transfer_from_name)
        unsafe known.pointee.color_space.rawValue = named(
            matrix, known.pointee.color_space.rawValue, av_color_space_from_name)
        // For ranges, 0 is unspecified.
        if let range, unsafe known.pointee.color_range == AVCOL_RANGE_UNSPECIFIED {
            unsafe known.pointee.color_range = range == "pc" ? AVCOL_RANGE_JPEG : AVCOL_RANGE_MPEG
        }
    }
}

extension AVPacketSideDataType: @retroactive Hashable {}
