// What an encoder learns of the pictures in a first pass, for a second one. It lies in memory, since a worker can open no file.
// Made before the first pass, and kept as long as it may be needed; encoders on any queue read and write it under a lock.
internal import CFFmpeg
internal import CPassLog
internal import Synchronization

/// The statistics of a first pass.
public final class PassLog: Sendable {
    /// Bytes that all statistics of a pass may have.
    public static let most = 256 << 20

    /// Bytes of statistics a picture of a size may cost with the tree of its blocks, of those encoders that keep it: two for
    /// each 16x16, and a line.
    public static func bytes(width: Int, height: Int) -> Int {
        512 + 2 * ((width + 15) / 16) * ((height + 15) / 16) * 4 / 3
    }

    private static let count = Atomic(0)

    /// The name that x264 and x265 are told for a file of theirs.
    let name: String
    /// What libvpx hands over.
    private let statistics = Mutex<String?>(nil)

    /// An empty log.
    public init() throws(LibavError) {
        let number = PassLog.count.add(1, ordering: .relaxed).newValue
        name = "\(TRIM_PASSLOG_PREFIX)\(number)-"
        let code = unsafe trim_passlog_open(name, PassLog.most)
        guard code == 0 else { throw LibavError("keeping statistics", code: trim_averror(code)) }
    }

    deinit { unsafe trim_passlog_close(name) }

    /// The first pass is over, and its statistics are there.
    public var isComplete: Bool { unsafe trim_passlog_size(file) > 0 || statistics.withLock { $0 != nil } }

    /// The file of x264's and x265's.
    var file: String { name + "pass.log" }

    /// libvpx's statistics.
    var text: String? {
        get { statistics.withLock { $0 } }
        set { statistics.withLock { $0 = newValue } }
    }
}
