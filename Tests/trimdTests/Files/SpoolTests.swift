// The spool: whose a path is, what a user may put there, and that nothing stays.
import Foundation
import Glibc
import JobQueue
import Media
import Platform
import Testing
import Text

@testable import Wire
@testable import trimd

@Suite(.timeLimit(.minutes(10))) struct SpoolTests {
    private final class Peer {}

    private func spool(
        _ scratch: Scratch, limit: Int64 = 1 << 20, free: Int64 = 1 << 40
    ) throws -> Spool {
        Spool(in: SpoolRoot(path: try scratch.folder("spool")), limit: limit) { _ in free }
    }

    private func caller(_ uid: UInt32) -> Caller { Caller(uid: uid, own: geteuid()) }

    private func names(_ scratch: Scratch) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: scratch.path + "/spool")
    }

    @Test func aPathSaysWhoseItIs() {
        let root = SpoolRoot(path: "/state/spool")
        let folder = root.folder(of: 1000, 0xab)
        #expect(folder == "/state/spool/1000-ab")
        for path in [folder, folder + "/", folder + "/stdin", folder + "/.x.trimd-1-1.part"] {
            #expect(root.owner(of: path) == 1000, "\(path)")
            #expect(root.folder(of: path) == folder)
        }
        for path in [
            "/state/spool", "/state/spool/", "/state/spool/x", "/state/spool/1000-ab/../1001-cd/stdin",
            "/state/spool/1000-ab/x/y", "/state/spool2/1000-ab/x", "/state/spool/-ab/x",
            "/state/spool/1000-xyz/x",
            "/state/spool/1000-ab-cd/x", "/state/spool/../queue.db", "/state/spool/4294967296-ab/x",
        ] {
            #expect(root.owner(of: path) == nil, "\(path)")
        }
    }

    @Test func whatIsWrittenIsRead() throws {
        let scratch = try Scratch()
        let (spool, client) = (try spool(scratch), Peer())
        let made = try spool.open(for: caller(7), ObjectIdentifier(client))
        #expect(made.folder.hasPrefix(scratch.path + "/spool/7-") && made.folder.hasSuffix("/"))
        #expect(
            try FileManager.default.attributesOfItem(atPath: made.folder)[.posixPermissions] as? Int == 0o700)
        for (count, piece) in [(3, "abc"), (5, "de")] {
            let data = Data(piece.utf8).base64EncodedString()
            #expect(
                try spool.write(SpoolWriteParams(path: made.input, data: data), caller(7)).bytes
                    == Int64(count))
        }
        for (offset, text) in [(0, "abcde"), (3, "de"), (5, ""), (9, "")] {
            let piece = try spool.read(SpoolReadParams(path: made.input, offset: Int64(offset)), caller(7))
            #expect(Data(base64Encoded: piece.data) == Data(text.utf8))
        }
    }

    @Test func othersHaveNoAccess() throws {
        let scratch = try Scratch()
        let (spool, client) = (try spool(scratch), Peer())
        let made = try spool.open(for: caller(7), ObjectIdentifier(client))
        let write = SpoolWriteParams(path: made.input, data: "YQ==")
        let read = SpoolReadParams(path: made.input, offset: 0)
        #expect(
            try #require(throws: MediaError.self) { try spool.write(write, caller(8)) }.code == .fileNotFound)
        #expect(
            try #require(throws: MediaError.self) { try spool.read(read, caller(8)) }.code == .fileNotFound)
        // Nor may its owner write anything but the input, or read beside the folder.
        for path in [made.folder + "x", scratch.path + "/queue.db", made.folder + "../../queue.db"] {
            #expect(throws: MediaError.self) {
                try spool.write(SpoolWriteParams(path: path, data: "YQ=="), caller(7))
            }
            #expect(throws: MediaError.self) {
                try spool.read(SpoolReadParams(path: path, offset: 0), caller(7))
            }
        }
        #expect(throws: MediaError.self) {
            try spool.write(SpoolWriteParams(path: made.input, data: "not Base64!"), caller(7))
        }
        #expect(try spool.write(write, caller(0)).bytes == 1)
    }

    /// The limit is a user's, over all folders; another user's is untouched, and what is removed counts no more.
    @Test func theLimitIsNamed() throws {
        let scratch = try Scratch()
        let (spool, first, second) = (try spool(scratch), Peer(), Peer())
        let data = Data(count: 500_000).base64EncodedString()
        let one = try spool.open(for: caller(7), ObjectIdentifier(first))
        let two = try spool.open(for: caller(7), ObjectIdentifier(second))
        _ = try spool.write(SpoolWriteParams(path: one.input, data: data), caller(7))
        _ = try spool.write(SpoolWriteParams(path: two.input, data: data), caller(7))
        let full = try #require(throws: MediaError.self) {
            try spool.write(SpoolWriteParams(path: two.input, data: data), caller(7))
        }
        #expect(
            full.code == .limitReached && full.message.contains("1 MiB")
                && full.message.contains("limits.spoolMiB"))
        let other = try spool.open(for: caller(8), ObjectIdentifier(second))
        _ = try spool.write(SpoolWriteParams(path: other.input, data: data), caller(8))
        for gone in spool.abandon(ObjectIdentifier(first)) { spool.remove(gone.folder) }
        _ = try spool.write(SpoolWriteParams(path: two.input, data: data), caller(7))
        #expect(throws: MediaError.self) {
            try spool.write(SpoolWriteParams(path: one.input, data: data), caller(7))
        }
    }

    /// Others fill no disk of trimd's: each may have a tenth of what is free.
    @Test(arguments: [7, 0, geteuid()] as [UInt32])
    func aStrangerHasATenthOfWhatIsFree(_ user: UInt32) throws {
        let scratch = try Scratch()
        let (spool, client) = (try spool(scratch, limit: 1 << 40, free: 1 << 30), Peer())
        let data = Data(count: SpoolWriteParams.mostBytes).base64EncodedString()
        var written: Int64 = 0
        var refusal: MediaError?
        // Over two folders; the number that is free stays, as if others removed as much.
        let folders = try (0..<2).map { _ in try spool.open(for: caller(user), ObjectIdentifier(client)) }
        while written < 200 << 20, refusal == nil {
            for folder in folders {
                do throws(MediaError) {
                    _ = try spool.write(SpoolWriteParams(path: folder.input, data: data), caller(user))
                    written += Int64(SpoolWriteParams.mostBytes)
                } catch { refusal = error }
            }
        }
        guard user == 7 else { return #expect(refusal == nil) }
        #expect(refusal?.code == .limitReached && refusal?.message.contains("a tenth") == true)
        // x = (free + x) / 10
        #expect(written > 100 << 20 && written < 115 << 20, "\(written >> 20) MiB")
    }

    @Test func aUserHasSoManyFolders() throws {
        let scratch = try Scratch()
        let (spool, client) = (try spool(scratch), Peer())
        for _ in 0..<Spool.mostFolders { _ = try spool.open(for: caller(7), ObjectIdentifier(client)) }
        let error = try #require(throws: MediaError.self) {
            try spool.open(for: caller(7), ObjectIdentifier(client))
        }
        #expect(error.code == .limitReached)
        _ = try spool.open(for: caller(8), ObjectIdentifier(client))
        #expect(try names(scratch).count == Spool.mostFolders + 1)
    }

    @Test func whatACrashLeftIsRemoved() throws {
        let scratch = try Scratch()
        let (before, client) = (try spool(scratch), Peer())
        let made = try before.open(for: caller(7), ObjectIdentifier(client))
        try Data(count: 10).write(to: URL(filePath: made.folder + ".stdin-trim.mp4.trimd-1-1.part"))
        _ = try spool(scratch)
        #expect(try names(scratch).isEmpty)
    }

    /// A user without a root, and without a descriptor, exports from and into a folder of the spool, and the job ends with the
    /// connection.
    @Test func jobsMayUseTheirUsersSpoolAndEndWithIt() throws {
        let rig = try ServiceRig()
        func made(_ client: Client) throws -> (folder: String, input: String) {
            let result = try #require(try client.ask(.spoolOpen).result)
            return (try #require(result["folder"]?.string), try #require(result["input"]?.string))
        }
        let ann = try rig.connect(as: ServiceRig.ann)
        let (folder, input) = try made(ann)
        #expect(try ann.ask(.spoolWrite, ["path": .string(input), "data": "YWJj"] as JSONValue).code == nil)
        let submitted = try ann.ask(
            .jobSubmit, ["input": .string(input), "output": .string(folder)] as JSONValue)
        let id = try #require(submitted.result?["id"]?.int, "\(submitted)")
        // Nobody else may.
        let bob = try rig.connect(as: ServiceRig.bob)
        let stolen = try bob.ask(
            .jobSubmit, ["input": .string(input), "output": .string(folder)] as JSONValue)
        #expect(stolen.code == "permissionDenied", "\(stolen)")
        let job = try rig.store.job(id)
        var roots = Roots()
        roots.spool = rig.services.spool.root
        try roots.check(job)
        #expect(throws: MediaError.self) { try Roots().check(job) }
        try ann.finishSending()
        #expect(
            eventually {
                (try? rig.store.job(id).state) == .cancelled
                    && !FileManager.default.fileExists(atPath: folder)
            })
    }
}
