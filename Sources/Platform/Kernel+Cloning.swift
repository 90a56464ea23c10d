// The calls that give a file bytes of another one: as the same blocks, or as copies.
internal import CLinux
internal import Glibc

extension Kernel {
    /// Gives a file blocks of another one, both by their descriptors, which then share them on the disk until one of the two is written to there (FICLONERANGE).
    /// Offsets and length are whole blocks. EOPNOTSUPP, EXDEV or EINVAL where the file system does not share them.
    public static func clone(
        _ length: Int64, of source: Int32, at offset: Int64, to file: Int32, at place: Int64
    ) throws(SystemError) {
        try SystemError.check("cloning blocks for", "descriptor \(file)") {
            trim_clone_range(file, place, source, offset, length)
        }
    }

    /// Bytes copied at a time where the kernel copies none between two files.
    private static let piece = 1 << 20

    /// Copies bytes of a file to another one.
    /// - Returns: how many; fewer only where the source ends.
    public static func copy(
        _ length: Int64, of source: Int32, at offset: Int64, to file: Int32, at place: Int64
    ) throws(SystemError) -> Int64 {
        var done: Int64 = 0
        var isInKernel = true
        while done < length {
            if isInKernel {
                do throws(SystemError) {
                    let count = try SystemError.check("copying to", "descriptor \(file)") {
                        trim_copy_file_range(source, offset + done, file, place + done, Int(length - done))
                    }
                    guard count > 0 else { return done }
                    done += Int64(count)
                    continue
                } catch {
                    guard [EXDEV, EINVAL, EOPNOTSUPP, ENOSYS].contains(error.code) else { throw error }
                    isInKernel = false
                }
            }
            var bytes = [UInt8](repeating: 0, count: Int(min(Int64(piece), length - done)))
            let from = Int(offset + done)
            let got = try SystemError.check("reading", "descriptor \(source)") {
                unsafe pread(source, &bytes, bytes.count, from)
            }
            guard got > 0 else { return done }
            var rest = bytes[..<got]
            while !rest.isEmpty {
                let at = Int(place + done)
                let count = try SystemError.check("writing to", "descriptor \(file)") {
                    unsafe rest.withUnsafeBytes { unsafe pwrite(file, $0.baseAddress, $0.count, at) }
                }
                rest = rest.dropFirst(count)
                done += Int64(count)
            }
        }
        return done
    }

    /// The size of a block of the file system that holds a file, in bytes.
    public static func blockSize(of file: borrowing Descriptor) throws(SystemError) -> Int64 {
        let raw = file.rawValue
        var found = statvfs()
        try SystemError.check("asking for the blocks of", "the file system") {
            unsafe fstatvfs(raw, &found)
        }
        return Int64(clamping: UInt64(found.f_bsize))
    }
}
