// Signals: SIGTERM, SIGINT and SIGHUP as events on a queue. They are blocked before a second thread exists; otherwise an early
// one would be lost or end the process. A nonisolated class, so that its closures are not on the main actor.
//
// `unsafe` here: signal sets are filled through pointers.
internal import CLinux
internal import Dispatch
internal import Glibc

/// The signals that end the daemon.
final class Signals {
    private static let ending = [SIGTERM, SIGINT, SIGHUP]
    private var sources: [any DispatchSourceSignal] = []

    /// Blocks them; the first call of the process.
    static func block() {
        var set = sigset_t()
        unsafe sigemptyset(&set)
        for signal in ending { unsafe sigaddset(&set, signal) }
        unsafe pthread_sigmask(SIG_BLOCK, &set, nil)
        // If the reader of our log exits, a write is an error and does not end the process.
        signal(SIGPIPE, SIG_IGN)
        // Neither does a file at its size limit (EFBIG).
        signal(SIGXFSZ, SIG_IGN)
    }

    /// Calls `handler` on the queue for each signal, including those since `block`.
    init(on queue: DispatchQueue, _ handler: @escaping @Sendable (_ name: String) -> Void) {
        for number in Signals.ending {
            let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
            source.setEventHandler { handler(Signals.name(number)) }
            source.resume()
            sources.append(source)
        }
    }

    /// A signal's name.
    static func name(_ number: Int32) -> String {
        switch number {
        case SIGABRT: "SIGABRT"
        case SIGBUS: "SIGBUS"
        case SIGFPE: "SIGFPE"
        case SIGHUP: "SIGHUP"
        case SIGILL: "SIGILL"
        case SIGINT: "SIGINT"
        case SIGKILL: "SIGKILL"
        case SIGPIPE: "SIGPIPE"
        case SIGSEGV: "SIGSEGV"
        case SIGSYS: "SIGSYS"
        case SIGTERM: "SIGTERM"
        case SIGTRAP: "SIGTRAP"
        case SIGXCPU: "SIGXCPU"
        case SIGXFSZ: "SIGXFSZ"
        default: "signal \(number)"
        }
    }
}
