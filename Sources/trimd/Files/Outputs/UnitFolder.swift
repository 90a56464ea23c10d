// UnitFolder: the files of a job's units, hidden beside its unfinished output. Their names follow from the job and the unit alone,
// so that a later attempt finds them. It holds the folder open, so that all are in the same one whatever happens to its path.
// Used on the job's queue; `OpenUnitFile.sync` on any.
internal import Glibc
internal import JobQueue
internal import Media
internal import Platform
internal import Wire

/// The files of one job's units.
final class UnitFolder: Sendable {
    private let folder: OutputFolder
    private let target: OutputTarget
    private let job: Int64

    /// No unit has a higher number.
    static let highest = 999_999

    /// The files of a job; throws if its folder is gone or another one.
    init(of job: Job) throws(MediaError) {
        folder = try OutputFolder.of(job.request.output)
        target = job.request.output
        self.job = job.id
    }

    private func name(_ number: Int) -> String {
        FileName.unit(for: target.name ?? target.stem, job: job, number: number)
    }

    /// Creates the empty file of a unit, with access for its owner only; an older one is removed.
    func create(_ number: Int) throws(MediaError) -> OpenUnitFile {
        let name = name(number)
        let path = folder.path(of: name)
        return try folder.onOwnFile(name) { () throws(SystemError) in
            try folder.remove(name)
            let file = try Descriptor(
                opening: name, in: folder.descriptor, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, mode: 0o600)
            return OpenUnitFile(file, path)
        }
    }

    /// The file of a unit that is made; nil if it is not the one on record.
    func open(_ number: Int, recorded: FileIdentity) -> OpenUnitFile? {
        let name = name(number)
        guard let file = try? Descriptor(opening: name, in: folder.descriptor, O_RDONLY | O_NOFOLLOW),
            let status = try? FileStatus(of: file, name), status.sort == .file,
            status.identity.isUnchanged(since: recorded)
        else { return nil }
        return OpenUnitFile(file, folder.path(of: name))
    }

    /// Makes the names of created files survive a power loss.
    func syncFolder() throws(MediaError) { try folder.sync() }

    /// Throws if there is less space than so many bytes.
    func checkSpace(_ bytes: Int64) throws(MediaError) {
        let free = try forUser(folder.path) { () throws(SystemError) in
            try freeBytes(at: folder.descriptor)
        }
        guard free < bytes else { return }
        throw MediaError(
            .diskFull,
            "the parts of the output may need \(bytes / 1_000_000 + 1) MB beside it, and \(free / 1_000_000) MB are free in "
                + folder.path, remedy: "make room there")
    }

    /// Removes the file of a unit.
    func remove(_ number: Int) { try? folder.remove(name(number)) }

    /// Removes all files of the job's units but those of some numbers.
    func removeAll(but kept: Set<Int> = []) throws(MediaError) {
        let kept = Set(kept.map(name))
        try UnitFolder.remove(
            beginning: FileName.unitStart(for: target.name ?? target.stem, job: job), in: folder, but: kept)
    }

    /// Removes the files of units whose names begin so.
    static func remove(
        beginning start: String, in folder: borrowing OutputFolder, but kept: Set<String> = []
    ) throws(MediaError) {
        for name in Kernel.names(in: "/proc/self/fd/\(folder.descriptor.rawValue)")
        where FileName.isUnit(name, start) && !kept.contains(name) {
            try forUser(folder.path(of: name)) { () throws(SystemError) in try folder.remove(name) }
        }
    }
}

/// The file of one unit, open.
final class OpenUnitFile: Sendable {
    private let descriptor: Descriptor
    private let path: String

    fileprivate init(_ descriptor: consuming Descriptor, _ path: String) {
        self.descriptor = descriptor
        self.path = path
    }

    /// The number of its descriptor, valid as long as the file is held.
    var raw: Int32 { descriptor.rawValue }

    /// Its identity now.
    func identity() throws(MediaError) -> FileIdentity {
        try forUser(path) { () throws(SystemError) in try FileStatus(of: descriptor, path).identity }
    }

    /// Flushes its bytes to the disk. After an error they are lost.
    func sync() throws(MediaError) {
        try forUser(path) { () throws(SystemError) in try Kernel.sync(descriptor, path) }
    }
}

extension FileName {
    private static let digits = 6

    /// The name of the file of a job's unit. Numbers have as many digits each, so that a long name is cut alike.
    static func unit(for name: String, job: Int64, number: Int) -> String {
        let text = String(number)
        let zeros = String(repeating: "0", count: max(0, digits - text.utf8.count))
        return "." + fitted(name, ".trimd-\(job)-u\(zeros)\(text).part", limit: limit - 1)
    }

    /// What the names of all files of a job's units begin with.
    static func unitStart(for name: String, job: Int64) -> String {
        String(unit(for: name, job: job, number: 0).dropLast(digits + ".part".utf8.count))
    }

    /// Whether a name is that of a unit's file, beginning so.
    static func isUnit(_ name: String, _ start: String) -> Bool {
        guard name.hasPrefix(start), name.hasSuffix(".part") else { return false }
        let number = name.dropFirst(start.count).dropLast(".part".count)
        return number.utf8.count == digits
            && number.utf8.allSatisfy { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
    }
}
