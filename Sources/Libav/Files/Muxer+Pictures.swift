// Cover art in containers other than movies: as attachments, or as streams with one packet.
internal import CFFmpeg
internal import Glibc

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
