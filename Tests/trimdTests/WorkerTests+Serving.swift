// Shell scripts as workers, and what is heard of them.
import Dispatch
import Glibc
import Media
import Synchronization
import Testing
import Text
import Wire

@testable import trimd

extension WorkerTests {
    final class Heard: Sendable {
        let queue = DispatchQueue(label: "heard")
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
        let heard = Heard()
        worker.serve(
            .verify, Empty(), passing: passing,
            Worker.Client(
                inbox: WorkerInbox(
                    on: heard.queue,
                    onProgress: { progress in
                        heard.lines.withLock { $0.append("progress \(progress.fraction)") }
                    }, onLine: { line in heard.lines.withLock { $0.append(line) } }),
                then: { outcome in
                    heard.queue.async {
                        heard.outcome.withLock { $0 = outcome }
                        heard.done.signal()
                    }
                }))
        meanwhile()
        #expect(heard.done.wait(timeout: .now() + 60) == .success)
        return (try #require(heard.outcome.withLock { $0 }), heard.lines.withLock { $0 })
    }

    func code(_ outcome: Worker.Outcome) -> ErrorCode? {
        guard case .failure(let error) = outcome else { return nil }
        return error.code
    }
}

/// Whether something comes to be so; a machine may have much else to do.
func eventually(_ isSo: () -> Bool) -> Bool {
    for _ in 0..<6000 where !isSo() { usleep(10_000) }
    return isSo()
}
