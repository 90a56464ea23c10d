// Processes that are started: they have what was asked for and nothing else, and none is started that would lack a part of it.
import Foundation
import Testing

@testable import Platform

@Suite struct SpawnTests {
    /// A file of one test, removed with it.
    private final class Log {
        let path = "/tmp/spawn-tests-\(UUID().uuidString)"
        var text: String { (try? String(contentsOfFile: path, encoding: .utf8)) ?? "" }
        deinit { try? FileManager.default.removeItem(atPath: path) }
    }

    private func shell(_ script: String, _ log: Log) -> Spawn {
        Spawn("/bin/sh", ["-c", script], log: .appending(log.path))
    }

    @Test func aProcessHasItsWordsItsEnvironmentAndItsDescriptorsAlone() throws {
        let log = Log()
        var spawn = shell(
            "cat; cat <&3; echo $A; env | grep -c =; ls /proc/self/fd | tr '\\n' ' '; echo gone >&2", log)
        spawn.environment = ["A": "1=2"]
        var pipe = try Descriptor.pipe()
        guard let reading = pipe.takeFirst(), let writing = pipe.takeSecond() else {
            Issue.record("a pipe has two ends")
            return
        }
        Kernel.write("said\n", to: writing.rawValue)
        _ = consume writing
        spawn.control = reading.rawValue
        Kernel.await(try spawn.start())
        _ = consume reading
        let lines = log.text.split(separator: "\n")
        #expect(lines.first == "said" && lines.contains("1=2"), "\(log.text)")
        // Of `ls`: its own folder is the last of them.
        #expect(lines.last == "0 1 2 3 4 gone", "\(log.text)")
    }

    @Test func aStepThatFailsStartsNothing() {
        let log = Log()
        var steps = [shell("echo started", log), shell("echo started", log), shell("echo started", log)]
        steps[0].input = .descriptor(-1)
        steps[1].log = .descriptor(-1)
        steps[2].control = -1
        for step in steps {
            #expect(throws: SystemError("starting", "/bin/sh", code: EBADF)) {
                Kernel.await(try step.start())
            }
        }
        #expect(log.text.isEmpty)
    }

    @Test func aProgramThatIsNotThereIsAnError() {
        let missing = Spawn("/nowhere/trimd", [], log: .descriptor(2))
        #expect(throws: SystemError("starting", "/nowhere/trimd", code: ENOENT)) { try missing.start() }
        #expect(throws: SystemError("starting", "/nowhere/trimd", code: ENOENT)) { try ChildProcess(missing) }
    }

    @Test func aChildIsReapedWhetherItListensOrNot() throws {
        let log = Log()
        for script in ["cat", "trap '' TERM; echo ready; cat; while :; do sleep 0.01; done"] {
            let child = try ChildProcess(shell(script, log))
            #expect(child.isRunning)
            child.end(within: 0.05)
            #expect(!child.isRunning)
            #expect(ProcessTable.identity(of: child.pid) == nil)
        }
    }

    @Test func aProcessIsKnownByItsStart() throws {
        let own = try #require(ProcessTable.identity(of: getpid()))
        #expect(own.boot == ProcessTable.boot && own.start > 0)
        #expect(ProcessTable.identity(of: getpid()) == own)
        #expect(ProcessTable.end(ProcessIdentity(pid: own.pid, start: own.start - 1, boot: own.boot)))
    }
}
