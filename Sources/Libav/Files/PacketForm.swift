// The parameters of a packet that a decoder of its track does not follow: of another codec, or of another container's form of the same one. Of
// films one after the other, each may be coded otherwise.
//
// `unsafe` here: FFmpeg's buffers.
internal import CFFmpeg

/// Parameters that packets carry. They stay as long as a packet has them.
///
/// `@unchecked Sendable`: nothing changes them, and FFmpeg counts references atomically.
@safe final class PacketForm: @unchecked Sendable {
    private let reference: UnsafeMutablePointer<AVBufferRef>

    /// A copy of parameters.
    init(_ parameters: CodecParameters) throws(LibavError) {
        unsafe reference = try LibavError.allocated(
            trim_share_parameters(parameters.pointer), "the parameters of a packet")
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

    /// The parameters, for a decoder.
    func parameters() throws(LibavError) -> CodecParameters {
        let data = unsafe UnsafeMutableRawPointer(reference.pointee.data)
        guard let pointer = unsafe data?.assumingMemoryBound(to: AVCodecParameters.self) else {
            throw LibavError("reading the parameters of a packet", cause: "there are none")
        }
        return try unsafe CodecParameters(
            copying: pointer, sideData: [], frameRate: AVRational(num: 0, den: 1), container: "")
    }
}

extension Packet {
    /// Its bytes are not those of its track's codec, or in another form: only a decoder knows what they are.
    public var isForeign: Bool { unsafe pointer.pointee.opaque_ref != nil }

    /// Says how it is decoded.
    func carry(_ form: PacketForm) throws(LibavError) { try form.put(on: self) }

    /// How it is decoded; nil: as its track is.
    func form() throws(LibavError) -> PacketForm? { try PacketForm(of: self) }
}
