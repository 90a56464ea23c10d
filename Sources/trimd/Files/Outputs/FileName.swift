// FileName: making names that a file system takes: at most 255 bytes, cut between characters, the end kept.
// Pure.
internal import Media

/// Names of files, from their parts.
enum FileName {
    /// The most bytes a name may have.
    static let limit = 255

    /// `base` and `ending`; where that is too long, the base loses characters at its end.
    static func fitted(_ base: String, _ ending: String, limit: Int = FileName.limit) -> String {
        var base = base[...]
        while String(base).nameLength + ending.utf8.count > limit, !base.isEmpty { base.removeLast() }
        return base + ending
    }

    /// The name of an output that the user gave none: `stem.ext`, then `stem-2.ext`, `stem-3.ext` and so on.
    static func numbered(_ stem: String, _ number: Int, _ fileType: String) -> String {
        fitted(stem, (number > 1 ? "-\(number)" : "") + "." + fileType)
    }

    /// The name that an output has while an attempt of a job writes it. It can be told from the job's row
    /// alone, so that what a crash left behind can be found.
    static func temporary(for name: String, job: Int64, attempt: Int) -> String {
        "." + fitted(name, ".trimd-\(job)-\(attempt).part", limit: limit - 1)
    }

    /// A name without its extension; one that begins with its only dot has none.
    static func stem(of name: String) -> String {
        guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return name }
        return String(name[..<dot])
    }

    /// A name's extension in lower case, without the dot; empty where there is none.
    static func fileExtension(of name: String) -> String {
        guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return "" }
        return name[name.index(after: dot)...].lowercased()
    }

    /// The folder and the last name of an absolute path; nil where it has no last name.
    static func split(_ path: String) -> (folder: String, name: String)? {
        guard let slash = path.lastSlash else { return nil }
        let name = path.behind(slash)
        guard !name.isEmpty, name != ".", name != ".." else { return nil }
        return (slash == path.startIndex ? "/" : String(path[..<slash]), name)
    }

    /// Where an output goes that its user gave no name: beside the input, or into the folder that a path ending in a slash
    /// names; and what its name begins with. Nil where the user did name it.
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
