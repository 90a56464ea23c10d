// Signals: SIGTERM, SIGINT and SIGHUP as events on a queue. They are blocked in every thread before there is
// a second one, or one that comes early would be lost or end the process. An ordinary class, so that its
// closures are not the main actor's. It decides nothing.
//
// `unsafe` here: signal sets are filled in through pointers.
internal import CLinux
internal import Dispatch
internal import Glibc

/// The signals that end the daemon.
final class Signals {
    private static let ending = [SIGTERM, SIGINT, SIGHUP]
    private var sources: [any DispatchSourceSignal] = []

    /// The first thing a process does.
    static func block() {
        var set = sigset_t()
        unsafe sigemptyset(&set)
        for signal in ending { unsafe sigaddset(&set, signal) }
        unsafe pthread_sigmask(SIG_BLOCK, &set, nil)
        // Who reads our log may go; writing to it then is an error and no end.
        signal(SIGPIPE, SIG_IGN)
        // A file that may not grow is an error too (EFBIG), and no end.
        signal(SIGXFSZ, SIG_IGN)
    }

    /// Calls `handler` on the queue for each signal that comes, those included that came since `block`.
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
