// ShardJournal: what the runs of a shard began and completed, as lines of JSON beside the outputs: a run on another host, whose trimd
// knows nothing of it, does not do it again. One line a step, on the disk before the step is taken; a torn line is ignored.
internal import Glibc
internal import Media
internal import Platform
internal import Text
internal import Wire

/// The record of a shard's exports.
final class ShardJournal {
    /// One line.
    private struct Line: Codable {
        var began: String?
        var completed: String?
        /// The private trimd that was to do it; nil: a running one.
        var queue: String?
        /// A file with the output's name was there, and is to be replaced.
        var replaces: Bool?
        @SpelledPath var output: String
        var export: BatchReport.Export?
    }

    /// The record of an export.
    enum Entry {
        /// It was begun by a run that did not see its end; the name was free, or a file with it is to be replaced.
        case began(output: String, queue: String?, replaces: Bool)
        /// It was completed.
        case completed(BatchReport.Export)
    }

    private let path: String
    private let file: Descriptor
    private var entries: [String: Entry] = [:]
    /// The private trimd of this run, told from those of other runs and hosts; nil: a running one.
    var queue: String?

    /// Opens the record of a shard, and reads those of all shards in its folder: the list may have been divided otherwise.
    init(_ path: String) throws(MediaError) {
        self.path = path
        do throws(SystemError) {
            file = try Descriptor(opening: path, O_RDWR | O_CREAT | O_APPEND | O_NOFOLLOW, mode: 0o666)
            // A line that was torn by a crash ends here.
            if let size = FileSystem.status(path)?.size, size > 0,
                try Kernel.read(file, 1, at: size - 1) != [0x0A]
            {
                try Kernel.write([0x0A], to: file, path)
            }
        } catch {
            throw MediaError(.notWritable, "opening the record of the shard: \(error)")
        }
        let folder = BatchNames.folder(of: path)
        for name in FileSystem.names(in: folder).sorted() where name.hasSuffix(ShardFiles.record) {
            read("\(folder)/\(name)")
        }
    }

    /// A name for the queue of a private trimd that no other has, on this host or another.
    static func queue(at state: String?) -> String {
        let folder = state.flatMap(FileSystem.status).map { "\($0.device) \($0.inode)" }
        return "\(ProcessTable.boot) \(folder ?? String(UInt64.random(in: .min ... .max), radix: 36))"
    }

    /// The record of the export with a key.
    func entry(_ key: String?) -> Entry? { key.flatMap { entries[$0] } }

    /// Records that an export is going to be submitted.
    func begin(_ item: BatchItem) throws(MediaError) {
        guard let key = item.shardKey else { return }
        // Its trimd ended with it: the lock is ours.
        if case .began(let output, let other?, _)? = entries[key], other != queue {
            ShardStrays.remove(of: output)
        }
        try append(Line(began: key, queue: queue, replaces: item.request.overwrite, output: item.output))
    }

    /// Records that an export was completed.
    func complete(_ item: BatchItem) throws(MediaError) {
        guard let key = item.shardKey else { return }
        var export = BatchReport.export(item)
        export.job = nil
        try append(Line(completed: key, output: item.output, export: export))
    }

    private func append(_ line: Line) throws(MediaError) {
        do {
            let bytes = try JSONValue(encoding: line).encoded + [0x0A]
            try Kernel.write(bytes, to: file, path)
            try Kernel.sync(file, path)
        } catch {
            throw MediaError(
                .notWritable, "recording in the shard's \(path): \(error)", remedy: "make room there")
        }
    }

    private func read(_ path: String) {
        guard let bytes = try? FileSystem.contents(path) else { return }
        for text in bytes.split(separator: 0x0A) {
            guard let line: Line = try? JSONValue(parsing: Array(text)).decode() else { continue }
            if let key = line.completed, let export = line.export {
                entries[key] = .completed(export)
            } else if let key = line.began {
                entries[key] = .began(
                    output: line.output, queue: line.queue, replaces: line.replaces == true)
            }
        }
    }
}
