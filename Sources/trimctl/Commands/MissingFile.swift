// Remedies for a missing file: the nearest name in its folder, in case of a typing error.
internal import Media
internal import Text

/// Remedies for missing files.
enum MissingFile {
    /// The nearest name in the path's folder, as a remedy; nil if none is near, or the folder does not exist.
    static func remedy(for path: String) -> String? {
        let name = BatchNames.last(path)
        if name == StandardStreams.word {
            return "only export and batch read standard input: write it to a file first"
        }
        if isOwnDescriptor(path) {
            return "trimd cannot open the files of another program: pipe it into trimctl export -"
        }
        let near = nearestNames(
            to: name, in: FileSystem.names(in: BatchNames.folder(of: path)).filter { $0 != name }
        ).first
        return near.map { "did you mean '\($0)'?" }
    }

    /// Whether a path means a file that another process opened, as the shell's `<(command)` does.
    private static func isOwnDescriptor(_ path: String) -> Bool {
        path.hasPrefix("/dev/fd/") || path.hasPrefix("/proc/self/fd/")
    }

    /// An error with that remedy, if it is about a missing input and has no remedy.
    static func advised(_ error: MediaError, inputs: [String]) -> MediaError {
        guard error.code == .fileNotFound, error.remedy == nil,
            let missing = inputs.first(where: { isOwnDescriptor($0) || !FileSystem.exists($0) }),
            let remedy = remedy(for: missing)
        else { return error }
        var advised = error
        advised.remedy = remedy
        return advised
    }
}
