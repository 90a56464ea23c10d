// The knowledge that nodes over one PostgreSQL have of each other: what each is and has, which of them may do a job, where each has the shared folders,
// and whose lease has ended by the clock of the database alone.
import Dispatch
import Glibc
import Media
import Platform
import Synchronization
import Testing
import Text

@testable import JobQueue

@Suite(.enabled(if: PostgresServer.shared != nil), .timeLimit(.minutes(10)))
struct PostgresSharingTests {
    let scratch: PostgresScratch

    init() throws { scratch = try PostgresScratch() }

    private func node(
        _ name: String, tags: [String] = [], roots: [String: String] = [:], own: [String] = []
    ) -> QueueNode {
        var node = QueueNode(name: name, version: "1")
        (node.host, node.user, node.processors, node.memory, node.workers) = (
            "host-\(name)", 7, 4, 1 << 33, 2
        )
        (node.tags, node.roots) = (tags, roots.keys.sorted())
        node.paths = RootNames(roots.mapValues { [$0] }, own: own, node: name)
        return node
    }

    @Test func eachNodeKnowsAll() throws {
        var a = node("a", tags: ["x", "gpu"], roots: ["media": "/m"])
        let (first, second) = (try scratch.store(a, of: "a1"), try scratch.store(node("b"), of: "b1"))
        (a.busyProcessors, a.isDraining) = (3, true)
        try first.describe(a)
        try second.describe(node("b"))
        let mine = try second.submit(request(), source: source, user: 1).job.id
        let yours = try second.submit(request(), source: source, user: 2).job.id
        for _ in 0..<2 { _ = try first.claim(worker: worker) }
        try first.setDraining(true, node: "b")
        let nodes = try second.nodes()
        #expect(nodes.map(\.node.name) == ["a", "b"])
        var stored = a
        (stored.paths, stored.tags) = (RootNames(), ["gpu", "x"])
        #expect(nodes.first?.node == stored)
        #expect(nodes.map(\.jobs) == [[mine, yours], []])
        #expect(try second.nodes(for: .user(2)).map(\.jobs) == [[yours], []])
        #expect(nodes.map(\.isThis) == [false, true] && nodes.allSatisfy { !$0.isGone })
        #expect(nodes.map(\.isDraining) == [false, true])
        #expect(try second.isDraining() && !first.isDraining())
        #expect(nodes.allSatisfy { abs($0.now.milliseconds - $0.heard.milliseconds) < 60_000 })
        // A node that leaves is gone; its next run takes its place in the list.
        try first.leave("a1")
        #expect(try second.nodes().map(\.isGone) == [true, false])
        let again = try scratch.store(node("a"), of: "a2")
        try again.describe(node("a"))
        #expect(try second.nodes().map(\.isGone) == [false, false])
    }

    @Test func aJobGoesToANodeThatHasItsTags() throws {
        let (plain, special) = (node("plain"), node("special", tags: ["gpu"]))
        let (one, two) = (try scratch.store(plain, of: "1"), try scratch.store(special, of: "2"))
        let id = try one.submit(
            request(), source: source, user: 1, start: StartCondition(needs: ["gpu"])
        ).job.id
        #expect(try !one.availability().isReady && one.claim(worker: worker) == nil)
        try one.describe(plain)
        let job = try one.job(id)
        #expect(try job.needs.unmet(among: one.nodes()) == ["gpu"])
        try two.describe(special)
        #expect(try job.needs.unmet(among: one.nodes()) == [])
        #expect(try two.availability().isReady)
        #expect(try two.claim(worker: worker)?.id == id)
        // Any node takes over what a dead one has begun, whatever its tags: it waits again, for one that has them.
        try two.leave("2")
        #expect(try one.takeOver().map(\.id) == [id])
    }

