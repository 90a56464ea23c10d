// Shell scripts as workers, and their messages.
import Dispatch
import Glibc
import Media
import Platform
import Synchronization
import Testing
import Text
import Wire

@testable import trimd

extension WorkerTests {
    final class Received: Sendable {
        let queue = DispatchQueue(label: "received")
        let lines = Mutex<[String]>([])
        let outcome = Mutex<Worker.Outcome?>(nil)
        let done = DispatchSemaphore(value: 0)
    }

    func worker(
        _ script: String, _ setup: Worker.Setup = Worker.Setup(policy: .bestEffort)
    ) throws -> Worker {
        let program = try scratch.program("worker", script)
        return try Worker(starting: program, setup)
    }

    func serve(
        _ worker: Worker, passing: [Int32] = [], meanwhile: () -> Void = {}
    ) throws -> (Worker.Outcome, [String]) {
        let received = Received()
        worker.serve(
            .verify, Empty(), passing: passing,
            Worker.Client(
                inbox: WorkerInbox(
                    on: received.queue,
                    onProgress: { progress in
                        received.lines.withLock { $0.append("progress \(progress.fraction)") }
                    }, onLine: { line in received.lines.withLock { $0.append(line) } }),
                then: { outcome in
                    received.queue.async {
                        received.outcome.withLock { $0 = outcome }
                        received.done.signal()
                    }
                }))
        meanwhile()
        #expect(received.done.wait(timeout: .now() + 60) == .success)
        return (try #require(received.outcome.withLock { $0 }), received.lines.withLock { $0 })
    }

    @Test func whoWritesToNothingAnswersBeforeItsEnd() throws {
        let script = """
            read request <&3
            echo '{"jsonrpc":"2.0","id":1,"result":{"fine":true}}' >&3
            sleep 100
            """
        let worker = try worker(script)
        let (answered, ended) = (Received(), Received())
        var client = Worker.Client { _ in ended.done.signal() }
        client.onAnswer = { outcome in
            answered.outcome.withLock { $0 = outcome }
            answered.done.signal()
        }
        worker.serve(.probe, Empty(), passing: [], client)
        #expect(answered.done.wait(timeout: .now() + 60) == .success)
        #expect(try answered.outcome.withLock { $0 }?.get() == ["fine": true])
        #expect(ended.done.wait(timeout: .now()) == .timedOut && kill(worker.identity.pid, 0) == 0)
        worker.kill()
        #expect(ended.done.wait(timeout: .now() + 60) == .success)
        #expect(answered.done.wait(timeout: .now()) == .timedOut, "the answer comes once")
    }

    func code(_ outcome: Worker.Outcome) -> ErrorCode? {
        guard case .failure(let error) = outcome else { return nil }
        return error.code
    }
}

/// Whether something comes to be so; a machine may have much else to do.
func eventually(_ isSo: () -> Bool) -> Bool {
    for _ in 0..<6000 {
        if isSo() { return true }
        usleep(10_000)
    }
    return isSo()
}
