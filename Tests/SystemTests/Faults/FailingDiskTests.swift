// The disk of an output is full, read-only or broken, or the user's quota or the largest size of a file is reached, at each kind of
// call that writes, syncs or names it: the error says what failed, where, why and what to do, what may heal is tried again and the
// rest is not, nothing half is published, the file that is to be replaced stays as it is, and the job completes once the disk does.
import Foundation
import Glibc
import Testing

@Suite(
    .enabled("the library that strikes calls cannot be built") { FaultShim.library != nil },
    .timeLimit(.minutes(10)))
struct FailingDiskTests {
    /// A call that fails from its first time on.
    struct Case: CustomTestStringConvertible, Sendable {
        var call: String, code: Int32
        /// The kernel's words.
        var reason: String { unsafe String(cString: strerror(code)) }
        var testDescription: String { "\(call): \(reason)" }
    }

    private static func cases(_ calls: [(String, [Int32])]) -> [Case] {
        calls.flatMap { call, codes in codes.map { Case(call: call, code: $0) } }
    }

    static let ofTheDaemon = cases([
        ("fallocate", [ENOSPC, EDQUOT, EIO, EROFS]), ("fsync", [EIO, ENOSPC, EDQUOT, EROFS]),
        ("ftruncate", [EIO, EROFS, EFBIG]), ("fchmod", [EIO, EROFS]),
        ("renameat", [EIO, EROFS, ENOSPC, EDQUOT]), ("renameat2", [EIO, EROFS, ENOSPC, EDQUOT]),
    ])
    static let ofAWorker = cases([("pwrite", [EIO, EROFS, ENOSPC, EDQUOT, EFBIG])])

    /// The code of the error, and how many attempts there are.
    private static func expected(_ code: Int32) -> (error: String, attempts: Int) {
        switch code {
        case ENOSPC, EDQUOT: ("diskFull", 4)
        case EROFS: ("notWritable", 4)
        case EFBIG: ("maximumFileSizeReached", 1)
        default: ("inputOutput", 4)
        }
    }

    @Test func theDaemonsCallsFail() throws {
        let bench = try CallFaultTests.Bench()
        for one in FailingDiskTests.ofTheDaemon { try fail(one, bench) }
    }

    @Test func aWorkersCallsFail() throws {
        let bench = try CallFaultTests.Bench(strikingWorkers: true)
        for one in FailingDiskTests.ofAWorker { try fail(one, bench) }
    }

    private func fail(_ one: Case, _ bench: CallFaultTests.Bench) throws {
        let rig = bench.rig
        let key = "\(one.call)-\(one.code)"
        let path = rig.path("\(key).mp4")
        // Names that are taken are given by another call than those that are free.
        let before = one.call == "renameat2" ? nil : Data("the file before".utf8)
        try before?.write(to: URL(filePath: path))
        let film = FileManager.default.contents(atPath: bench.film)
        try bench.shim.arm(.failFrom, call: 1, code: one.code, only: one.call)
        var words = ["export", bench.film, "--preset", "passthrough", "-o", path, "--key", key]
        if before != nil { words.append("--overwrite") }
        let ended = rig.finish(rig.start(words + ["--progress", "none"]))
        let struck = try bench.shim.struck
        try bench.shim.disarm()
        let comment: Comment = "\(one): \(ended.err)"
        #expect(struck == one.call, comment)
        #expect(ended.code == 1, comment)
        let job = try #require(try bench.job(key), comment)
        let error = try #require(job["error"] as? [String: Any], comment)
        let wanted = FailingDiskTests.expected(one.code)
        #expect(error["code"] as? String == wanted.error, comment)
        let log = (job["id"] as? Int).map { rig.trimctl("log", "\($0)").out } ?? ""
        // The numbers of attempts count claims that were given back, too.
        let begun = log.split(separator: "\n").count { $0.contains(" started: attempt ") }
        #expect(begun == wanted.attempts, "\(one): \(log)")
        let message = error["message"] as? String ?? ""
        #expect(message.contains(one.reason), comment)
        // The file or its folder, by its path; a worker knows of no path, and says that it is the output.
        #expect(message.contains(rig.folder.path) || message.contains("the output"), comment)
        #expect((error["remedy"] as? String)?.isEmpty == false, comment)
        #expect(FileManager.default.contents(atPath: path) == before, comment)
        #expect(FileManager.default.contents(atPath: bench.film) == film, comment)
        #expect(try rig.leftovers().isEmpty, comment)
        let id = try #require(job["id"] as? Int)
        #expect(rig.trimctl("retry", "\(id)").code == 0, comment)
        #expect(rig.trimctl("wait", "\(id)").code == 0, comment)
        #expect(CallFaultTests.Bench.size(path) == bench.size, comment)
    }
}
