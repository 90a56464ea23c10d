// MemoryFile: a file in memory that a worker writes and a client receives as a descriptor. The worker's limits bound its size.
// It is sealed before it leaves the daemon, so that what was checked is what the client reads. The last reference closes it.
internal import CLinux
internal import Glibc
internal import Media
internal import Platform

/// A file without a name.
final class MemoryFile: Sendable {
    private let file: Descriptor

    /// Creates an empty file.
    init() throws(MediaError) {
        do throws(SystemError) {
            file = Descriptor(
                adopting: try SystemError.check("making", "a file in memory") {
                    unsafe trim_memfd_create_sealable("trimd-preview")
                })
        } catch { throw MediaError(.outOfMemory, "\(error)", remedy: "try again when less is running") }
    }

    /// The descriptor, borrowed: valid while this object is referenced.
    var descriptor: Int32 { file.rawValue }

    /// The bytes that a worker has written, up to a number of bytes.
    func read(upTo limit: Int) throws(MediaError) -> [UInt8] {
        let size = min(limit, max(0, Int(lseek(descriptor, 0, SEEK_END))))
        do throws(SystemError) { return try Kernel.read(file, size, at: 0) } catch {
            throw MediaError(.inputOutput, "reading the worker's file: \(error)")
        }
    }

    /// Seals the file, once the worker has ended.
    /// - Parameter bytes: the size that the worker reported.
    func seal(bytes: Int64) throws(MediaError) {
        guard trim_memfd_seal(descriptor) == 0, bytes > 0, lseek(descriptor, 0, SEEK_END) == off_t(bytes),
            lseek(descriptor, 0, SEEK_SET) == 0
        else {
            throw MediaError(.verificationFailed, "the worker's file is not the one that it reported")
        }
    }
}
