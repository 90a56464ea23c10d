// FFmpeg's bitstream filters: they rewrite coded samples and their header without decoding them.
internal import CFFmpeg

/// A filter of one track. Used on its owner's queue.
@safe public final class BitstreamFilter {
    private let context: UnsafeMutablePointer<AVBSFContext>

    /// Opens a filter.
    /// - Parameters:
    ///   - name: FFmpeg's, such as `h264_metadata`.
    ///   - parameters: of its input.
    ///   - options: the filter's own.
    public init(
        _ name: String, _ parameters: CodecParameters, options: [(String, String)] = []
    ) throws(LibavError) {
        let act = "opening the filter \(name)"
        guard let filter = unsafe av_bsf_get_by_name(name) else {
            throw LibavError(act, cause: "this build of FFmpeg has none")
        }
        var allocated: UnsafeMutablePointer<AVBSFContext>?
        try LibavError.check(unsafe av_bsf_alloc(filter, &allocated), act)
        unsafe context = try LibavError.allocated(allocated, "the filter \(name)")
        try LibavError.check(
            unsafe avcodec_parameters_copy(context.pointee.par_in, parameters.pointer), act)
        for (key, value) in options {
            try LibavError.check(unsafe av_opt_set(context.pointee.priv_data, key, value, 0), act)
        }
        try LibavError.check(unsafe av_bsf_init(context), act)
    }

    deinit {
        var pointer: UnsafeMutablePointer<AVBSFContext>? = unsafe context
        unsafe av_bsf_free(&pointer)
    }

    /// The initialisation data after the filter.
    public var extradata: [UInt8] {
        unsafe [UInt8](
            UnsafeBufferPointer(
                start: context.pointee.par_out.pointee.extradata,
                count: Int(context.pointee.par_out.pointee.extradata_size)))
    }

    /// Forgets the packets that it holds, to continue elsewhere in the stream.
    func flush() { unsafe av_bsf_flush(context) }

    /// Sends a packet, whose content the filter takes.
    public func send(_ packet: Packet) throws(LibavError) {
        try LibavError.check(unsafe av_bsf_send_packet(context, packet.pointer), "filtering a packet")
    }

    /// Receives the next packet; false if another must be sent first.
    public func receive(into packet: Packet) throws(LibavError) -> Bool {
        packet.clear()
        let code = unsafe av_bsf_receive_packet(context, packet.pointer)
        if code == trim_error_again || code == trim_error_eof { return false }
        try LibavError.check(code, "filtering a packet")
        packet.becomeChanged()
        return true
    }
}
