// JobStore's names: which output's name belongs to which unfinished job. A name is kept in the transaction that accepts its
// job and is free again when the job has ended, so that of jobs that wait each shows the name that it will get.
public import Media

extension JobStore {
    /// The numbers behind a stem that unfinished jobs have, 1 for the stem alone.
    public func takenNumbers(_ folder: String, _ stem: String) throws(MediaError) -> Set<Int> {
        try read { table in
            let prefix = OutputName.key(folder, stem)
            let rows = try Statement(
                table.database,
                "SELECT reserved FROM jobs WHERE ended IS NULL AND reserved >= ? AND reserved < ?",
                [.text(prefix), .text(prefix + "/")])
            var numbers: Set<Int> = []
            while try rows.step() {
                guard let key = rows.text(0) else { continue }
                let rest = key.dropFirst(prefix.count).prefix { $0 != "." }
                if rest.isEmpty { numbers.insert(1) }
                if rest.first == "-", let number = Int(rest.dropFirst()) { numbers.insert(number) }
            }
            return numbers
        }
    }
}

extension Job {
    /// The folder of its output, as its name is kept.
    var nameFolder: String {
        guard let nameKey, let slash = nameKey.lastSlash else { return request.output.folder }
        return slash == nameKey.startIndex ? "/" : String(nameKey[..<slash])
    }

    /// The name it is to have where it is tried again: its old number first. What lies on the disk shows when the output gets
    /// its name.
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
    /// Whatever has its name is replaced.
    var replaces: Bool { overwrite && name != nil }
}
