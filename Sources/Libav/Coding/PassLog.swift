// The statistics of a first pass for the second. Stored in memory, since a worker cannot open files. Created before the first
// pass and kept as long as needed; encoders on any queue read and write it under a lock.
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

    deinit { unsafe trim_passlog_close(name) }

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
