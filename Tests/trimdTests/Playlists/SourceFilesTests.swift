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

@Suite(.timeLimit(.minutes(10))) struct SourceFilesTests {
    let scratch: Scratch
    let list: String

    init() throws {
        scratch = try Scratch()
        _ = try scratch.folder("root/hls/sub")
        _ = try scratch.folder("other")
        list = try scratch.file("root/hls/list.m3u8", "#EXTM3U")
        try scratch.file("root/hls/a.ts")
        try scratch.file("root/hls/sub/b.ts")
        try scratch.file("other/secret.ts")
        for folder in ["root", "root/hls", "root/hls/sub"] { try scratch.setMode(folder, 0o755) }
    }

    /// The folder of the playlist, for its own user or another.
    /// - Parameter names: what each playlist names, by its own name; otherwise each names all that is asked for here.
    private func folder(
        of path: String? = nil, for uid: UInt32? = nil, groups: [UInt32] = [], since: Moment? = nil,
        naming names: [String: PlaylistLister.Names]? = nil, replacing replaced: String? = nil
    ) throws -> SourceFiles {
        let path = path ?? list
        let peer = uid.map { PeerCredentials(pid: 0, uid: $0, gid: $0, groups: groups) }
        let reader = ReadingUser(
            user: uid ?? PeerCredentials.own.uid, peer: peer, roots: [scratch.path + "/root"], since: since)
        let all = Self.named(
            [
                "a.ts", "sub/b.ts", "out.ts", "in.ts", "folder/secret.ts", "pipe.ts", "sub", "nothing.ts",
                "list.m3u8", "secret.ts",
            ]
                + Self.leadingOut + Self.hidden)
        let lister = PlaylistLister { _, name in
            guard let names else { return .success(all) }
            return names[name].map { .success($0) } ?? .failure(MediaError(.playlist, "not parsed here"))
        }
        return SourceFiles(
            of: path, nil, try InputFile(opening: path).identity,
            replacing: try replaced.map { try InputFile(opening: $0).identity }, for: reader,
            lanes: PathLanes(), lister: lister)
    }

    private static func named(_ names: [String], arePlaylists: Bool = false) -> PlaylistLister.Names {
        PlaylistLister.Names(arePlaylists: arePlaylists, names: Set(names.map { Array($0.utf8) }))
    }

    private static let leadingOut = [
        "../hls/a.ts", "..", "sub/../a.ts", "./a.ts", "/etc/passwd", "a.ts\u{0}b", "", "/", "sub/..",
    ]
    private static let hidden = [".ssh/id_rsa", ".env", "sub/.b.ts", ".hidden/a.ts"]

    private func open(_ folder: SourceFiles, _ names: String...) throws -> [SourceFiles.Answer] {
        let answers = Mutex<[SourceFiles.Answer]>([])
        let done = DispatchSemaphore(value: 0)
        folder.open(names) { found in
            answers.withLock { $0 = found }
            done.signal()
        }
        try #require(done.wait(timeout: .now() + 60) == .success)
        return answers.withLock { $0 }
    }

    private func code(_ folder: SourceFiles, _ name: String) throws -> ErrorCode? {
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

    /// A film that is to be replaced is read to its end, and gone then.
    @Test func theOutputIsNoneOfThem() throws {
        let folder = try folder(replacing: scratch.path + "/root/hls/a.ts")
        #expect(try code(folder, "a.ts") == .outputIsInput)
        #expect(try code(folder, "sub/b.ts") == nil)
    }

    @Test(arguments: leadingOut) func namesThatLeadOut(_ name: String) throws {
        #expect(try code(try folder(), name) == .playlist)
        #expect(try code(try folder(for: 4_000_001), name) == .playlist)
    }

    /// Also where the playlist names them: it may be an attack itself.
    @Test(arguments: hidden) func hiddenFilesAreNotOpened(_ name: String) throws {
        for folder in ["root/hls/.ssh", "root/hls/.hidden"] { _ = try scratch.folder(folder) }
        try scratch.file("root/hls/\(name)")
        #expect(try code(try folder(), name) == .playlist)
        #expect(try code(try folder(for: 4_000_001), name) == .playlist)
    }

    /// A worker that a film has taken over may ask for anything beside the film.
    @Test func aFilmThatIsNoPlaylistGetsNoFile() throws {
        let film = try scratch.file("root/hls/film.mp4", "\u{0}\u{0}\u{0}\u{8}ftyp #EXTM3U")
        for name in ["a.ts", "sub/b.ts", "list.m3u8"] + Self.hidden {
            #expect(try code(try folder(of: film), name) == .sandboxViolation, "\(name)")
        }
        let short = try scratch.file("root/hls/short.m3u8", "#EXTM3")
        #expect(try code(try folder(of: short), "a.ts") == .sandboxViolation)
        let marked = try scratch.file("root/hls/marked.m3u8", "\u{FEFF}#EXTM3U")
        #expect(try code(try folder(of: marked), "a.ts") == nil)
    }

    @Test func onlyFilesThatThePlaylistNamesAreOpened() throws {
        try scratch.file("root/hls/taxes.pdf")
        let folder = try folder(naming: ["list.m3u8": Self.named(["a.ts", "e\u{301}.ts"])])
        #expect(try code(folder, "a.ts") == nil)
        // The same text in another form is another file.
        for name in ["sub/b.ts", "taxes.pdf", "list.m3u8", "\u{E9}.ts", "A.ts", "a.ts/", "a.ts\n"] {
            #expect(try code(folder, name) == .sandboxViolation, "\(name)")
        }
    }

    @Test func playlistsOfAPlaylistNameFilesOfTheirOwnFolder() throws {
        try scratch.file("root/hls/sub/list.m3u8", "#EXTM3U")
        try scratch.file("root/hls/sub/deep.m3u8", "#EXTM3U")
        let folder = try folder(naming: [
            "list.m3u8": Self.named(["sub/list.m3u8", "sub/deep.m3u8", "a.ts"], arePlaylists: true),
            "sub/list.m3u8": Self.named(["b.ts", "a.ts"]),
            "sub/deep.m3u8": Self.named(["list.m3u8", "b.ts"], arePlaylists: true),
        ])
        // Not before the playlist itself was asked for.
        #expect(try code(folder, "sub/b.ts") == .sandboxViolation)
        #expect(try code(folder, "sub/deep.m3u8") == nil)
        #expect(try code(folder, "sub/b.ts") == .sandboxViolation)
        #expect(try code(folder, "sub/list.m3u8") == nil)
        #expect(try code(folder, "sub/b.ts") == nil)
        // It is named as a playlist, and is none.
        #expect(try code(folder, "a.ts") == .fileFailedToParse)
    }

    /// The worker was right when it asked.
    @Test func aPlaylistThatIsWrittenMeanwhileIsNoAttack() throws {
        let folder = try folder(naming: ["list.m3u8": Self.named(["a.ts"])])
        #expect(try code(folder, "a.ts") == nil)
        try scratch.file("root/hls/list.m3u8", "#EXTM3U\nsub/b.ts")
        #expect(try code(folder, "sub/b.ts") == .sourceChanged)
    }

    /// A worker of its own reads the names; the one that reads the film cannot add any.
    @Test func aSealedWorkerListsTheNames() throws {
        let pool = WorkerPool(
            program: try TestPrograms.path("trim-worker"), Worker.Setup(policy: .bestEffort),
            log: Log(level: .error, isJournal: false))
        defer { pool.close() }
        let segments = (0..<20_000).map { "#EXTINF:1,\npart%20\($0).ts?x=\($0)\n" }.joined()
        let path = try scratch.file(
            "root/hls/long.m3u8", "#EXTM3U\n#EXT-X-TARGETDURATION:1\n\(segments)#EXT-X-ENDLIST\n")
        let lister = PlaylistLister.workers(of: pool)
        let found = try lister.names(try OpenedFile(opening: path), "long.m3u8").get()
        #expect(!found.arePlaylists && found.names.count == 20_000)
        #expect(found.names.contains(Array("part 19999.ts".utf8)))
        let many = try scratch.file(
            "root/hls/many.m3u8",
            "#EXTM3U\n#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID=\"g\",URI=\"s/a.m3u8\"\n#EXT-X-STREAM-INF:BANDWIDTH=1\nv/b.m3u8\n"
        )
        let list = try lister.names(try OpenedFile(opening: many), "many.m3u8").get()
        #expect(list == Self.named(["s/a.m3u8", "v/b.m3u8"], arePlaylists: true))
        let live = try scratch.file(
            "root/hls/live.m3u8", "#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\na.ts\n")
        guard case .failure(let error) = lister.names(try OpenedFile(opening: live), "live.m3u8") else {
            Issue.record("a live playlist was listed")
            return
        }
        #expect(error.code == .playlist)
    }

    /// Several sources of a request are opened by their numbers, wherever they lie, and nothing else is.
    @Test func severalSourcesAreOpenedByNumber() throws {
        let film = try scratch.file("root/hls/film.mp4")
        let paths = [film, scratch.path + "/other/secret.ts"]
        let files = try sources(paths)
        let identities = try #require(try files.identities(isShared: false))
        #expect(identities.map(\.size) == [4, 4])
        for number in ["0", "1"] { #expect(try code(files, number) == nil) }
        for name in ["2", "-1", "", "00x", "film.mp4", paths[1]] {
            #expect(try code(files, name) == .sandboxViolation, "\(name)")
        }
        try scratch.file("other/secret.ts", "12345")
        #expect(try code(files, "1") == .sourceChanged)
        #expect(throws: MediaError.self) { try files.check() }
        // Nor is it another file than the accepted one, whatever the times of either.
        try scratch.symlink("root/hls/a.ts", "root/hls/current.mp4")
        let current = scratch.path + "/root/hls/current.mp4"
        let accepted = try #require(try sources([current]).identities(isShared: false))
        #expect(try code(try sources([current], accepted: accepted), "0") == nil)
        try FileManager.default.removeItem(atPath: current)
        try scratch.symlink("root/hls/sub/b.ts", "root/hls/current.mp4")
        #expect(try code(try sources([current], accepted: accepted), "0") == .sourceChanged)
        // The file that is to be replaced is none of them, whatever its name.
        #expect(try code(try sources(paths, replacing: paths[1]), "1") == .outputIsInput)
    }

    /// Of another user, each source lies beneath a root, in folders that the user may enter, and may be read by the user.
    @Test func severalSourcesOfAnotherUser() throws {
        let film = try scratch.file("root/hls/film.mp4")
        let own = try scratch.file("root/hls/own.mp4")
        try scratch.setMode("root/hls/film.mp4", 0o644)
        try scratch.setMode("root/hls/own.mp4", 0o600)
        try scratch.symlink("other/secret.ts", "root/hls/out.mp4")
        _ = try scratch.folder("root/closed")
        let closed = try scratch.file("root/closed/film.mp4")
        try scratch.setMode("root/closed/film.mp4", 0o644)
        try scratch.setMode("root/closed", 0o700)
        let paths = [
            film, own, scratch.path + "/other/secret.ts", scratch.path + "/root/hls/out.mp4", closed,
        ]
        let files = try sources(paths, for: 4_000_001)
        #expect(try code(files, "0") == nil)
        for number in 1..<paths.count {
            #expect(try code(files, "\(number)") == .permissionDenied, "\(paths[number])")
        }
        let late = try sources([film], for: 4_000_001, since: Moment(milliseconds: 1))
        #expect(try code(late, "0") == .sourceChanged)
    }

    private func sources(
        _ paths: [String], for uid: UInt32? = nil, since: Moment? = nil, replacing replaced: String? = nil,
        accepted: [FileIdentity] = []
    ) throws -> SourceFiles {
        let peer = uid.map { PeerCredentials(pid: 0, uid: $0, gid: $0, groups: []) }
        let reader = ReadingUser(
            user: uid ?? PeerCredentials.own.uid, peer: peer, roots: [scratch.path + "/root"], since: since)
        return SourceFiles(
            of: paths[0], paths.map { SourcePart($0) }, accepted: accepted,
            try InputFile(opening: paths[0]).identity,
            replacing: try replaced.map { try InputFile(opening: $0).identity }, for: reader,
            lanes: PathLanes(), lister: .none)
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
        try scratch.file("other/list.m3u8", "#EXTM3U")
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