    /// Units of others' jobs too, with the paths of the node that makes them; it has those jobs in the list, and what it does not make is free again.
    @Test func aUnitGoesToANodeThatHasWhatItsJobNeeds() throws {
        let host = node("host", tags: ["gpu"], roots: ["films": "/films"])
        let guest = node("guest", tags: ["gpu"], roots: ["films": "/mnt/films"])
        let (one, two) = (try scratch.store(host, of: "1"), try scratch.store(guest, of: "2"))
        let plain = try scratch.store(node("plain", roots: ["films": "/films"]), of: "3")
        let away = try scratch.store(node("away", tags: ["gpu"]), of: "4")
        for (store, node) in [(one, host), (two, guest)] { try store.describe(node) }
        var wanted = try request()
        wanted.output.folder = "/films/out"
        let id = try one.submit(
            wanted, source: source, user: 1, start: StartCondition(needs: ["gpu"])
        ).job.id
        #expect(try one.claim(worker: worker)?.id == id)
        let units = [
            ExportUnit(number: 1, kind: .video, work: .null, seconds: 1, memory: 5),
            ExportUnit(number: 2, kind: .video, work: .null, seconds: 1, memory: 5),
        ]
        _ = try one.plan(id, attempt: 1, UnitPlan(plan: .null, fingerprint: "a", units: units))
        for other in [plain, away] {
            #expect(try !other.hasFreeUnit(except: []) && other.claimUnit(worker: worker, except: []) == nil)
        }
        let claimed = try #require(try two.claimUnit(worker: worker, except: []))
        #expect(claimed.job.request.output.folder == "/mnt/films/out")
        #expect(try one.nodes().filter { $0.jobs == [id] }.map(\.node.name) == ["guest", "host"])
        let file = FileIdentity(device: 1, inode: 2, size: 7, modified: 8, boot: "b", digest: "d")
        let claim = UnitClaim(id, claimed.unit)
        _ = try two.finishUnit(
            claim, file: file, report: UnitReport(number: claim.number, bytes: 7, details: .null), progress: 0
        )
        #expect(try one.units(id)?.units.first { $0.number == claim.number }?.file == file)
        let last = try #require(try two.claimUnit(worker: worker, except: []))
        try two.leave("2")
        #expect(try one.units(id)?.units.first { $0.number == last.unit.number }?.owner == nil)
        #expect(try one.nodes().filter { $0.jobs == [id] }.map(\.node.name) == ["host"])
    }

