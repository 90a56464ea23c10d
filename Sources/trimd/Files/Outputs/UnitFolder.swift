// UnitFolder: the files of a job's units, hidden beside its unfinished output. Their names follow from the job, the unit and the
// number of its beginning, so that a later attempt and other nodes find them, and no two beginnings have the same file. It holds the folder open, so that all are in the same one whatever happens to its path.
// Used on its owner's queue; `OpenUnitFile.sync` on any.
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

    private func name(_ number: Int, _ claim: Int64) -> String {
        FileName.unit(for: target.name ?? target.stem, job: job, number: number, claim: claim)
    }

    /// Creates the empty file of a unit, with access for its owner only; an older one is removed. `notWritable` where the disk
    /// fails.
    func create(_ number: Int, claim: Int64) throws(MediaError) -> OpenUnitFile {
        let name = name(number, claim)
        let path = folder.path(of: name)
        return try OpenUnitFile.writing { () throws(MediaError) in
            try folder.onOwnFile(name) { () throws(SystemError) in
                try folder.remove(name)
                let file = try Descriptor(
                    opening: name, in: folder.descriptor, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, mode: 0o600)
                return OpenUnitFile(file, path)
            }
        }
    }

    /// The file of a unit that is made; nil if it is not the one on record.
    func open(_ unit: JobUnit) -> OpenUnitFile? {
        unit.file.flatMap { open(unit.number, claim: unit.claim, recorded: $0) }
    }

    /// The file of a beginning of a unit; nil if it is not the one on record.
    func open(_ number: Int, claim: Int64, recorded: FileIdentity) -> OpenUnitFile? {
        let name = name(number, claim)
        guard let file = try? Descriptor(opening: name, in: folder.descriptor, O_RDONLY | O_NOFOLLOW),
            let status = try? FileStatus(of: file, name), status.sort == .file,
            let now = try? recorded.digest == nil
                ? status.identity : status.identity.withDigest(of: file),
            now.isUnchanged(since: recorded)
        else { return nil }
        return OpenUnitFile(file, folder.path(of: name))
    }

    /// Makes the names of created files survive a power loss.
    func syncFolder() throws(MediaError) {
        try OpenUnitFile.writing { () throws(MediaError) in try folder.sync() }
    }

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

    /// Removes the file of a beginning of a unit.
    func remove(_ number: Int, claim: Int64) { try? folder.remove(name(number, claim)) }

    /// Removes all files of the job's units.
    func removeAll() throws(MediaError) { try removeAll { _ in false } }

    /// Removes all files of the job's units but those of some units, and of beginnings after `last`: others may make these.
    func removeAll(but kept: [JobUnit], after last: Int64) throws(MediaError) {
        let names = Set(kept.map { name($0.number, $0.claim) })
        try removeAll { names.contains($0) || FileName.claim(ofUnit: $0) > last }
    }

    private func removeAll(but isKept: (String) -> Bool) throws(MediaError) {
        try UnitFolder.remove(
            beginning: FileName.unitStart(for: target.name ?? target.stem, job: job), in: folder, but: isKept)
    }

    /// Removes the files of units whose names begin so.
    static func remove(
        beginning start: String, in folder: borrowing OutputFolder,
        but isKept: (String) -> Bool = { _ in false }
    ) throws(MediaError) {
        for name in Kernel.names(in: "/proc/self/fd/\(folder.descriptor.rawValue)")
        where FileName.isUnit(name, start) && !isKept(name) {
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

    /// The same, with the hash by which other machines know the file.
    func sharedIdentity() throws(MediaError) -> FileIdentity {
        try forUser(path) { () throws(SystemError) in
            try FileStatus(of: descriptor, path).identity.withDigest(of: descriptor)
        }
    }

    /// Flushes its bytes to the disk. After an error, `notWritable` where the disk fails, they are lost.
    func sync() throws(MediaError) {
        try OpenUnitFile.writing { () throws(MediaError) in
            try forUser(path) { () throws(SystemError) in try Kernel.sync(descriptor, path) }
        }
    }

    /// Writes to the output's file system: unlike other I/O errors, those of it are no unit's own.
    fileprivate static func writing<Result>(
        _ body: () throws(MediaError) -> Result
    ) throws(MediaError) -> Result {
        do throws(MediaError) { return try body() } catch {
            var error = error
            if error.code == .inputOutput { error.code = .notWritable }
            throw error
        }
    }
}

extension FileName {
    private static let digits = 6, claimDigits = 9

    /// The name of the file of a beginning of a job's unit. Numbers have as many digits each, so that a long name is cut alike.
    static func unit(for name: String, job: Int64, number: Int, claim: Int64) -> String {
        let place = padded(number, digits) + "-" + padded(Int(claim), claimDigits)
        return "." + fitted(name, ".trimd-\(job)-u\(place).part", limit: limit - 1)
    }

    private static func padded(_ number: Int, _ digits: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, digits - text.utf8.count)) + text
    }

    /// The prefix of the names of all files of a job's units.
    static func unitStart(for name: String, job: Int64) -> String {
        let rest = digits + 1 + claimDigits + ".part".utf8.count
        return String(unit(for: name, job: job, number: 0, claim: 0).dropLast(rest))
    }

    /// Whether a name is that of a unit's file, beginning so. Those of older versions have no claim.
    static func isUnit(_ name: String, _ start: String) -> Bool {
        guard name.hasPrefix(start), name.hasSuffix(".part") else { return false }
        let parts = name.dropFirst(start.count).dropLast(".part".count)
            .split(separator: "-", omittingEmptySubsequences: false)
        guard [[digits], [digits, claimDigits]].contains(parts.map(\.utf8.count)) else { return false }
        return parts.allSatisfy { $0.utf8.allSatisfy { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 } }
    }

    /// The claim in the name of a unit's file; 0: it has none.
    static func claim(ofUnit name: String) -> Int64 {
        Int64(name.dropLast(".part".count).split(separator: "-").last ?? "") ?? 0
    }
}
