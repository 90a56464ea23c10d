// Copies the samples of a frame out and in, for code that analyses video and audio itself: small frames, in one plane.
internal import CFFmpeg

extension Frame {
    /// The bytes of a frame with one plane, row by row without padding; empty for others.
    public var packedBytes: [UInt8] {
        let format = AVPixelFormat(rawValue: format)
        let bytes = Int(av_image_get_linesize(format, Int32(width), 0))
        guard width > 0, height > 0, bytes > 0, av_pix_fmt_count_planes(format) == 1,
            let start = unsafe pointer.pointee.data.0
        else { return [] }
        let stride = Int(unsafe pointer.pointee.linesize.0)
        var all: [UInt8] = []
        all.reserveCapacity(bytes * height)
        for row in 0..<height {
            unsafe all.append(contentsOf: UnsafeBufferPointer(start: start + row * stride, count: bytes))
        }
        return all
    }

    /// A frame with 8-bit RGB.
    /// - Parameter bytes: row by row without padding: three times width times height.
    public static func make(rgb bytes: [UInt8], width: Int, height: Int) throws(LibavError) -> Frame {
        guard width > 0, height > 0, bytes.count == 3 * width * height else {
            throw LibavError("creating a frame", cause: "\(bytes.count) bytes are not \(width)x\(height)")
        }
        let frame = try Frame()
        unsafe frame.pointer.pointee.format = AV_PIX_FMT_RGB24.rawValue
        unsafe frame.pointer.pointee.width = Int32(clamping: width)
        unsafe frame.pointer.pointee.height = Int32(clamping: height)
        unsafe frame.pointer.pointee.color_range = AVCOL_RANGE_JPEG
        try LibavError.check(unsafe av_frame_get_buffer(frame.pointer, 0), "allocating a frame")
        guard let start = unsafe frame.pointer.pointee.data.0 else { return frame }
        let stride = Int(unsafe frame.pointer.pointee.linesize.0)
        unsafe bytes.withUnsafeBufferPointer { from in
            for row in 0..<height {
                guard let base = from.baseAddress else { return }
                unsafe (start + row * stride).update(from: base + row * 3 * width, count: 3 * width)
            }
        }
        return frame
    }

    /// Sets the encoding quality, from 1 (best) to 31, for codecs that support it.
    public func setQuality(_ quality: Int) {
        unsafe pointer.pointee.quality = Int32(clamping: quality) * FF_QP2LAMBDA
    }

    /// Mono audio samples from -1 to 1, if stored as floats; empty otherwise.
    public var monoSamples: [Float] {
        guard sampleCount > 0, channels == 1, let data = unsafe pointer.pointee.extended_data[0],
            [AV_SAMPLE_FMT_FLT, AV_SAMPLE_FMT_FLTP].contains(AVSampleFormat(rawValue: format))
        else { return [] }
        let raw = unsafe UnsafeRawPointer(data).assumingMemoryBound(to: Float.self)
        return unsafe Array(UnsafeBufferPointer(start: raw, count: sampleCount))
    }

    /// For each moment, the largest magnitude of all channels' samples, if stored as interleaved floats; empty otherwise.
    public var peakSamples: [Float] {
        let count = channels
        guard sampleCount > 0, count > 0, AVSampleFormat(rawValue: format) == AV_SAMPLE_FMT_FLT,
            let data = unsafe pointer.pointee.extended_data[0]
        else { return [] }
        let raw = unsafe UnsafeRawPointer(data).assumingMemoryBound(to: Float.self)
        let all = unsafe UnsafeBufferPointer(start: raw, count: sampleCount * count)
        return (0..<sampleCount).map { moment in
            var peak: Float = 0
            for channel in 0..<count {
                let value = unsafe abs(all[moment * count + channel])
                // Floats may be infinite, or no number.
                if value > peak, value < 1e6 { peak = value }
            }
            return peak
        }
    }

    /// The samples of each channel, if stored as floats, one channel after another; empty otherwise.
    public var channelSamples: [[Float]] {
        guard sampleCount > 0, AVSampleFormat(rawValue: format) == AV_SAMPLE_FMT_FLTP else { return [] }
        return (0..<channels).compactMap { channel in
            guard let data = unsafe pointer.pointee.extended_data[channel] else { return nil }
            let raw = unsafe UnsafeRawPointer(data).assumingMemoryBound(to: Float.self)
            return unsafe Array(UnsafeBufferPointer(start: raw, count: sampleCount))
        }
    }
}
