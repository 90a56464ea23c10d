// The statistics of a first pass for the second. Stored in memory, since a worker cannot open files. Created before the first
// pass and kept as long as needed; encoders on any queue read and write it under a lock. It can be taken to another process as
// its parts.
internal import CFFmpeg
internal import CPassLog
internal import Synchronization

/// The statistics of a first pass.
public final class PassLog: Sendable {
    /// Maximum size of all statistics of a pass, in bytes.
    public static let most = 256 << 20

    /// Bytes of statistics per frame of a size with the macroblock tree, for encoders that keep one: two for each 16x16 block,
    /// and a line.
    public static func bytes(width: Int, height: Int) -> Int {
        512 + 2 * ((width + 15) / 16) * ((height + 15) / 16) * 4 / 3
    }

    private static let count = Atomic(0)

    /// The file name passed to x264 and x265.
    let name: String
    /// The statistics of libvpx.
    private let statistics = Mutex<String?>(nil)

    /// An empty log.
    public init() throws(LibavError) {
        let number = PassLog.count.add(1, ordering: .relaxed).newValue
        name = "\(TRIM_PASSLOG_PREFIX)\(number)-"
        let code = unsafe trim_passlog_open(name, PassLog.most)
        guard code == 0 else { throw LibavError("keeping statistics", code: trim_averror(code)) }
    }

    /// The log that has these parts.
    public convenience init(_ parts: [Part]) throws(LibavError) {
        try self.init()
        for part in parts {
            switch part.name {
            case PassLog.ownText: text = String(decoding: part.bytes, as: UTF8.self)
            case let suffix:
                guard PassLog.suffixes.contains(suffix) else {
                    throw LibavError("reading statistics", cause: "\(suffix) is no part of them")
                }
                let code = unsafe part.bytes.withUnsafeBytes {
                    unsafe trim_passlog_write(file + suffix, $0.baseAddress, $0.count)
                }
                guard code == 0 else { throw LibavError("keeping statistics", code: trim_averror(code)) }
            }
        }
    }

    deinit { unsafe trim_passlog_close(name) }

    /// A part of a log: one file of an encoder.
    public struct Part: Hashable, Sendable {
        /// The key that distinguishes it from the others.
        public var name: String
        /// Its contents.
        public var bytes: [UInt8]

        /// Creates a part.
        public init(name: String, bytes: [UInt8]) {
            self.name = name
            self.bytes = bytes
        }
    }

    /// The lines of x264 and x265, and the trees of macroblocks and of coding tree units.
    private static let suffixes = ["", ".mbtree", ".cutree"]
    /// The name of libvpx's part.
    private static let ownText = "text"

    /// The written bytes, part by part.
    public var parts: [Part] {
        var parts: [Part] = []
        for suffix in PassLog.suffixes {
            let size = unsafe trim_passlog_size(file + suffix)
            guard size > 0 else { continue }
            let bytes = unsafe [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
                count = unsafe trim_passlog_read(file + suffix, buffer.baseAddress, size)
            }
            parts.append(Part(name: suffix, bytes: bytes))
        }
        if let text { parts.append(Part(name: PassLog.ownText, bytes: Array(text.utf8))) }
        return parts
    }

    /// The lines of x264 and x265; empty: there are none.
    public var lines: [UInt8] { parts.first { $0.name.isEmpty }?.bytes ?? [] }

    /// libvpx's numbers, decoded; nil: there are none.
    public var records: [UInt8]? {
        guard let text else { return nil }
        // Four characters are three bytes.
        let most = text.utf8.count / 4 * 3 + 3
        var size: Int32 = 0
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: most) { buffer, count in
            size = unsafe av_base64_decode(buffer.baseAddress, text, Int32(clamping: most))
            count = Int(max(0, size))
        }
        return size < 0 ? nil : bytes
    }

    /// The first pass has ended, and its statistics are available.
    public var isComplete: Bool { unsafe trim_passlog_size(file) > 0 || statistics.withLock { $0 != nil } }

    /// The statistics file of x264 and x265.
    var file: String { name + "pass.log" }

    /// libvpx's statistics.
    var text: String? {
        get { statistics.withLock { $0 } }
        set { statistics.withLock { $0 = newValue } }
    }
}
