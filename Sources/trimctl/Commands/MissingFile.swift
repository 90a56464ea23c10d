// Remedies for a missing file: the nearest name in its folder, in case of a typing error.
internal import Media
internal import Text

/// Remedies for missing files.
enum MissingFile {
    /// The nearest name in the path's folder, as a remedy; nil if none is near, or the folder does not exist.
    static func remedy(for path: String) -> String? {
        let near = nearestNames(
            to: BatchNames.last(path),
            in: FileSystem.names(in: BatchNames.folder(of: path))
        ).first
        return near.map { "did you mean '\($0)'?" }
    }

    /// An error with that remedy, if it is about a missing input and has no remedy.
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
