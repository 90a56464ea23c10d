// The files of a worker's request, as descriptors, and the memory that its encoders may use.
internal import Glibc
internal import Libav
internal import Media
internal import Platform
internal import Text

extension WorkerProgram {
    /// Takes the descriptor of the output or of the second file.
    func take(_ descriptors: Descriptors, _ index: Int, _ what: String) throws(MediaError) -> Int32 {
        guard let found = descriptors.take(index)?.release() else {
            throw MediaError(.invalidRequest, "no descriptor of \(what) came")
        }
        return found
    }

    func file(_ descriptor: Int32, _ name: String) -> SourceFile {
        SourceFile(descriptor: descriptor, size: size(of: descriptor), name: name)
    }

    func size(of descriptor: Int32) -> Int64 {
        let here = lseek(descriptor, 0, SEEK_END)
        return max(0, Int64(here))
    }

    /// Bytes an encoder may use: three quarters of the address space; the rest is libraries, stacks and decoded frames.
    var encoderMemory: Int64 {
        let space = SandboxLimits(.transcode, sandbox, processors: LibavThreads.available).memory
        return Int64(clamping: min(space, SandboxSeal.physicalMemory) / 4 * 3)
    }

    func name(of path: String) -> String { path.pathNames.last ?? path }
}
