// FFmpeg's log, turned into values. FFmpeg logs from any of its threads through one function of the process; lines of
// the chosen level are handed to one closure, which must be quick and may be called from any thread.
internal import CFFmpeg
internal import Synchronization

/// FFmpeg's log.
public enum LibavLog {
    private static let sink = Mutex<(@Sendable (String) -> Void)?>(nil)

    /// Sends warnings and errors of the libraries to `sink`, one line at a time.
    public static func redirect(to sink: @escaping @Sendable (String) -> Void) {
        LibavLog.sink.withLock { $0 = sink }
        unsafe av_log_set_callback { context, level, format, arguments in
            guard level <= AV_LOG_ERROR, let format = unsafe format, let arguments = unsafe arguments else {
                return
            }
            var prefix: Int32 = 1
            var line = [CChar](repeating: 0, count: 1024)
            unsafe av_log_format_line(context, level, format, arguments, &line, Int32(line.count), &prefix)
            var text = String(decoding: line.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
            while text.last?.isNewline == true { text.removeLast() }
            guard !text.isEmpty else { return }
            LibavLog.sink.withLock { $0 }?(text)
        }
    }
}
