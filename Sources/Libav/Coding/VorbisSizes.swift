// Counts the samples of Vorbis packets. Each depends on the previous packet, so they must be passed in order. Owns FFmpeg's
// parser. Confined to one queue.
internal import CFFmpeg

/// Counts the samples of Vorbis packets, which containers give only in their own ticks.
@safe public final class VorbisSizes {
    private let parser: OpaquePointer

    /// A counter for a track; nil if it is not Vorbis, or has no headers.
    public init?(_ parameters: CodecParameters) {
        guard unsafe parameters.pointer.pointee.codec_id == AV_CODEC_ID_VORBIS,
            let made = unsafe av_vorbis_parse_init(
                parameters.pointer.pointee.extradata, parameters.pointer.pointee.extradata_size)
        else { return nil }
        unsafe parser = made
    }

    deinit {
        var pointer: OpaquePointer? = unsafe parser
        unsafe av_vorbis_parse_free(&pointer)
    }

    /// Samples that a packet gives after the previous one; 0 if it is damaged.
    public func samples(of packet: Packet) -> Int {
        max(
            0,
            Int(
                unsafe av_vorbis_parse_frame(parser, packet.pointer.pointee.data, packet.pointer.pointee.size)
            ))
    }
}
