// FFmpeg's bitstream filters, on initialisation data alone: what is changed there holds for a whole track, and no sample is
// touched. Owns nothing beyond a call.
internal import CFFmpeg

/// Filters of coded streams.
public enum BitstreamFilter {
    /// The initialisation data after a filter.
    /// - Parameters:
    ///   - name: FFmpeg's name of the filter, such as `h264_metadata`.
    ///   - options: the filter's own.
    public static func extradata(
        of parameters: CodecParameters, through name: String, options: [(String, String)]
    ) throws(LibavError) -> [UInt8] {
        let act = "rewriting a header with \(name)"
        guard let filter = unsafe av_bsf_get_by_name(name) else {
            throw LibavError(act, cause: "this build of FFmpeg has no such filter")
        }
        var context: UnsafeMutablePointer<AVBSFContext>?
        try LibavError.check(unsafe av_bsf_alloc(filter, &context), act)
        defer { unsafe av_bsf_free(&context) }
        guard let open = unsafe context else { throw LibavError(act, code: trim_averror(12)) }
        try LibavError.check(unsafe avcodec_parameters_copy(open.pointee.par_in, parameters.pointer), act)
        for (key, value) in options {
            try LibavError.check(unsafe av_opt_set(open.pointee.priv_data, key, value, 0), act)
        }
        try LibavError.check(unsafe av_bsf_init(open), act)
        return unsafe [UInt8](
            UnsafeBufferPointer(
                start: open.pointee.par_out.pointee.extradata,
                count: Int(open.pointee.par_out.pointee.extradata_size)))
    }
}
