// What to do about a file that is not there: the nearest name in its folder, for whoever mistyped one.
internal import Media

/// Advice about files that are not there.
enum MissingFile {
    /// The name in its folder that a path comes nearest to, as a remedy; nil where none is near, or the folder is not there.
    static func remedy(for path: String) -> String? {
        let near = nearestNames(
            to: BatchNames.last(path),
            in: FileSystem.names(in: BatchNames.folder(of: path))
        ).first
        return near.map { "did you mean '\($0)'?" }
    }

    /// An error with that advice, where it is about an input that is not there and says nothing better.
    static func advised(_ error: MediaError, inputs: [String]) -> MediaError {
        guard error.code == .fileNotFound, error.remedy == nil,
            let missing = inputs.first(where: { !FileSystem.exists($0) }),
            let remedy = remedy(for: missing)
        else { return error }
        var advised = error
        advised.remedy = remedy
        return advised
    }
}
