// Converts FFmpeg's log to values. FFmpeg logs from any of its threads through one function of the process: lines go to one
// closure, which must be quick and thread-safe; and errors are recorded for the decoder or demuxer that logs them, since much
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
        if let context = unsafe context { unsafe record(context, isError: isError) }
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

/// Counts the errors that one demuxer logs. FFmpeg's context refers to it; the owner of both frees the context first.
final class ErrorCounter: Sendable {
    private let reported = Atomic<Int>(0)

    /// Number of errors logged so far.
    var errors: Int { reported.load(ordering: .relaxed) }

    /// Whether nothing was logged so far.
    var isZero: Bool { errors == 0 }

    /// For the opaque field of a demuxer's context.
    var opaque: UnsafeMutableRawPointer {
        LibavLog.install
        return unsafe Unmanaged.passUnretained(self).toOpaque()
    }

    /// Counts an error.
    fileprivate func count() { reported.add(1, ordering: .relaxed) }
}

/// Collects what one decoder logs, by the packet that it was decoding. Several threads decode several packets at once, and each has a
/// copy of the context: FFmpeg copies the opaque field to it when it takes the packet. FFmpeg's context refers to this; the owner of both
/// frees the context first.
///
/// `@unchecked Sendable`: a slot is written before its packet is sent, and read while the packet is decoded.
@safe final class DecoderLog: @unchecked Sendable {
    /// The log and the packet that a context refers to.
    @safe fileprivate struct Slot {
        let log: Unmanaged<DecoderLog>
        var packet: Int
    }
    /// More than there are packets in a decoder at once.
    private static let count = 256
    private let slots: UnsafeMutablePointer<Slot>
    private let lines = Mutex<[DecoderReport]>([])
    private let reported = Atomic<Int>(0)

    init() {
        unsafe slots = UnsafeMutablePointer<Slot>.allocate(capacity: DecoderLog.count)
        unsafe slots.initialize(
            repeating: Slot(log: Unmanaged.passUnretained(self), packet: 0), count: DecoderLog.count)
        LibavLog.install
    }

    deinit { unsafe slots.deallocate() }

    /// Number of errors logged so far.
    var errors: Int { reported.load(ordering: .relaxed) }

    /// For the opaque field of a decoder's context, until the packet after this one is sent.
    /// - Parameter packet: its number.
    func opaque(for packet: Int) -> UnsafeMutableRawPointer {
        let slot = unsafe slots + packet % DecoderLog.count
        unsafe slot.pointee.packet = packet
        return UnsafeMutableRawPointer(slot)
    }

    /// Returns the lines since the last call, once for each packet and kind.
    func take() -> [DecoderReport] {
        lines.withLock { lines in
            defer { lines = [] }
            return lines
        }
    }

    fileprivate func add(_ packet: Int, isError: Bool) {
        if isError { reported.add(1, ordering: .relaxed) }
        let line = DecoderReport(packet: packet, isConcealment: !isError)
        lines.withLock { lines in
            // Damaged packets log a line for each of their blocks.
            if !lines.contains(line) { lines.append(line) }
        }
    }
}

/// An error that a decoder logged, or that it concealed errors.
public struct DecoderReport: Hashable, Sendable {
    /// The number of the packet that it was decoding.
    public let packet: Int
    /// The frame shows concealed errors. Otherwise it may be harmless: missing references of frames after the start position.
    public let isConcealment: Bool
}

extension LibavLog {
    /// Records a message for its context, if the context is one of ours.
    fileprivate static func record(_ context: UnsafeMutableRawPointer, isError: Bool) {
        // Every logging context begins with its class.
        let kind = unsafe context.load(as: UnsafePointer<AVClass>?.self)
        if unsafe kind == avcodec_get_class() {
            guard
                let opaque = unsafe context.assumingMemoryBound(to: AVCodecContext.self).pointee.opaque
            else { return }
            let slot = unsafe opaque.assumingMemoryBound(to: DecoderLog.Slot.self).pointee
            unsafe slot.log.takeUnretainedValue().add(slot.packet, isError: isError)
        } else if unsafe kind == avformat_get_class(), isError {
            guard
                let opaque = unsafe context.assumingMemoryBound(to: AVFormatContext.self).pointee.opaque
            else { return }
            unsafe Unmanaged<ErrorCounter>.fromOpaque(opaque).takeUnretainedValue().count()
        }
    }
}
