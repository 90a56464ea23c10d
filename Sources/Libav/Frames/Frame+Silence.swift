// Silence where no audio says its format.
internal import CFFmpeg

extension Frame {
    /// One silent sample in stereo, in the format of AAC encoders.
    public static func silence(rate: Int) throws(LibavError) -> Frame {
        let frame = try Frame()
        unsafe frame.pointer.pointee.format = AV_SAMPLE_FMT_FLTP.rawValue
        unsafe frame.pointer.pointee.nb_samples = 1
        unsafe frame.pointer.pointee.sample_rate = Int32(clamping: rate)
        unsafe av_channel_layout_default(&frame.pointer.pointee.ch_layout, 2)
        try LibavError.check(unsafe av_frame_get_buffer(frame.pointer, 0), "allocating silence")
        unsafe _ = av_samples_set_silence(
            frame.pointer.pointee.extended_data, 0, 1, 2, AVSampleFormat(rawValue: frame.format))
        return frame
    }
}
