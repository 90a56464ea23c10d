// Proof of access by another user, checked beneath roots: the rules without a second user (Tests/Scripts/service/rights-check has real
// ones).
import Glibc
import JobQueue
import Media
import Platform
import Testing
import Wire

@testable import trimd

@Suite struct CallerAccessTests {
    let scratch: Scratch
    let root: String

    init() throws {
        scratch = try Scratch()
        root = try scratch.folder("root")
        _ = try scratch.folder("root/sub")
        _ = try scratch.folder("other")
        try scratch.file("root/film.mov")
        try scratch.file("other/film.mov")
    }

    /// Another user who passes files opened with these flags.
    private func access(_ files: [(String, Int32)], uid: UInt32? = nil) throws -> CallerAccess {
        let raw = try files.map { try Descriptor(opening: $0.0, $0.1 | O_NONBLOCK).release() }
        let own = PeerCredentials.own
        return CallerAccess(
            peer: PeerCredentials(pid: 1, uid: uid ?? 4_000_001, gid: 4_000_001), own: own.uid,
            roots: Roots(read: [root], write: [root]), descriptors: Descriptors(adopting: raw))
    }

    private func refusal(_ path: String, _ files: [(String, Int32)]) throws -> MediaError {
        let access = try access(files)
        return try #require(#expect(throws: MediaError.self) { try access.source(path) })
    }

    @Test func aShownFileBeneathARootIsTaken() throws {
        let path = root + "/film.mov"
        for name in [path, root + "/./film.mov", root + "/sub/../film.mov", root + "//film.mov"] {
            let found = try access([(path, O_RDONLY)]).source(name)
            #expect(try found.identity == InputFile(opening: path).identity)
        }
    }

    @Test func artworkIsShownLikeTheInput() throws {
        let (film, picture) = (root + "/film.mov", root + "/cover.jpg")
        try scratch.file("root/cover.jpg")
        let folder = (root, O_RDONLY | O_DIRECTORY)
        let shown = try access([(film, O_RDONLY), folder, (picture, O_RDONLY)])
        #expect(try shown.artwork(picture).identity == InputFile(opening: picture).identity)
        for files in [[(film, O_RDONLY), folder], [(film, O_RDONLY), folder, (film, O_RDONLY)]] {
            let access = try access(files)
            let error = try #require(#expect(throws: MediaError.self) { try access.artwork(picture) })
            #expect(error.code == .permissionDenied)
        }
    }

    @Test func aComparedFileIsShownLikeTheInput() throws {
        let (film, made) = (root + "/film.mov", root + "/made.m4v")
        try scratch.file("root/made.m4v")
        let folder = (root, O_RDONLY | O_DIRECTORY)
        let shown = try access([(film, O_RDONLY), folder, (made, O_RDONLY)])
        #expect(try shown.compared(made).identity == InputFile(opening: made).identity)
        for files in [[(film, O_RDONLY), folder], [(film, O_RDONLY), folder, (film, O_RDONLY)]] {
            let access = try access(files)
            let error = try #require(#expect(throws: MediaError.self) { try access.compared(made) })
            #expect(error.code == .permissionDenied)
        }
    }

    @Test func whatProvesNothingIsRefused() throws {
        let path = root + "/film.mov"
        let other = scratch.path + "/other/film.mov"
        try scratch.symlink("other/film.mov", "root/away.mov")
        try scratch.symlink("other", "root/folder")
        let cases: [(String, [(String, Int32)])] = [
            (path, []), (path, [(other, O_RDONLY)]), (path, [(path, 0o10000000)]), (path, [(path, O_WRONLY)]),
            (other, [(other, O_RDONLY)]), (root + "/away.mov", [(other, O_RDONLY)]),
            (root + "/folder/film.mov", [(other, O_RDONLY)]),
            (root + "/../other/film.mov", [(other, O_RDONLY)]), (root + "x/film.mov", [(path, O_RDONLY)]),
        ]
        for (name, files) in cases {
            let error = try refusal(name, files)
            #expect(error.code == .permissionDenied, "\(name): \(error)")
            #expect(error.code.exitCode == 7)
            #expect(error.message.hasPrefix("refused by policy"), "\(error)")
        }
        #expect(try refusal(other, [(other, O_RDONLY)]).message.contains(root))
        #expect(try refusal(root, [(root, O_RDONLY)]).code == .notARegularFile)
    }

    @Test func descriptorsAreUsedOnceAndClosed() throws {
        let path = root + "/film.mov"
        let access = try access([(path, O_RDONLY)])
        _ = try access.source(path)
        #expect(throws: MediaError.self) { try access.source(path) }
    }

    @Test func theDaemonsOwnUserAndRootShowNothing() throws {
        let path = scratch.path + "/other/film.mov"
        for uid in [0, PeerCredentials.own.uid] {
            #expect(try access([], uid: uid).source(path).identity.size == 4)
        }
    }

    @Test func aFolderNeedsTheUsersRightToWrite() throws {
        let files = [(root + "/film.mov", O_RDONLY), (root + "/sub", O_RDONLY)]
        try scratch.setMode("root/sub", 0o755)
        let error = #expect(throws: MediaError.self) { _ = try access(files).folder(root + "/sub").path }
        #expect(error?.code == .permissionDenied)
        #expect(error?.message.contains("you may not write") == true)
        try scratch.setMode("root/sub", 0o777)
        let folder = try access(files).folder(root + "/sub")
        var target = OutputTarget(folder: root + "/sub", name: "o.m4a", stem: "o")
        target.place = try folder.storedIdentity().text
        _ = try OutputFolder.of(target).path
        // Another folder of the same name, or the same one for other people, is not the one that was shown.
        try scratch.setMode("root/sub", 0o775)
        #expect(throws: MediaError.self) { _ = try OutputFolder.of(target).path }
        try scratch.setMode("root/sub", 0o777)
        try scratch.rename("root/sub", "root/gone")
        try scratch.symlink("other", "root/sub")
        #expect(
            #expect(throws: MediaError.self) { _ = try OutputFolder.of(target).path }?.code
                == .permissionDenied)
    }

    @Test(arguments: [false, true])
    func nothingLeadsOutOfARoot(_ walking: Bool) throws {
        try scratch.symlink("other", "root/away")
        try scratch.symlink("/etc", "root/etc")
        for path in ["away/film.mov", "../other/film.mov", "etc/passwd", "sub/../../other/film.mov"] {
            let rooted = Roots.RootedPath(root: root, relative: path)
            #expect(throws: SystemError.self, "\(path)") {
                _ = try Roots.open(rooted, O_RDONLY, walking: walking).rawValue
            }
        }
        let rooted = Roots.RootedPath(root: root, relative: "film.mov")
        #expect(try Roots.open(rooted, O_RDONLY, walking: walking).rawValue >= 0)
        let own = Roots.RootedPath(root: root, relative: ".")
        #expect(try Roots.open(own, O_RDONLY | O_DIRECTORY, walking: walking).rawValue >= 0)
    }

    @Test func theLongestRootComesFirst() {
        let roots = ["/srv", "/", "/srv/media/", "/srv/me"]
        #expect(
            Roots.rootedPaths(of: "/srv/media/a/../b", in: roots).map(\.root) == ["/srv/media/", "/srv", "/"])
        #expect(Roots.rootedPaths(of: "/srv/media/a/../b", in: roots).first?.relative == "a/../b")
        #expect(
            Roots.rootedPaths(of: "/srv", in: roots).first == Roots.RootedPath(root: "/srv", relative: "."))
        #expect(Roots.rootedPaths(of: "/src/x", in: ["/srv"]).isEmpty)
    }
}
