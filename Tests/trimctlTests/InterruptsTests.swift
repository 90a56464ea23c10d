// Signals become bytes in a pipe. Real signals are sent in processes of their own.
import Glibc
import Testing

@testable import TrimClient
@testable import trimctl

@Suite(.timeLimit(.minutes(10))) struct InterruptsTests {
    @Test func eachInterruptIsCountedOnce() {
        let interrupts = Interrupts()
        #expect(interrupts.drain() == 0)
        interrupts.raise()
        interrupts.raise()
        #expect(interrupts.drain() == 2)
        #expect(interrupts.drain() == 2)
    }

    @Test func signalsDoNotEndTheProcess() async {
        await #expect(processExitsWith: .exitCode(3)) {
            let interrupts = Interrupts()
            interrupts.install()
            kill(getpid(), SIGPIPE)
            for (count, signal) in [SIGINT, SIGTERM, SIGHUP].enumerated() {
                kill(getpid(), signal)
                // Another thread takes it: this one blocks signals, as Dispatch's do.
                while interrupts.drain() == count { usleep(1000) }
            }
            exit(Int32(interrupts.count))
        }
    }

    @Test func whatWasIgnoredStaysIgnored() async {
        await #expect(processExitsWith: .exitCode(1)) {
            signal(SIGHUP, SIG_IGN)
            let interrupts = Interrupts()
            interrupts.install()
            kill(getpid(), SIGHUP)
            kill(getpid(), SIGINT)
            while interrupts.drain() == 0 { usleep(1000) }
            exit(Int32(interrupts.count))
        }
    }
}
