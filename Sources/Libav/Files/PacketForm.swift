// The parameters of a packet that a decoder of its track does not follow: of another codec, or of another container's form of the same one; or
// whose frames are turned otherwise. Of films one after the other, each may be coded otherwise.
//
// `unsafe` here: FFmpeg's buffers.
internal import CFFmpeg

/// Parameters that packets carry. They stay as long as a packet has them.
///
/// `@unchecked Sendable`: nothing changes them, and FFmpeg counts references atomically.
@safe final class PacketForm: @unchecked Sendable {
    private let reference: UnsafeMutablePointer<AVBufferRef>

    /// A copy of parameters.
    /// - Parameter turn: the degrees clockwise by which decoded frames are turned: 0, 90, 180 or 270.
    init(_ parameters: CodecParameters, turn: Int) throws(LibavError) {
        unsafe reference = try LibavError.allocated(
            trim_share_form(parameters.pointer, Int32(clamping: turn)), "the parameters of a packet")
    }

    /// Those that a packet carries; nil: it is decoded as its track is.
    fileprivate init?(of packet: Packet) throws(LibavError) {
        guard let carried = unsafe packet.pointer.pointee.opaque_ref else { return nil }
        unsafe reference = try LibavError.allocated(
            av_buffer_ref(carried), "the parameters of a packet")
    }

    deinit {
        var reference: UnsafeMutablePointer<AVBufferRef>? = unsafe reference
        unsafe av_buffer_unref(&reference)
    }

    /// Makes a packet carry them.
    fileprivate func put(on packet: Packet) throws(LibavError) {
        try LibavError.check(
            unsafe av_buffer_replace(&packet.pointer.pointee.opaque_ref, reference), "describing a packet")
    }

    /// Whether a packet carries these very ones.
    func isCarried(by packet: Packet) -> Bool {
        unsafe packet.pointer.pointee.opaque_ref?.pointee.data == reference.pointee.data
    }

    private var form: trim_form? {
        unsafe UnsafeMutableRawPointer(reference.pointee.data)?.assumingMemoryBound(to: trim_form.self)
            .pointee
    }

    /// The degrees clockwise by which decoded frames are turned: 0, 90, 180 or 270.
    var turn: Int { unsafe Int(form?.turn ?? 0) }

    /// The parameters, for a decoder.
    func parameters() throws(LibavError) -> CodecParameters {
        guard let pointer = unsafe form?.parameters else {
            throw LibavError("reading the parameters of a packet", cause: "there are none")
        }
        return try unsafe CodecParameters(
            copying: pointer, sideData: [], frameRate: AVRational(num: 0, den: 1), container: "")
    }
}

extension Packet {
    /// Its bytes are not those of its track's codec, or in another form: only a decoder knows what they are.
    public var isForeign: Bool { unsafe pointer.pointee.opaque_ref != nil }

    /// FFmpeg's name of the codec of its bytes, where that is not known by its track.
    public var foreignCodec: String? {
        guard let form = unsafe carried else { return nil }
        return unsafe text(avcodec_get_name(form.parameters.pointee.codec_id))
    }

    /// The initialisation data that belongs to its bytes, where that is not known by its track.
    public var foreignHeader: [UInt8]? {
        guard let form = unsafe carried else { return nil }
        let parameters = unsafe form.parameters.pointee
        return unsafe [UInt8](
            UnsafeBufferPointer(start: parameters.extradata, count: Int(parameters.extradata_size)))
    }

    private var carried: trim_form? {
        unsafe pointer.pointee.opaque_ref.flatMap { reference in
            unsafe UnsafeMutableRawPointer(reference.pointee.data)?.assumingMemoryBound(to: trim_form.self)
                .pointee
        }
    }

    /// Says how it is decoded.
    func carry(_ form: PacketForm) throws(LibavError) { try form.put(on: self) }

    /// How it is decoded; nil: as its track is.
    func form() throws(LibavError) -> PacketForm? { try PacketForm(of: self) }
}
