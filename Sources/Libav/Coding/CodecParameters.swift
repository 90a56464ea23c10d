// How a track is coded, apart from the container it was found in: what a decoder needs to begin, and what a container that
// takes the packets over must be told. Owns FFmpeg's structure and the side data of its stream.
internal import CFFmpeg

/// How a track is coded. Immutable, so that it may cross queues.
@safe public final class CodecParameters: @unchecked Sendable {
    let pointer: UnsafeMutablePointer<AVCodecParameters>
    /// What the stream says beside: display matrix, mastering display, content light level, stereo and spherical layout.
    let sideData: [(type: AVPacketSideDataType, bytes: [UInt8])]
    /// The nominal frame rate, for containers that write one; 0/1 where unknown.
    let frameRate: AVRational

    /// A copy of a track's parameters.
    public convenience init(_ demuxer: Demuxer, track: Int) throws(LibavError) {
        guard let stream = unsafe demuxer.stream(track) else {
            throw LibavError("looking for track \(track)", cause: "there is none")
        }
        var sideData: [(type: AVPacketSideDataType, bytes: [UInt8])] = []
        for index in 0..<Int(unsafe stream.pointee.nb_side_data) {
            let entry = unsafe stream.pointee.side_data[index]
            guard unsafe CodecParameters.carried.contains(entry.type) else { continue }
            unsafe sideData.append(
                (entry.type, [UInt8](UnsafeBufferPointer(start: entry.data, count: entry.size))))
        }
        try unsafe self.init(
            copying: unsafe stream.pointee.codecpar, sideData: sideData,
            frameRate: unsafe stream.pointee.avg_frame_rate)
    }

    /// A copy with other initialisation data, and without the old container's code for the codec.
    /// - Parameters:
    ///   - extradata: the decoder's initialisation data (avcC, hvcC, …); nil: as it was.
    ///   - tag: the code in the new container; nil: the container's usual one.
    ///   - size: of the pictures, for where it is not said: of MPEG-4 and H.263 in movies, FFmpeg leaves it to the decoder.
    public convenience init(
        _ other: CodecParameters, extradata: [UInt8]?, tag: String?, size: (width: Int, height: Int)? = nil
    ) throws(LibavError) {
        try unsafe self.init(copying: other.pointer, sideData: other.sideData, frameRate: other.frameRate)
        unsafe pointer.pointee.codec_tag = 0
        if let tag {
            unsafe pointer.pointee.codec_tag = tag.utf8.reversed().reduce(0) { $0 << 8 | UInt32($1) }
        }
        if let size, unsafe pointer.pointee.width == 0 || pointer.pointee.height == 0 {
            unsafe pointer.pointee.width = Int32(clamping: size.width)
            unsafe pointer.pointee.height = Int32(clamping: size.height)
        }
        guard let extradata else { return }
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

    init(
        copying source: UnsafePointer<AVCodecParameters>,
        sideData: [(type: AVPacketSideDataType, bytes: [UInt8])],
        frameRate: AVRational
    ) throws(LibavError) {
        unsafe pointer = try LibavError.allocated(avcodec_parameters_alloc(), "codec parameters")
        self.sideData = sideData
        self.frameRate = frameRate
        try LibavError.check(unsafe avcodec_parameters_copy(pointer, source), "copying codec parameters")
    }

    deinit {
        var pointer: UnsafeMutablePointer<AVCodecParameters>? = unsafe pointer
        unsafe avcodec_parameters_free(&pointer)
    }

    /// Side data that describes the pictures, whatever container they lie in.
    private static let carried: Set<AVPacketSideDataType> = [
        AV_PKT_DATA_DISPLAYMATRIX, AV_PKT_DATA_MASTERING_DISPLAY_METADATA, AV_PKT_DATA_CONTENT_LIGHT_LEVEL,
        AV_PKT_DATA_STEREO3D, AV_PKT_DATA_SPHERICAL, AV_PKT_DATA_REPLAYGAIN,
    ]

    /// The decoder's initialisation data, such as avcC.
    public var extradata: [UInt8] {
        unsafe [UInt8](
            UnsafeBufferPointer(start: pointer.pointee.extradata, count: Int(pointer.pointee.extradata_size)))
    }

    /// Pictures a decoder holds back to bring them into order; 0 where unknown.
    public var reorderDepth: Int { Int(unsafe pointer.pointee.video_delay) }

    /// Samples that a packet of so many bytes decodes to, of sound; 0 where only decoding tells.
    public func samples(inBytes size: Int) -> Int {
        Int(unsafe av_get_audio_frame_duration2(pointer, Int32(clamping: size)))
    }

    /// Bytes of one sample of all channels, of uncompressed sound; nil for all other codecs.
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

extension AVPacketSideDataType: @retroactive Hashable {}
