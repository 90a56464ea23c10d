// Buffers audio until it fills the encoder's frames. Owns its samples. Confined to one queue.
internal import CFFmpeg

/// A first-in, first-out queue of samples of one format.
@safe public final class SampleQueue {
    private let queue: OpaquePointer
    /// The sample format; set by the first frame.
    private let model: Frame

    /// An empty queue for audio in the format of `model`.
    public init(like model: Frame) throws(LibavError) {
        let channels = unsafe model.pointer.pointee.ch_layout.nb_channels
        guard let queue = unsafe av_audio_fifo_alloc(AVSampleFormat(rawValue: model.format), channels, 4096)
        else {
            throw LibavError("allocating a queue of samples", code: trim_averror(12))
        }
        unsafe self.queue = queue
        self.model = try Frame.silence(like: model, samples: 1)
    }

    deinit { unsafe av_audio_fifo_free(queue) }

    /// Number of queued samples.
    public var count: Int { Int(unsafe av_audio_fifo_size(queue)) }

    /// Appends a frame's samples.
    public func append(_ frame: Frame) throws(LibavError) {
        let written = unsafe frame.pointer.pointee.extended_data.withMemoryRebound(
            to: UnsafeMutableRawPointer?.self, capacity: 1
        ) { data in unsafe av_audio_fifo_write(queue, data, Int32(frame.sampleCount)) }
        try LibavError.check(written, "queueing samples")
    }

    /// Removes and returns the first samples; that many must be queued.
    public func take(_ count: Int) throws(LibavError) -> Frame {
        let frame = try Frame.silence(like: model, samples: count)
        let read = unsafe frame.pointer.pointee.extended_data.withMemoryRebound(
            to: UnsafeMutableRawPointer?.self, capacity: 1
        ) { data in unsafe av_audio_fifo_read(queue, data, Int32(count)) }
        guard try LibavError.check(read, "taking samples") == count else {
            throw LibavError("taking \(count) samples", cause: "only \(read) were there")
        }
        return frame
    }
}
