// Workers forked from a server that has loaded their libraries, with the real trim-worker: each is as its twin is that was started
// as a program, whatever becomes of the server.
import Dispatch
import Foundation
import Glibc
import Media
import Platform
import Synchronization
import Testing
import Text
import Wire

@testable import trimd

@Suite(.serialized, .timeLimit(.minutes(10))) struct ForkServerTests {
    let scratch: Scratch
    private static let rounds = ProcessInfo.processInfo.environment["TRIMD_FAULTS"] == nil ? 30 : 300

    init() throws { scratch = try Scratch() }

    func pool(
        forking: Bool = true, prepared: Bool = true, policy: SandboxPolicy = .required,
        program: String? = nil
    ) throws -> WorkerPool {
        let pool = WorkerPool(
            program: try program ?? TestPrograms.path("trim-worker"),
            Worker.Setup(policy: policy, forks: forking, preparesForks: prepared),
            log: Log(level: .error, isJournal: false))
        pool.prepare()
        return pool
    }

    /// A trim-worker of the test's own, which it may replace.
    private func copiedProgram() throws -> String {
        let program = scratch.path + "/worker"
        try FileManager.default.copyItem(atPath: try TestPrograms.path("trim-worker"), toPath: program)
        return program
    }

    /// The PID of the pool's server, as soon as there is one that is not the other.
    func server(of pool: WorkerPool, after other: Int32? = nil) throws -> Int32 {
        #expect(eventually { pool.forkServerPID.map { $0 != other } ?? false })
        return try #require(pool.forkServerPID)
    }

    /// A worker that is sealed and waits for its request.
    func sealed(_ pool: WorkerPool) throws -> Worker {
        let worker = try pool.take()
        #expect(eventually { worker.state.withLock { $0.seal != nil } })
        #expect(worker.state.withLock { $0.seal?.missing } == [])
        return worker
    }

    /// Whether a worker was forked: only then it has a server's arguments.
    func isForked(_ worker: Worker) -> Bool {
        ProcessTable.read("/proc/\(worker.identity.pid)/cmdline")?.contains("--fork-server") == true
    }

    /// The answer of a worker about a file that is no film; crashes have another code.
    func probe(_ worker: Worker, name: String = "film.mov") throws -> ErrorCode? {
        let film = scratch.path + "/film.mov"
        if !FileManager.default.fileExists(atPath: film) { try scratch.file("film.mov", "no film") }
        let file = try Descriptor(opening: film, O_RDONLY)
        let outcome = Mutex<Worker.Outcome?>(nil)
        let done = DispatchSemaphore(value: 0)
        worker.serve(
            .probe, WorkerProbe(name: name, keyframes: false), passing: [file.rawValue],
            Worker.Client(then: { found in
                outcome.withLock { $0 = found }
                done.signal()
            }))
        #expect(done.wait(timeout: .now() + 60) == .success)
        _ = consume file
        guard case .failure(let error)? = outcome.withLock(\.self) else { return nil }
        return error.code
    }

    static let notAFilm = ErrorCode.fileFormatNotRecognized

    @Test(arguments: [true, false]) func aForkHasNothingThatItsTwinHasNot(isPrepared: Bool) throws {
        let forking = try pool(prepared: isPrepared)
        let starting = try pool(forking: false)
        defer { for pool in [forking, starting] { pool.close() } }
        _ = try server(of: forking)
        // Of an earlier worker nothing stays behind.
        #expect(try probe(try forking.take()) == ForkServerTests.notAFilm)
        let fork = try sealed(forking)
        let twin = try sealed(starting)
        defer {
            fork.kill()
            twin.kill()
        }
        #expect(isForked(fork) && !isForked(twin))
        var (ours, theirs): ([String: String], [String: String]) = ([:], [:])
        // Both have said that they are sealed before they wait for a request: until then one may still start a thread, with all
        // signals blocked. A difference that stays is a fault.
        _ = eventually {
            ours = WorkerProcess(fork.identity.pid).surroundings
            theirs = WorkerProcess(twin.identity.pid).surroundings
            return ours == theirs
        }
        #expect(ours.count > 40)
        for name in Set(ours.keys).union(theirs.keys) {
            #expect(ours[name] == theirs[name], "\(name)")
        }
        #expect(
            [ours["leads its group"], ours["PPid"], ours["comm"]] == ["true", "\(getpid())", "trim-worker\n"])
        guard getuid() == 0 else { return }
        #expect(ours.keys.filter { $0.hasPrefix("fd ") }.sorted() == ["fd 0", "fd 1", "fd 2", "fd 3"])
        #expect(ours["environ"] == "")
    }

    /// The server never sees a request, so that none of its forks can hold one.
    @Test(
        .enabled(if: getuid() == 0, "only root may read another process's memory"), arguments: [true, false])
    func aForkHasNoBytesOfAnEarlierRequest(isPrepared: Bool) throws {
        let pool = try pool(prepared: isPrepared)
        defer { pool.close() }
        let server = try server(of: pool)
        let marker = "marker-\(UUID().uuidString).mov"
        for _ in 0..<3 { #expect(try probe(try pool.take(), name: marker) == ForkServerTests.notAFilm) }
        let later = try sealed(pool)
        defer { later.kill() }
        #expect(isForked(later) && pool.forkServerPID == server)
        let bytes = Array(marker.utf8)
        #expect(try !WorkerProcess(later.identity.pid).holds(bytes))
        #expect(try !WorkerProcess(server).holds(bytes))
        // Else the search could not fail. This process holds the marker too, and changes its memory during a search.
        #expect(try WorkerProcess(later.identity.pid).holds(Array("--fork-server".utf8)))
    }

    @Test func manyAtOnce() throws {
        let pool = try pool()
        let server = try server(of: pool)
        try scratch.file("film.mov", "no film")
        let answers = Mutex<[ErrorCode?]>([])
        DispatchQueue.concurrentPerform(iterations: 24) { _ in
            let code = (try? pool.take()).flatMap { try? probe($0) }
            answers.withLock { $0.append(code) }
        }
        #expect(answers.withLock(\.self) == Array(repeating: ForkServerTests.notAFilm, count: 24))
        #expect(pool.forkServerPID == server)
        pool.close()
        #expect(WorkerProcess.left(of: [server]).isEmpty)
    }

    /// The workers of the server before go on; the next has loaded what is there now.
    @Test func aChangedProgramHasANewServer() throws {
        let program = try copiedProgram()
        let pool = try pool(program: program)
        defer { pool.close() }
        let first = try server(of: pool)
        let before = try sealed(pool)
        #expect(isForked(before))
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSince1970: 1)], ofItemAtPath: program)
        // It looks once a second.
        #expect(
            eventually {
                (try? pool.take())?.kill()
                return pool.forkServerPID.map { $0 != first } ?? false
            })
        #expect(kill(first, 0) != 0)
        #expect(try probe(before) == ForkServerTests.notAFilm)
        let next = try pool.take()
        #expect(before.server == first && next.server == pool.forkServerPID)
        #expect(try probe(next) == ForkServerTests.notAFilm)
    }

    /// A spare waits for whoever comes next, unless its program was replaced meanwhile.
    @Test func aSpareHasLoadedWhatIsOnDisk() throws {
        let program = try copiedProgram()
        let pool = try pool(program: program)
        defer { pool.close() }
        let first = try server(of: pool)
        #expect(eventually { pool.sparePID != nil })
        let spare = try #require(pool.sparePID)
        let taken = try pool.take()
        #expect(taken.identity.pid == spare && taken.server == first)
        taken.kill()
        #expect(eventually { pool.sparePID.map { $0 != spare } ?? false })
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSince1970: 1)], ofItemAtPath: program)
        sleep(2)  // It looks once a second.
        let next = try pool.take()
        #expect(next.server != first && next.server == pool.forkServerPID)
        #expect(try probe(next) == ForkServerTests.notAFilm)
    }

    /// When the server is killed.
    enum Moment: CaseIterable {
        /// Before it is asked.
        case before
        /// Between the request and its answer.
        case meanwhile
        /// At any time around that.
        case anyTime
    }

    /// Killed at each step: every request has its worker, and no process is left, reaped or not.
    @Test(arguments: Moment.allCases) func aServerThatDiesCostsNoWorker(_ moment: Moment) throws {
        let pool = try pool()
        var servers: Set<Int32> = []
        var workers: Set<Int32> = []
        for round in 0..<(moment == .anyTime ? ForkServerTests.rounds : 3) {
            let server = try server(of: pool)
            let before = try pool.take()
            #expect(isForked(before))
            let next: Worker
            switch moment {
            case .before:
                kill(server, SIGKILL)
                // The spare: only the next one asks the server.
                try pool.take().kill()
                next = try pool.take()
            case .meanwhile:
                #expect(eventually { pool.sparePID != nil })
                kill(server, SIGSTOP)
                let death = Thread {
                    usleep(200_000)
                    kill(server, SIGKILL)
                }
                death.start()
                try pool.take().kill()
                next = try pool.take()
                // Of the next server, if that is there already.
                #expect(!isForked(next) || next.server != server)
            case .anyTime:
                let pause = UInt32.random(in: 0...6000)
                let death = Thread {
                    usleep(pause)
                    kill(server, SIGKILL)
                }
                death.start()
                next = try pool.take()
            }
            #expect(try probe(next) == ForkServerTests.notAFilm, "round \(round)")
            // That of the server before does not notice.
            #expect(try probe(before) == ForkServerTests.notAFilm, "round \(round)")
            servers.insert(try self.server(of: pool, after: server))
            servers.insert(server)
            workers.formUnion([before.identity.pid, next.identity.pid])
        }
        pool.close()
        #expect(eventually { WorkerProcess.left(of: servers.union(workers)).isEmpty })
    }

    /// A program that cannot serve forks, or says what makes no sense, is started for each worker as before.
    @Test(arguments: [
        "exit 1", "sleep 100", "printf rubbish >&3; sleep 100", "printf . >&3; sleep 100",
        "printf '+nothing' >&3; printf . >&3; sleep 100",
        "printf '+- /x\\n' >&3; printf . >&3; dd bs=64 count=1 <&3; printf rubbish >&3; sleep 100",
        "printf '+- /x\\n' >&3; printf . >&3; dd bs=64 count=1 <&3; printf 1 >&3; sleep 100",
        "printf '+- /x\\n' >&3; printf . >&3; dd bs=64 count=1 <&3; printf '%s' -11 >&3; sleep 100",
        "printf '+- /x\\n' >&3; printf . >&3; dd bs=64 count=1 <&3; exit 0",
    ])
    func whoCannotServeForksIsNotAsked(_ script: String) throws {
        let program = try scratch.program(
            "worker",
            """
            if [ "$1" = --fork-server ]; then \(script); exit; fi
            read request <&3; echo '{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"no","data":{"code":"playlist","message":"no"}}}' >&3
            """)
        let pool = try pool(policy: .bestEffort, program: program)
        for _ in 0..<4 { #expect(try probe(try pool.take()) == .playlist) }
        pool.close()
        #expect(throws: MediaError.self) { try pool.take() }
    }

    @Test func aServerEndsWithItsSocket() throws {
        let pool = try pool()
        let server = try server(of: pool)
        let worker = try sealed(pool)
        pool.close()
        #expect(kill(server, 0) != 0)
        #expect(worker.isReady)
        worker.kill()
        #expect(eventually { WorkerProcess.left(of: [server, worker.identity.pid]).isEmpty })
    }
}
