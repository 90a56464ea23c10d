// To try a job again is to prove its rights again: what its paths name may be another file by now.
import Glibc
import JobQueue
import Media
import MediaTime
import Platform
import Testing
import Text

@testable import Wire
@testable import trimd

@Suite(.timeLimit(.minutes(10))) struct RetryTests {
    let rig: ServiceRig
    let id: Int64

    init() throws {
        rig = try ServiceRig()
        id = try rig.job(of: ServiceRig.ann).id
        _ = try rig.store.cancel(id)
    }

    private func retry(as uid: UInt32, passing files: Descriptors? = nil) throws -> Called {
        try rig.connect(as: uid).ask(.jobRetry, JobParams(id: id), passing: files)
    }

    private func isRefused(_ called: Called) -> Bool {
        guard case .error("permissionDenied", let message) = called else { return false }
        return message.hasPrefix("refused by policy")
    }

    @Test func aSourceThatWasSwappedIsNotRead() throws {
        // Beneath the root, but not what Ann can open: she shows what she had.
        let shown = try rig.files()
        try rig.scratch.file("secret.mov", "secret")
        try rig.scratch.rename("film.mov", "old.mov")
        try rig.scratch.symlink("secret.mov", "film.mov")
        let before = try rig.store.job(id)
        for files in [nil, shown] { #expect(isRefused(try retry(as: ServiceRig.ann, passing: files))) }
        // Whether a file exists is not revealed either.
        try rig.scratch.remove("film.mov")
        let old = try Descriptor(opening: rig.scratch.path + "/old.mov", O_RDONLY).release()
        let folder = try Descriptor(opening: rig.out, O_RDONLY | O_DIRECTORY).release()
        let files = Descriptors(adopting: [old, folder])
        #expect(isRefused(try retry(as: ServiceRig.ann, passing: files)))
        #expect(try rig.store.job(id) == before)
    }

    @Test func whoShowsTheFilesAgainIsServed() throws {
        try rig.scratch.remove("film.mov")
        try rig.scratch.file("film.mov", "another film")
        let called = try retry(as: ServiceRig.ann, passing: try rig.files())
        #expect(called.result?["status"] == "waiting", "\(called)")
        // The job is for the source as it is now.
        #expect(try rig.store.job(id).source == InputFile(opening: rig.film).identity)
    }

    @Test func theFolderIsProvedAgainToo() throws {
        try rig.scratch.setMode("out", 0o755)
        #expect(isRefused(try retry(as: ServiceRig.ann, passing: try rig.files())))
        try rig.scratch.rename("out", "gone")
        _ = try rig.scratch.folder("out")
        try rig.scratch.setMode("out", 0o777)
        #expect(try retry(as: ServiceRig.ann, passing: try rig.files()).result?["status"] == "waiting")
        let folder = try OutputFolder(opening: rig.out)
        #expect(try rig.store.job(id).request.output.place == folder.storedIdentity().text)
    }

    /// Who may see all shows nothing in the owner's name: the very source it is, or the owner has to ask.
    @Test func somebodyElsesJobKeepsItsSource() throws {
        try rig.scratch.rename("film.mov", "old.mov")
        try rig.scratch.file("film.mov", "another film")
        #expect(try retry(as: geteuid()).code == "sourceChanged")
        try rig.scratch.rename("old.mov", "film.mov.old")
        try rig.scratch.remove("film.mov")
        try rig.scratch.rename("film.mov.old", "film.mov")
        #expect(try retry(as: geteuid()).result?["status"] == "waiting")
    }

    @Test func aJobThatHasNotFailedIsNotTriedAgain() throws {
        let waiting = try rig.job(of: ServiceRig.ann).id
        let client = try rig.connect(as: ServiceRig.ann)
        for files in [nil, try rig.files()] {
            #expect(
                try client.ask(.jobRetry, JobParams(id: waiting), passing: files).code == "jobStateNotValid")
        }
    }
}
