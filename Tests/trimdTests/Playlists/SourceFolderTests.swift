// The files of a playlist: which of them are opened for whom.
import Dispatch
import Foundation
import Glibc
import JobQueue
import Media
import Platform
import Synchronization
import Testing
import Wire

@testable import trimd

@Suite(.timeLimit(.minutes(60))) struct SourceFolderTests {
    let scratch: Scratch
    let list: String

    init() throws {
        scratch = try Scratch()
        _ = try scratch.folder("root/hls/sub")
        _ = try scratch.folder("other")
        list = try scratch.file("root/hls/list.m3u8")
        try scratch.file("root/hls/a.ts")
        try scratch.file("root/hls/sub/b.ts")
        try scratch.file("other/secret.ts")
        for folder in ["root", "root/hls", "root/hls/sub"] { try scratch.setMode(folder, 0o755) }
    }

    /// The folder of the playlist, for its own user or another.
    private func folder(
        of path: String? = nil, for uid: UInt32? = nil, groups: [UInt32] = [], since: Moment? = nil
    ) throws -> SourceFolder {
        let path = path ?? list
        let peer = uid.map { PeerCredentials(pid: 0, uid: $0, gid: $0, groups: groups) }
        let reader = ReadingUser(
            user: uid ?? PeerCredentials.own.uid, peer: peer, roots: [scratch.path + "/root"], since: since)
        return SourceFolder(of: path, try InputFile(opening: path).identity, for: reader, lanes: PathLanes())
    }

    private func open(_ folder: SourceFolder, _ names: String...) throws -> [SourceFolder.Answer] {
        let answers = Mutex<[SourceFolder.Answer]>([])
        let done = DispatchSemaphore(value: 0)
        folder.open(names) { found in
            answers.withLock { $0 = found }
            done.signal()
        }
        try #require(done.wait(timeout: .now() + 60) == .success)
        return answers.withLock { $0 }
    }

    private func code(_ folder: SourceFolder, _ name: String) throws -> ErrorCode? {
        guard case .failure(let error) = try #require(try open(folder, name).first) else { return nil }
        return error.code
    }

    @Test func filesBeneathItAreOpenedForReading() throws {
        let answers = try open(try folder(), "a.ts", "sub/b.ts")
        #expect(answers.count == 2)
        for answer in answers {
            let file = try answer.get()
            #expect(file.identity.size == 4)
            #expect(fcntl(file.descriptor, F_GETFL) & O_ACCMODE == O_RDONLY)
        }
    }

    @Test(arguments: [
        "../hls/a.ts", "..", "sub/../a.ts", "./a.ts", "/etc/passwd", "a.ts\u{0}b", "", "/", "sub/..",
    ]) func namesThatLeadOut(_ name: String) throws {
        #expect(try code(try folder(), name) == .playlist)
        #expect(try code(try folder(for: 4_000_001), name) == .playlist)
    }

    @Test func linksAreNotFollowed() throws {
        try scratch.symlink("other/secret.ts", "root/hls/out.ts")
        try scratch.symlink("root/hls/a.ts", "root/hls/in.ts")
        try scratch.symlink("other", "root/hls/folder")
        for uid in [nil, 4_000_001] as [UInt32?] {
            for name in ["out.ts", "in.ts", "folder/secret.ts"] {
                #expect(try code(try folder(for: uid), name) == .playlist, "\(name)")
            }
        }
    }

    @Test func onlyRegularFiles() throws {
        _ = scratch.pipe("root/hls/pipe.ts")
        #expect(try code(try folder(), "pipe.ts") == .notARegularFile)
        #expect(try code(try folder(), "sub") == .notARegularFile)
        #expect(try code(try folder(), "nothing.ts") == .fileNotFound)
        #expect(try code(try folder(), "list.m3u8") == .playlist)
    }

    /// The kernel's rules decide for another user, whatever the daemon itself may read.
    @Test func anotherUserNeedsTheRight() throws {
        let user: UInt32 = 4_000_001
        #expect(try code(try folder(for: user), "a.ts") == nil)
        #expect(try code(try folder(for: user), "sub/b.ts") == nil)
        try scratch.setMode("root/hls/a.ts", 0o640)
        #expect(try code(try folder(for: user), "a.ts") == .permissionDenied)
        // A group that the user had when the job was accepted.
        #expect(try code(try folder(for: user, groups: [4_000_009, getegid()]), "a.ts") == nil)
        try scratch.setMode("root/hls/sub", 0o700)
        #expect(try code(try folder(for: user), "sub/b.ts") == .permissionDenied)
        try scratch.setMode("root/hls/sub", 0o755)
        for shut in ["root/hls", "root"] {
            try scratch.setMode(shut, 0o700)
            #expect(try code(try folder(for: user), "sub/b.ts") == .permissionDenied, "\(shut)")
            try scratch.setMode(shut, 0o755)
        }
        #expect(try code(try folder(for: user), "sub/b.ts") == nil)
        // Not beneath a root.
        try scratch.file("other/list.m3u8")
        #expect(
            try code(try folder(of: scratch.path + "/other/list.m3u8", for: user), "secret.ts")
                == .permissionDenied)
    }

    @Test func aFileMustStayTheOneItWas() throws {
        let folder = try folder()
        #expect(try code(folder, "a.ts") == nil)
        try folder.check()
        try scratch.file("root/hls/new.ts", "other")
        try scratch.rename("root/hls/a.ts", "root/hls/old.ts")
        #expect(throws: MediaError.self) { try folder.check() }
        try scratch.rename("root/hls/new.ts", "root/hls/a.ts")
        #expect(try code(folder, "a.ts") == .sourceChanged)
        let error = #expect(throws: MediaError.self) { try folder.check() }
        #expect(error?.code == .sourceChanged)
    }

    @Test func aFileMustNotHaveChangedSinceTheJobWasAccepted() throws {
        #expect(try code(try folder(since: .now), "a.ts") == nil)
        let since = Moment(milliseconds: Moment.now.milliseconds - 1)
        usleep(20_000)
        try scratch.file("root/hls/sub/b.ts", "later")
        #expect(try code(try folder(since: since), "sub/b.ts") == .sourceChanged)
    }

    @Test func thePlaylistMustStillLieThere() throws {
        let folder = try folder()
        try scratch.rename("root/hls", "root/gone")
        _ = try scratch.folder("root/hls")
        try scratch.file("root/hls/a.ts", "theirs")
        #expect(try code(folder, "a.ts") == .sourceChanged)
    }
}
