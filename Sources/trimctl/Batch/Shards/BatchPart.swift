// BatchPart: which exports of a list a run with --shard does, and where it is locked: in --output-dir, otherwise beside the first of
// its outputs. Both follow from the list and the command line alone, so that all runs of the shard agree.
internal import Lists
internal import Media
internal import Text

/// The part of a list that a shard does.
struct BatchPart {
    let shard: Shard
    /// Its exports, by their position in the list, from 1.
    let indices: Set<Int>
    /// Why it cannot be locked, for a list that has no other fault; nil: it can.
    private(set) var missingFolder: MediaError?
    private let list: BatchList
    private let surroundings: Surroundings
    /// The folder of the hidden one; nil: nothing is written.
    private var folder: String?
    private let waits: Bool

    /// Divides a list.
    init(_ list: BatchList, _ shard: Shard, _ arguments: Arguments, _ surroundings: Surroundings) {
        (self.list, self.shard, self.surroundings) = (list, shard, surroundings)
        waits = arguments.has(.resume)
        let shards = ShardAssignment.shards(of: list.list, count: shard.count)
        let own = shards.indices.filter { shards[$0] == shard.index }
        indices = Set(own.map { $0 + 1 })
        guard let first = own.first.map({ list.list.exports[$0] }), !arguments.has(.dryRun) else { return }
        folder = list.outputFolder ?? Self.folder(of: first, list, arguments, surroundings)
        if list.outputFolder == nil, let missing = folder, !BatchNames.isFolder(missing) {
            missingFolder = MediaError(.notAFolder, "there is no folder \(missing)", remedy: "make it first")
            folder = nil
        }
    }

    /// Takes the shard's lock; nil where nothing is written.
    func begin() throws(MediaError) -> ShardRun? {
        guard let folder else { return nil }
        let hidden = (folder == "/" ? "" : folder) + "/" + ShardFiles.name
        return try ShardRun(
            ShardFiles(folder: hidden, list: list.digest, shard: shard), of: list.path, waits: waits,
            surroundings)
    }

    /// The part, for its report.
    var report: BatchReport.Part {
        BatchReport.Part(
            index: shard.index, count: shard.count, list: list.digest, total: list.list.exports.count)
    }

    /// The folder of a line's output, as its names say it; nil: it has no source.
    private static func folder(
        of export: ListedExport, _ list: BatchList, _ arguments: Arguments, _ surroundings: Surroundings
    ) -> String? {
        if let output = export.output {
            return BatchNames.folder(of: output.isAbsolutePath ? output : list.folder + "/" + output)
        }
        let given = arguments.given(.batchInput)
        let named = export.isClipName ? given ?? export.input : export.input ?? given
        guard let named else { return nil }
        if named == given { return BatchNames.folder(of: surroundings.absolute(named)) }
        return BatchNames.folder(of: named.isAbsolutePath ? named : list.folder + "/" + named)
    }
}