    /// Each node sees the paths as they are there; names and keys are one.
    @Test func nodesMayHaveTheirRootsElsewhere() throws {
        let a = node("a", roots: ["films": "/films", "out": "/srv/a/out"])
        let b = node("b", roots: ["films": "/mnt/b/films/", "out": "/mnt/out"])
        let other = node("other", roots: ["films": "/films"])
        let (one, two, none) = (
            try scratch.store(a, of: "1"), try scratch.store(b, of: "2"), try scratch.store(other, of: "3")
        )
        var wanted = try request(key: "k")
        wanted.output.folder = "/srv/a/out/deep"
        let name = OutputName.numbered(
            folder: "/srv/a/out/deep", stem: "a", free: [1, 2], fileTypes: ["m4a"])
        let id = try one.submit(
            wanted, source: source, user: 1, priority: 50, limit: nil, name: name
        ).job.id
        #expect(try one.job(id).request == wanted)
        #expect(try one.job(id).needs.words == ["/films", "/out"])
        let seen = try two.job(id).request
        #expect(seen.input == "/mnt/b/films/film.mov" && seen.output.folder == "/mnt/out/deep")
        // The same request, as it is spelled there, is the same job.
        #expect(try two.submit(seen, source: source, user: 1).isNew == false)
        #expect(try two.takenNumbers("/mnt/out/deep", "a") == [1])
        var next = seen
        next.key = nil
        let second = try two.submit(
            next, source: source, user: 1, priority: 50, limit: nil,
            name: .numbered(folder: "/mnt/out/deep", stem: "a", free: [1, 2], fileTypes: ["m4a"])
        ).job
        #expect(second.request.output.number == 2)
        // Who lacks a root claims nothing beneath it, and takes nothing over: it cannot know what was published.
        #expect(try none.claim(worker: worker) == nil)
        #expect(try two.claim(worker: worker)?.id == id)
        try two.publish(id, attempt: 1, Publication(device: 1, inode: 2, name: "a.m4a"), result: result())
        try two.leave("2")
        #expect(try none.takeOver().isEmpty)
        let taken = try one.takeOver()
        #expect(taken.map(\.id) == [id] && taken.first?.request.output.folder == "/srv/a/out/deep")
        #expect(try one.complete(id, attempt: 1).state == .completed)
        #expect(
            try one.retry(cancelled(second.id, one), source: source).request.output.folder
                == "/srv/a/out/deep")
    }

    private func cancelled(_ id: Int64, _ store: JobStore) throws -> Int64 { try store.cancel(id).id }

    /// A file beneath no root, or piped in by a client, is on one node only.
    @Test func whatOnlyOneNodeHasIsDoneThere() throws {
        let a = node("a", roots: ["out": "/films"], own: ["/var/lib/a"])
        let b = node("b", own: ["/var/lib/b"])
        let (one, two) = (try scratch.store(a, of: "1"), try scratch.store(b, of: "2"))
        var piped = try request()
        piped.input = "/var/lib/b/spool/stdin"
        #expect(try two.submit(piped, source: source, user: 1).job.needs.words == ["@b"])
        // Without named roots all nodes have the same paths.
        #expect(try two.submit(request(), source: source, user: 1).job.needs.words == [])
        piped.input = "/home/ann/film.mov"
        #expect(try one.submit(piped, source: source, user: 1).job.needs.words == ["/out", "@a"])
        piped.input = "/films/../etc/passwd"
        #expect(try one.submit(piped, source: source, user: 1).job.needs.words == ["/out", "@a"])
        #expect(try one.claim(worker: worker)?.id == 2)
        #expect(try one.claim(worker: worker)?.id == 3)
        #expect(try two.claim(worker: worker)?.id == 1)
    }

    @Test func aRootHasOneMarker() throws {
        let stores = try (0..<4).map { try scratch.store(node("\($0)"), of: "\($0)") }
        #expect(try stores[0].marker(of: "media", proposing: nil) == nil)
        let found = Mutex<Set<String>>([])
        DispatchQueue.concurrentPerform(iterations: 4) { number in
            let id = try? stores[number].marker(of: "media", proposing: "id-\(number)")
            found.withLock { _ = $0.insert(id ?? "") }
        }
        #expect(found.withLock(\.count) == 1)
        #expect(try stores[0].marker(of: "other", proposing: "x") == "x")
    }

    /// Submissions at once on several nodes: exactly as many are accepted as the limit lets.
    @Test func aLimitIsExactAmongNodes() throws {
        let stores = try (0..<4).map { try scratch.store(of: "\($0)") }
        let limit = 20
        let results = Mutex<[Bool]>([])
        DispatchQueue.concurrentPerform(iterations: 48) { number in
            let job = try? stores[number % 4].submit(request(), source: source, user: 1, limit: limit)
            results.withLock { $0.append(job != nil) }
        }
        #expect(results.withLock { $0.count(where: \.self) } == limit)
        #expect(try stores[0].counts() == [.waiting: limit])
        // Another user's are counted on their own; a retry counts too.
        #expect(try stores[0].submit(request(), source: source, user: 2, limit: limit).isNew)
        _ = try stores[0].cancel(1)
        _ = try stores[1].submit(request(), source: source, user: 1, limit: limit)
        let error = #expect(throws: MediaError.self) { try stores[2].retry(1, source: source, limit: limit) }
        #expect(error?.code == .limitReached)
    }

    @Test func aUserHasSoManyDifferentNeeds() throws {
        let store = try scratch.store(of: "a")
        func submit(_ number: Int, of user: UInt32 = 1) throws -> JobSubmission {
            try store.submit(
                request(), source: source, user: user, start: StartCondition(needs: ["t\(number)"]))
        }
        for number in 0..<Needs.mostSets { _ = try submit(number) }
        let error = #expect(throws: MediaError.self) { try submit(Needs.mostSets) }
        #expect(error?.code == .limitReached)
        #expect(try submit(7).isNew)
        #expect(try submit(Needs.mostSets, of: 2).isNew)
        #expect(try store.submit(request(), source: source, user: 1).isNew)
    }

    /// Leases of four seconds, by the server's clock: who renews keeps its job however long it takes, who does not loses it.
    @Test func leasesEndByTheServersClock() throws {
        let (keeper, sleeper, other) = (
            try scratch.store(node("keeper"), of: "k", lease: 4000),
            try scratch.store(node("sleeper"), of: "s", lease: 4000),
            try scratch.store(node("other"), of: "o", lease: 4000)
        )
        let ids = try (0..<2).map { _ in try keeper.submit(request(), source: source, user: 1).job.id }
        _ = try keeper.claim(worker: worker)
        _ = try sleeper.claim(worker: worker)
        var taken: [Int64] = []
        let start = ContinuousClock.now
        // Three leases and more, in which one of them renews.
        while ContinuousClock.now - start < .seconds(13) || taken.isEmpty,
            ContinuousClock.now - start < .seconds(120)
        {
            try keeper.renew()
            taken += try other.takeOver().map(\.id)
            usleep(50_000)
        }
        #expect(taken == [ids[1]])
        #expect(try keeper.complete(published(ids[0], keeper), attempt: 1).state == .completed)
        #expect(throws: MediaError.self) { try sleeper.complete(ids[1], attempt: 1) }
    }

    private func published(_ id: Int64, _ store: JobStore) throws -> Int64 {
        try store.publish(
            id, attempt: 1, Publication(device: 1, inode: 2, name: "\(id).m4a"), result: result()
        ).id
    }
}
