// A named root counts as there only where its marker is the one on record.
import Glibc
import JobQueue
import Media
import Synchronization
import Testing

@testable import trimd

@Suite final class RootMarkerTests {
    let scratch: Scratch
    /// The records of the queue.
    private let known = Mutex<String?>(nil)

    init() throws {
        scratch = try Scratch()
        _ = try scratch.folder("media")
    }

    private var media: String { scratch.path + "/media" }

    private func problem(_ path: String? = nil) throws -> String? {
        try RootMarker("media", path ?? media).problem { id in
            known.withLock { known in
                known = known ?? id
                return known
            }
        }
    }

    @Test func itIsWrittenWhenTheRootIsFirstUsed() throws {
        #expect(try problem() == nil)
        let id = try #require(scratch.text("media/.trimd-root")?.split(separator: "\n").first)
        #expect(known.withLock(\.self) == String(id) && id.count == 36)
        #expect(try problem() == nil)
        #expect(try scratch.mode("media/.trimd-root") == 0o644)
    }

    @Test func anEmptyMountPointIsNotTheMedia() throws {
        #expect(try problem() == nil)
        try scratch.rename("media", "elsewhere")
        #expect(try problem()?.contains("No such file") == true)
        _ = try scratch.folder("media")
        #expect(try problem()?.contains("not mounted") == true)
        // Nothing was written in it.
        #expect(!scratch.exists("media/.trimd-root"))
        try scratch.file("media/.trimd-root", "another\n")
        #expect(try problem()?.contains("other media") == true)
        #expect(try problem(scratch.path + "/elsewhere") == nil)
    }

    @Test func theAdministratorMayPlaceIt() throws {
        try scratch.file("media/.trimd-root", "films-of-2026\nmore\n")
        #expect(try problem() == nil)
        #expect(known.withLock(\.self) == "films-of-2026")
    }

    /// A marker that could hang or mislead is none.
    @Test func onlyARegularFileIsAMarker() throws {
        _ = scratch.pipe("media/.trimd-root")
        #expect(try problem()?.contains("cannot be read") == true)
        try scratch.remove("media/.trimd-root")
        try scratch.file("id", "x")
        try scratch.symlink("id", "media/.trimd-root")
        #expect(try problem()?.contains("cannot be read") == true)
        try scratch.remove("media/.trimd-root")
        // An empty one counts as none, and is not replaced.
        try scratch.file("media/.trimd-root", "")
        #expect(try problem() != nil)
        #expect(known.withLock(\.self) == nil && scratch.text("media/.trimd-root") == "")
        #expect(try scratch.names() == ["id", "media"])
    }

    @Test(.disabled(if: geteuid() == 0, "root may write everywhere")) func readOnlyMediaNeedOne() throws {
        try scratch.setMode("media", 0o555)
        defer { try? scratch.setMode("media", 0o755) }
        #expect(try problem()?.contains("uuidgen") == true)
    }

    /// Roots are looked at before jobs are claimed, and again before one begins; a loss is told at once.
    @Test func aLossIsFoundBeforeAJobBegins() throws {
        let store = try JobStore(file: scratch.path + "/queue.db", owner: "a")
        let markers = RootMarkers(
            ["media": media], store: store, log: Log(level: .error, isJournal: false))
        #expect(markers.present == [])
        markers.look()
        #expect(markers.present == ["media"] && markers.paths["media"]?.first == media)
        let losses = Mutex(0)
        markers.whenLost { losses.withLock { $0 += 1 } }
        let needs = Needs([Needs.root("media"), "gpu", Needs.root("unknown")])
        #expect(markers.problem(of: needs) == nil && markers.absence(of: needs) == nil)
        try scratch.rename("media", "elsewhere")
        // It is not looked at for this.
        #expect(markers.absence(of: needs) == nil)
        #expect(markers.problem(of: needs)?.contains("root media, \(media)") == true)
        #expect(markers.absence(of: needs)?.contains("root media, \(media)") == true)
        #expect(markers.problem(of: Needs(["gpu"])) == nil && markers.absence(of: Needs(["gpu"])) == nil)
        #expect(markers.problems.map(\.problem).first??.contains("No such file") == true)
        #expect(markers.present == [] && losses.withLock(\.self) == 1)
        try scratch.rename("elsewhere", "media")
        markers.look()
        #expect(markers.present == ["media"])
    }
}
