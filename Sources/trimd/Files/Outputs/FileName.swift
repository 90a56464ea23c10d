// FileName: makes names that fit a file system: at most 255 bytes, cut between characters, the ending kept. Pure.
internal import Media
internal import Text

/// Builds file names from their parts.
enum FileName {
    /// The longest name, in bytes.
    static let limit = 255

    /// `base` and `ending`; shortens the base at its end if the name is too long.
    static func fitted(_ base: String, _ ending: String, limit: Int = FileName.limit) -> String {
        var base = base[...]
        while String(base).nameLength + ending.utf8.count > limit, !base.isEmpty { base.removeLast() }
        return base + ending
    }

    /// The default name of an output: `stem.ext`, then `stem-2.ext`, `stem-3.ext` and so on.
    static func numbered(_ stem: String, _ number: Int, _ fileType: String) -> String {
        fitted(stem, (number > 1 ? "-\(number)" : "") + "." + fileType)
    }

    /// The name of an output while an attempt writes it. It follows from the job's row alone, so that recovery after a crash
    /// finds the file.
    static func temporary(for name: String, job: Int64, attempt: Int) -> String {
        "." + fitted(name, ".trimd-\(job)-\(attempt).part", limit: limit - 1)
    }

    /// A name without its extension; a name whose only dot is its first character has none.
    static func stem(of name: String) -> String {
        guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return name }
        return String(name[..<dot])
    }

    /// A name's extension in lower case, without the dot; empty if it has none.
    static func fileExtension(of name: String) -> String {
        guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return "" }
        return name[name.index(after: dot)...].lowercased()
    }

    /// The folder and the last component of an absolute path; nil if it has no last component.
    static func split(_ path: String) -> (folder: String, name: String)? {
        guard let slash = path.lastSlash else { return nil }
        let name = path.behind(slash)
        guard !name.isEmpty, name != ".", name != ".." else { return nil }
        return (slash == path.startIndex ? "/" : String(path[..<slash]), name)
    }

    /// The folder and the stem of an output without a name: beside the input, or in the folder that a path with a trailing
    /// slash names. Nil if the user named the output.
    static func unnamed(_ output: String?, input: String, suffix: String) throws(MediaError) -> (
        folder: String, stem: String
    )? {
        if let output, !output.endsInSlash { return nil }
        guard let (beside, name) = split(input) else {
            throw MediaError(.invalidRequest, "the path of the input has no name: '\(input)'")
        }
        let folder = output.map { "/" + $0.pathNames.joined(separator: "/") }
        return (
            folder.map { $0.isEmpty ? "/" : $0 } ?? beside, fitted(stem(of: name), suffix, limit: limit - 16)
        )
    }
}
