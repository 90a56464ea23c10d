// Handles all of FFmpeg's return codes. Negative codes become LibavError only here; "again" and "end of file" are not errors but
// cases of the calls that return them.
internal import CFFmpeg

/// A failed FFmpeg call: the act, and FFmpeg's code and text for the cause.
public struct LibavError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The attempted action, such as `opening the decoder h264`.
    public let act: String
    /// FFmpeg's code; a negative errno or an FFmpeg-specific value.
    public let code: Int32
    /// FFmpeg's text for the code.
    public let cause: String

    /// An error from a return code.
    public init(_ act: String, code: Int32) {
        self.act = act
        // An encoder's library reports only a failure; where memory is exhausted, that is the cause.
        let isMemory = code == trim_error_external && !LibavError.hasMemory
        self.code = isMemory ? trim_averror(12) : code
        cause = LibavError.words(for: self.code)
    }

    /// Whether there is memory for one or two frames.
    private static var hasMemory: Bool {
        guard let room = unsafe av_malloc(16 << 20) else { return false }
        unsafe av_free(room)
        return true
    }

    /// An error detected by trimd in the output or capabilities of FFmpeg.
    public init(_ act: String, cause: String) {
        self.act = act
        code = trim_error_invaliddata
        self.cause = cause
    }

    /// `opening the decoder h264: Invalid data found when processing input`.
    public var description: String { "\(act): \(cause)" }

    /// The errno inside the code, where it is one.
    public var errno: Int32? { code < 0 && code > -4096 ? -code : nil }

    /// Returns success codes and throws the others.
    @discardableResult
    static func check(_ code: Int32, _ act: @autoclosure () -> String) throws(LibavError) -> Int32 {
        guard code >= 0 else { throw LibavError(act(), code: code) }
        return code
    }

    /// The result of an allocation, which must not be nil.
    static func allocated<T: ~Copyable>(
        _ pointer: UnsafeMutablePointer<T>?, _ what: String
    ) throws(LibavError) -> UnsafeMutablePointer<T> {
        guard let pointer = unsafe pointer else {
            throw LibavError("allocating \(what)", code: trim_averror(12))
        }
        return unsafe pointer
    }

    private static func words(for code: Int32) -> String {
        var buffer = [CChar](repeating: 0, count: 128)
        _ = unsafe av_strerror(code, &buffer, buffer.count)
        return string(buffer)
    }

    /// The text up to the first NUL.
    private static func string(_ buffer: [CChar]) -> String {
        String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}

/// A C string that may be nil.
func text(_ pointer: UnsafePointer<CChar>?) -> String? {
    guard let pointer = unsafe pointer else { return nil }
    return unsafe String(cString: pointer)
}
