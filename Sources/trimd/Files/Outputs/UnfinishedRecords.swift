// UnfinishedRecords: the paths of temporary files by key, in a file that takes a record for each that begins and for each that is gone,
// by one append and without a sync; it is emptied with the last. A file for each record would take two inodes of the file system
// for each job, and file systems search long for an inode while many were deleted recently. A record of an end that cannot be
// written stays: who sweeps finds no file under its path. Confined to its owner; it opens and removes no file but its own.
internal import Glibc
internal import Platform
internal import Text

/// Records in one file.
struct UnfinishedRecords: ~Copyable {
    private let path: String
    private var file: Descriptor
    /// Bytes of the file.
    private var size = 0
    /// The recorded paths by key.
    private(set) var paths: [String: String] = [:]

    /// A file of more bytes is written anew.
    private static let most = 64 << 10

    /// Opens the file, or creates it, and reads what it has.
    init(_ path: String) throws(SystemError) {
        let opened = try Descriptor(opening: path, O_RDWR | O_CREAT | O_APPEND | O_NOFOLLOW, mode: 0o600)
        let bytes = try UnfinishedRecords.contents(opened)
        self.path = path
        file = opened
        size = bytes.count
        for record in bytes.split(separator: 0) { take(record) }
    }

    private static func contents(_ file: borrowing Descriptor) throws(SystemError) -> [UInt8] {
        var bytes: [UInt8] = []
        while true {
            let more = try Kernel.read(file, most, at: Int64(bytes.count))
            guard !more.isEmpty else { return bytes }
            bytes += more
        }
    }

    /// Records a path under a key, which has no space.
    /// - Returns: whether the file has the record.
    @discardableResult
    mutating func add(_ key: String, _ path: String) -> Bool {
        paths[key] = path
        return append(UnfinishedRecords.addition(key, path))
    }

    /// Removes the record of a key, if there is one.
    mutating func remove(_ key: String) {
        guard paths.removeValue(forKey: key) != nil else { return }
        if paths.isEmpty, (try? Kernel.cut(file, to: 0, path)) != nil {
            size = 0
            return
        }
        _ = append([0, UInt8(ascii: "-")] + Array(key.utf8) + [0])
        if size > UnfinishedRecords.most { shorten() }
    }

    /// Between bytes 0, which no path has: a record that a full disk cut off spoils no other.
    private static func addition(_ key: String, _ path: String) -> [UInt8] {
        [0, UInt8(ascii: "+")] + Array(key.utf8) + [UInt8(ascii: " ")] + PathBytes.bytes(path) + [0]
    }

    private mutating func take(_ record: ArraySlice<UInt8>) {
        let rest = record.dropFirst()
        switch record.first {
        case UInt8(ascii: "+"):
            guard let space = rest.firstIndex(of: UInt8(ascii: " ")) else { return }
            paths[String(decoding: rest[..<space], as: UTF8.self)] = PathBytes.text(rest[(space + 1)...])
        case UInt8(ascii: "-"): paths[String(decoding: rest, as: UTF8.self)] = nil
        default: break
        }
    }

    /// Without its record a temporary file may stay after a crash; no job fails for that.
    private mutating func append(_ record: [UInt8]) -> Bool {
        size += record.count
        return (try? Kernel.write(record, to: file, path)) != nil
    }

    /// Writes the file anew with what is still recorded.
    private mutating func shorten() {
        let records = paths.flatMap { UnfinishedRecords.addition($0.key, $0.value) }
        // Grows to twice its length before the next time.
        guard records.count < UnfinishedRecords.most / 2 else { return }
        do throws(SystemError) {
            let new = path + ".new"
            let shorter = try Descriptor(
                opening: new, O_RDWR | O_CREAT | O_TRUNC | O_APPEND | O_NOFOLLOW, mode: 0o600)
            try Kernel.write(records, to: shorter, new)
            try Kernel.rename(new, to: path)
            file = shorter
            size = records.count
        } catch {
            // It grows until this succeeds.
        }
    }
}
