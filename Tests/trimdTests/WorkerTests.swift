// One worker process: its surroundings, its answer, and every way in which it can end without one. Shell
// scripts stand in for trim-worker; they speak through descriptor 3.
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

// Serialized, since a script that is still open for writing in a child that is just being made cannot be
// started.
@Suite(.serialized, .timeLimit(.minutes(10))) struct WorkerTests {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    @Test func itAnswers() throws {
        let script = """
            read request <&3
            echo "$request" | grep -q '"method":"verify"' || exit 1
            echo '{"jsonrpc":"2.0","method":"progress","params":{"fraction":0.5,"phase":"exporting"}}' >&3
            echo '{"jsonrpc":"2.0","method":"log","params":{"line":"noted"}}' >&3
            echo said
            echo '{"jsonrpc":"2.0","id":1,"result":{"fine":true}}' >&3
            """
        let (outcome, lines) = try serve(try worker(script))
        #expect(try outcome.get() == ["fine": true])
        #expect(Set(lines) == ["progress 0.5", "noted", "worker: said"])
    }

    @Test func itsErrorIsOurs() throws {
        let script = """
            read request <&3
            echo '{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"no","data":{"code":"playlist","message":"no"}}}' >&3
            """
        #expect(code(try serve(try worker(script)).0) == .playlist)
    }

    @Test func itHasOnlyWhatItNeeds() throws {
        let script = """
            read request <&3
            ls -1 /proc/self/fd
            readlink /proc/$$/fd/0; pwd; tr "\\0" "\\n" < /proc/$$/environ | sort | grep -v -e PWD -e SHLVL -e '^_='
            ps -o pgid= -p $$ | grep -qw $$ && echo group
            while read key value; do [ $key = SigBlk: ] && echo $key $value; done < /proc/$$/status
            """
        let (_, said) = try serve(try worker(script))
        // The last is what ls reads the folder with: the lowest number that was free.
        let lines = said.map { $0.replacing("worker: ", with: "") }
        #expect(lines.filter { Int($0) != nil } == ["0", "1", "2", "3", "4"])
        #expect(lines.contains("/dev/null"))
        #expect(!lines.contains { $0.contains("=") })
        #expect(lines.contains("group"))
        #expect(lines.contains("SigBlk: 0000000000000000"))
    }

    @Test func aCrashNamesItsSignal() throws {
        let (outcome, _) = try serve(try worker("read request <&3; kill -SEGV $$"))
        #expect(code(outcome) == .workerCrashed)
        guard case .failure(let error) = outcome else { return }
        #expect(error.message.contains("SIGSEGV"))
    }

    @Test func anEndWithoutAnAnswerNamesItsStatus() throws {
        guard case .failure(let error) = try serve(try worker("read request <&3; exit 7")).0 else {
            Issue.record("it answered")
            return
        }
        #expect(error.code == .workerCrashed)
        #expect(error.message.contains("status 7"))
    }

    @Test func anEndBeforeTheRequest() throws {
        let worker = try worker("exit 0")
        #expect(eventually { !worker.isReady })
        #expect(code(try serve(worker).0) == .workerCrashed)
    }

    @Test func killingIsAtOnceEvenWhereItSleepsOrIsStopped() throws {
        for script in [
            "read request <&3; sleep 100", "kill -STOP $$", "trap '' TERM; while :; do sleep 1; done",
        ] {
            let worker = try worker(script)
            let began = ContinuousClock.now
            let (outcome, _) = try serve(worker) {
                usleep(100_000)
                worker.kill()
                worker.kill()
            }
            #expect(code(outcome) == .workerCrashed)
            #expect(ContinuousClock.now - began < .seconds(60))
            worker.kill()
        }
    }

    @Test func whoAnswersAndStaysIsEnded() throws {
        let script = """
            read request <&3
            echo '{"jsonrpc":"2.0","id":1,"result":{}}' >&3
            sleep 100
            """
        #expect(try serve(try worker(script)).0.get() == .empty)
    }

    @Test func aFloodOfWordsIsCut() throws {
        let script = "read request <&3; head -c 200000 /dev/zero | tr '\\0' x; exit 1"
        let (_, lines) = try serve(try worker(script))
        #expect(lines.allSatisfy { $0.utf8.count <= WorkerInbox.longestLine })
        #expect(!lines.isEmpty)
    }

    @Test func aPoolKeepsOneAhead() throws {
        let program = try scratch.program("worker", "read request <&3\n")
        let pool = WorkerPool(program: program, log: Log(level: .error, isJournal: false))
        let first = try pool.take()
        let second = try pool.take()
        #expect(first.identity != second.identity)
        #expect(second.isReady)
        pool.giveBack(second)
        first.kill()
        pool.close()
        #expect(throws: MediaError.self) { try pool.take() }
        #expect(eventually { !second.isReady })
    }

    private static let sealed =
        #"{"jsonrpc":"2.0","method":"sealed","params":{"landlock":7,"seccomp":true,"missing":[]}}"#
    private static let answer = #"{"jsonrpc":"2.0","id":1,"result":{"fine":true}}"#

    @Test func onlyOneThatSaidThatItIsSealedIsBelieved() throws {
        let silent = "read request <&3; echo '\(WorkerTests.answer)' >&3"
        #expect(code(try serve(try worker(silent, Worker.Setup())).0) == .sandboxUnavailable)
        let half = WorkerTests.sealed.replacing("[]", with: #"["no Landlock"]"#)
        let honest = "echo '\(half)' >&3; \(silent)"
        #expect(code(try serve(try worker(honest, Worker.Setup())).0) == .sandboxUnavailable)
        let late = "read request <&3; echo '\(WorkerTests.answer)' >&3; echo '\(WorkerTests.sealed)' >&3"
        #expect(code(try serve(try worker(late, Worker.Setup())).0) == .sandboxUnavailable)
        let whole = "echo '\(WorkerTests.sealed)' >&3; \(silent)"
        #expect(try serve(try worker(whole, Worker.Setup())).0.get() == ["fine": true])
    }

    @Test func oneThatHangsIsEnded() throws {
        var setup = Worker.Setup(policy: .bestEffort)
        setup.limits.stallSeconds = 2
        let began = ContinuousClock.now
        // Words are not work.
        let log = #"{"jsonrpc":"2.0","method":"log","params":{"line":"busy"}}"#
        let script = "read request <&3; while :; do echo '\(log)' >&3; sleep 0.2; done"
        #expect(code(try serve(try worker(script, setup)).0) == .workerStalled)
        #expect(ContinuousClock.now - began < .seconds(60))
    }

    /// It could be stopped for ever, and is still ended as soon as it goes on and hangs.
    @Test func oneThatIsPausedHasNoTimeLimits() throws {
        var limits = Limits()
        (limits.stallSeconds, limits.jobSeconds) = (2, 3)
        let worker = try worker(
            "read request <&3; sleep 1000", Worker.Setup(policy: .bestEffort, limits: limits))
        worker.pause(true)
        let (outcome, _) = try serve(worker) {
            let stat = "/proc/\(worker.identity.pid)/stat"
            #expect(eventually { ProcessTable.read(stat)?.contains(") T ") == true })
            usleep(4_500_000)
            #expect(worker.state.withLock { $0.answer == nil && $0.status == nil })
            worker.pause(false)
        }
        #expect(code(outcome) == .workerStalled)
    }

    /// To say the same again is no sign of work; to say more is.
    @Test func onlyGrowingProgressCountsAsWork() throws {
        var setup = Worker.Setup(policy: .bestEffort)
        setup.limits.stallSeconds = 2
        func script(_ fraction: String, _ numbers: String) -> String {
            """
            read request <&3
            for i in \(numbers); do
                echo '{"jsonrpc":"2.0","method":"progress","params":{"fraction":'\(fraction)',"phase":"exporting"}}' >&3
                sleep 0.5
            done
            echo '\(WorkerTests.answer)' >&3
            """
        }
        #expect(code(try serve(try worker(script("0.5", "$(seq 100)"), setup)).0) == .workerStalled)
        #expect(try serve(try worker(script("0.$i", "1 2 3 4 5 6 7"), setup)).0.get() == ["fine": true])
    }

    /// A message that no trim-worker sends ends the process that sends it.
    @Test(arguments: [
        #"{"jsonrpc":"2.0","id":2,"method":"job.list","params":{}}"#,
        #"{"jsonrpc":"2.0","id":2,"result":{}}"#,
        #"{"jsonrpc":"2.0","id":"1","result":{}}"#,
        #"{"jsonrpc":"2.0","method":"shout","params":{}}"#,
        #"{"jsonrpc":"2.0","method":"progress","params":{"fraction":"half","phase":"exporting"}}"#,
        #"{"jsonrpc":"2.0","method":"progress","params":{"fraction":0.5,"phase":"dreaming"}}"#,
        #"{"jsonrpc":"2.0","method":"progress","params":[]}"#,
        #"{"jsonrpc":"2.0","method":"log","params":{"line":5}}"#,
        #"{"jsonrpc":"2.0","method":"sealed","params":{"landlock":"seven"}}"#,
    ])
    func nonsenseEndsItsWorker(_ line: String) throws {
        let script = "read request <&3; echo '\(line)' >&3; sleep 100"
        guard case .failure(let error) = try serve(try worker(script)).0 else {
            Issue.record("it was believed")
            return
        }
        #expect(error.code == .workerCrashed)
        #expect(error.message.contains("no sense"), "\(error)")
    }

    @Test func onlyTheFirstAnswerCounts() throws {
        let other = #"{"jsonrpc":"2.0","id":1,"result":{"fine":false}}"#
        let script =
            "read request <&3; echo '\(WorkerTests.answer)' >&3; while echo '\(other)' >&3; do :; done"
        #expect(try serve(try worker(script)).0.get() == ["fine": true])
    }

    /// A worker that talks without end is read at a rate; the rest waits in its own socket, and the worker with it.
    @Test(arguments: [
        #"echo '{"jsonrpc":"2.0","method":"log","params":{"line":"word"}}' >&3"#,
        #"echo '{"jsonrpc":"2.0","method":"alive","params":{}}' >&3"#,
        #"echo '{"jsonrpc":"2.0","method":"progress","params":{"fraction":0.1,"phase":"exporting"}}' >&3"#,
        "echo nonsense >&3", "echo $long",
    ])
    func aFloodIsSlowedDownAtItsSource(_ word: String) throws {
        let count = scratch.path + "/count"
        let script = """
            read request <&3
            long=$(head -c 2000 /dev/zero | tr '\\0' x)
            i=0
            while :; do
                \(word)
                i=$((i + 1))
                echo $i >> \(count)
            done
            """
        let worker = try worker(script)
        let (_, lines) = try serve(worker) {
            #expect(eventually { scratch.text("count")?.isEmpty == false })
            usleep(1_500_000)
            worker.kill()
        }
        let said = Int((scratch.text("count") ?? "").split(separator: "\n").last ?? "") ?? 0
        // 200 a second, and what the socket holds; of output 640 KiB a second, and what the pipe holds.
        #expect((1...3000) ~= said, "\(said)")
        #expect(lines.count <= WorkerInbox.mostLines + 2)
    }

    @Test func oneThatWorksMayTakeItsTimeButNotForEver() throws {
        var setup = Worker.Setup(policy: .bestEffort)
        setup.limits.stallSeconds = 5
        let alive = #"{"jsonrpc":"2.0","method":"alive","params":{}}"#
        let slow = """
            read request <&3
            for i in $(seq 14); do echo '\(alive)' >&3; sleep 0.5; done
            echo '\(WorkerTests.answer)' >&3
            """
        #expect(try serve(try worker(slow, setup)).0.get() == ["fine": true])
        setup.limits.jobSeconds = 2
        let endless = "read request <&3; while :; do echo '\(alive)' >&3; sleep 0.2; done"
        #expect(code(try serve(try worker(endless, setup)).0) == .timeLimitReached)
    }

    @Test func itOutlivesTheThreadThatStartedIt() throws {
        let program = try scratch.program("worker", "read request <&3; exit 0\n")
        let started = Mutex<Worker?>(nil)
        let done = DispatchSemaphore(value: 0)
        let thread = Thread {
            let worker = try? Worker(starting: program, Worker.Setup(policy: .bestEffort))
            started.withLock { $0 = worker }
            done.signal()
        }
        thread.start()
        done.wait()
        while !thread.isFinished { usleep(1000) }
        usleep(300_000)
        let worker = try #require(started.withLock { $0 })
        #expect(worker.isReady)
        worker.kill()
    }

    @Test func noProgramIsSaid() {
        #expect(throws: SystemError.self) { try Worker(starting: "/nowhere/trim-worker") }
    }
}
