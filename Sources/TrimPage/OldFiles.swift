// Keeps a folder of the page's own within a number of bytes. Any thread; a file that goes meanwhile is no error.
internal import Glibc
internal import Platform
internal import Text

/// The files of a folder that were not used for longest.
enum OldFiles {
    /// Removes files from a folder, those first that were not used for longest, until the rest is within a limit in bytes. Hidden files
    /// and folders in it stay.
    static func remove(in folder: String, beyond limit: Int64) {
        var all: [(path: String, used: timespec, size: Int64)] = []
        for name in Kernel.names(in: folder) where !name.hasPrefix(".") {
            var raw = stat()
            let path = folder + "/" + name
            guard unsafe lstat(path.nameBytes, &raw) == 0, raw.st_mode & S_IFMT == S_IFREG else { continue }
            all.append((path, raw.st_mtim, Int64(raw.st_size)))
        }
        var sum = all.reduce(0) { $0 + $1.size }
        for file in all.sorted(by: {
            ($0.used.tv_sec, $0.used.tv_nsec) < ($1.used.tv_sec, $1.used.tv_nsec)
        }) where sum > limit {
            try? Kernel.remove(file.path)
            sum -= file.size
        }
    }
}
