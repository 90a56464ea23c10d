// The files of a shard: in a hidden folder beside the outputs, so that every host that writes outputs sees them. Names only.
internal import Lists
internal import Media
internal import Text

/// Where a shard's lock and record are.
struct ShardFiles: Hashable, Sendable {
    /// The hidden folder's name, and the ends of the files' names.
    static let name = ".trimd-batch", record = ".jsonl", lock = ".lock"

    /// The hidden folder.
    let folder: String
    /// The list's identity: its content and the options that say what it means.
    let list: String
    let shard: Shard

    /// The lock of the shard, and its record.
    var lock: String { "\(folder)/\(list)-\(shard.index)-of-\(shard.count)\(Self.lock)" }
    var record: String { "\(folder)/\(list)-\(shard.index)-of-\(shard.count)\(Self.record)" }

    /// Whether a file is the lock of a shard of the same list divided into another number of shards.
    func isRival(_ name: String) -> Bool {
        name.hasPrefix(list + "-") && name.hasSuffix(Self.lock)
            && !name.hasSuffix("-of-\(shard.count)\(Self.lock)")
    }

    /// The identity of a list for all who run it: of its bytes and of the options that change what it asks for.
    static func identity(_ bytes: [UInt8], _ arguments: Arguments) -> String {
        let options: [Option] =
            [
                .format, .batchRate, .join, .batchInput, .batchPreset, .presetFile, .render, .snap, .round,
                .name,
            ]
            + Option.export(for: .lists)
        let words = options.map { "\($0.name) \(arguments.has($0) ? "\(arguments.spelled($0))" : "")" }
        return BatchKey.hash(words.joined(separator: "\n") + "\n" + String(decoding: bytes, as: UTF8.self))
    }
}
