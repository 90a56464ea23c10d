// JobStore, names: which output name is reserved for which unfinished job. A name is reserved in the transaction that accepts
// its job and is free again when the job has ended, so that each waiting job shows its final name.
public import Media
internal import Text

extension JobStore {
    /// The numbers of a stem that unfinished jobs have reserved, 1 for the stem alone.
    public func takenNumbers(_ folder: String, _ stem: String) throws(MediaError) -> Set<Int> {
        try read { table in
            let prefix = OutputName.key(table.paths.stored(folder), stem)
            let rows = try table.database.rows(
                "SELECT reserved FROM jobs WHERE ended IS NULL AND reserved >= ? AND reserved < ?",
                [.text(prefix), .text(prefix + "/")])
            var numbers: Set<Int> = []
            for row in rows {
                guard let key = row.text(0) else { continue }
                let rest = key.dropFirst(prefix.count).prefix { $0 != "." }
                if rest.isEmpty { numbers.insert(1) }
                if rest.first == "-", let number = Int(rest.dropFirst()) { numbers.insert(number) }
            }
            return numbers
        }
    }
}

extension Job {
    /// The folder of its output, from its reserved name.
    var nameFolder: String {
        guard let nameKey, let slash = nameKey.lastSlash else { return request.output.folder }
        return slash == nameKey.startIndex ? "/" : String(nameKey[..<slash])
    }

    /// The name to reserve for a retry: its old number first. Publishing checks which names exist on the disk.
    var nameAgain: OutputName {
        let output = request.output
        if let name = output.name {
            return .named(folder: nameFolder, name: name, replaces: output.replaces)
        }
        return .numbered(
            folder: nameFolder, stem: output.stem, free: [output.number ?? 1] + Array(1...999),
            fileTypes: request.preset.allFileTypes)
    }
}

extension OutputTarget {
    /// Whether an existing file with its name is replaced.
    var replaces: Bool { overwrite && name != nil }
}
