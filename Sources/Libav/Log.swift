// Converts FFmpeg's log to values. FFmpeg logs from any of its threads through one function of the process: lines go to one
// closure, which must be quick and thread-safe; and errors are counted for the decoder or demuxer that logs them, since much
// damage is reported nowhere else: the call succeeds, and the frame looks intact.
internal import CFFmpeg
internal import Synchronization

/// FFmpeg's log.
public enum LibavLog {
    /// Receives the lines. A closure is stored in a type of its own: taken out of a generic one and put back, it is wrapped
    /// once more each time, so that every line would take longer than the one before.
    private struct Sink {
        let take: @Sendable (String) -> Void
    }
    private static let sink = Mutex<Sink?>(nil)

    /// Sends errors of the libraries to `sink`, line by line.
    public static func redirect(to sink: @escaping @Sendable (String) -> Void) {
        LibavLog.sink.withLock { $0 = Sink(take: sink) }
        install
    }

    /// Passes a line on.
    static func send(_ line: String) { sink.withLock { $0 }?.take(line) }

    /// Installs the log callback, once.
    fileprivate static let install: Void = unsafe av_log_set_callback { context, level, format, arguments in
        let isError = level <= AV_LOG_ERROR
        guard unsafe isError || (level <= AV_LOG_INFO && trim_log_is_concealment(format) != 0) else { return }
        if let context = unsafe context { unsafe ErrorCounter.count(context, isError: isError) }
        guard isError, let format = unsafe format, let arguments = unsafe arguments else { return }
        var prefix: Int32 = 1
        var line = [CChar](repeating: 0, count: 1024)
        unsafe av_log_format_line(context, level, format, arguments, &line, Int32(line.count), &prefix)
        var text = String(decoding: line.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        while text.last?.isNewline == true { text.removeLast() }
        guard !text.isEmpty else { return }
        LibavLog.send(text)
    }
}

/// Counts the errors that one decoder or demuxer logs. FFmpeg's context refers to it; the owner of both frees the context first.
final class ErrorCounter: Sendable {
    private let reported = Atomic<Int>(0)
    private let concealed = Atomic<Int>(0)

    /// Number of errors logged so far.
    var errors: Int { reported.load(ordering: .relaxed) }
    /// Number of frames with concealed errors so far.
    var concealments: Int { concealed.load(ordering: .relaxed) }

    /// Whether nothing was logged so far.
    var isZero: Bool { errors == 0 && concealments == 0 }

    /// For the opaque field of a context.
    var opaque: UnsafeMutableRawPointer {
        LibavLog.install
        return unsafe Unmanaged.passUnretained(self).toOpaque()
    }

    /// Counts a message for its context, if the context is one of ours.
    fileprivate static func count(_ context: UnsafeMutableRawPointer, isError: Bool) {
        // Every logging context begins with its class. Decoder threads have copies of the context, with the same field.
        let kind = unsafe context.load(as: UnsafePointer<AVClass>?.self)
        var opaque: UnsafeMutableRawPointer?
        if unsafe kind == avcodec_get_class() {
            unsafe opaque = context.assumingMemoryBound(to: AVCodecContext.self).pointee.opaque
        } else if unsafe kind == avformat_get_class() {
            unsafe opaque = context.assumingMemoryBound(to: AVFormatContext.self).pointee.opaque
        }
        guard let opaque = unsafe opaque else { return }
        let counter = unsafe Unmanaged<ErrorCounter>.fromOpaque(opaque).takeUnretainedValue()
        if isError {
            counter.reported.add(1, ordering: .relaxed)
        } else {
            counter.concealed.add(1, ordering: .relaxed)
        }
    }
}
