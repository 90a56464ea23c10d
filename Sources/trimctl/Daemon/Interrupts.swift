// Ctrl-C and its like: SIGINT, SIGTERM and SIGHUP become bytes in a pipe, which every wait looks at; what they mean,
// the command decides. `unsafe` stands here because a signal handler is a C function that shares state with the program:
// it touches one atomic and calls write(2), both allowed in a handler.
internal import CLinux
internal import Glibc
internal import Platform
internal import Synchronization
internal import Wire

/// The writing end of the pipe, for the handler; -1 until one is installed.
private let signalPipe = Atomic<Int32>(-1)

private func forward(_ signal: Int32) {
    let saved = errno
    var byte = UInt8(truncatingIfNeeded: signal)
    _ = unsafe write(signalPipe.load(ordering: .relaxed), &byte, 1)
    errno = saved
}

/// The wish to stop, as a descriptor that can be waited for and a number of times it was said.
final class Interrupts {
    /// How often the user has asked to stop, as far as was read.
    private(set) var count = 0
    /// The reading end: readable while there is something to read; nil where there is no pipe.
    let descriptor: Int32?
    /// The terminal wants this process to stop for a while (Ctrl-Z), as far as was read; the command takes it back.
    var isSuspended = false
    private let writing: Int32?
    /// Keep both ends open.
    private let readingOwner: Descriptor?, writingOwner: Descriptor?

    /// A pipe, not yet fed by signals. Where the system has none left, nothing interrupts.
    init() {
        var reading: Descriptor?
        var writing: Descriptor?
        if var pipe = try? Descriptor.pipe() {
            reading = pipe.takeFirst()
            writing = pipe.takeSecond()
            try? reading?.setNonBlocking()
            try? writing?.setNonBlocking()
        }
        descriptor = reading?.rawValue
        self.writing = writing?.rawValue
        readingOwner = reading
        writingOwner = writing
    }

    /// Signals go to this pipe from now on, for the rest of the process. A reader of stdout who goes is no signal.
    func install() {
        guard let raw = writing else { return }
        signalPipe.store(raw, ordering: .relaxed)
        // A program that starts us from one of its threads may have blocked them there.
        var unblocked = sigset_t()
        unsafe sigemptyset(&unblocked)
        for number in [SIGINT, SIGTERM, SIGHUP] { unsafe sigaddset(&unblocked, number) }
        unsafe pthread_sigmask(SIG_UNBLOCK, &unblocked, nil)
        for number in [SIGINT, SIGTERM, SIGHUP] {
            var action = sigaction()
            // What was ignored when we were started (nohup) stays ignored.
            _ = unsafe sigaction(number, nil, &action)
            if isIgnored(action) { continue }
            unsafe action.__sigaction_handler.sa_handler = forward
            action.sa_flags = SA_RESTART
            _ = unsafe sigaction(number, &action, nil)
        }
        _ = signal(SIGPIPE, SIG_IGN)
    }

    /// The terminal's own signals come here too from now on: that it stops this process, and that its size has changed.
    func installForTerminal() {
        for number in Self.ofTerminal {
            var action = sigaction()
            _ = unsafe sigaction(number, nil, &action)
            if isIgnored(action) { continue }
            unsafe action.__sigaction_handler.sa_handler = forward
            action.sa_flags = SA_RESTART
            _ = unsafe sigaction(number, &action, nil)
        }
    }

    /// They are no wish to end.
    private static let ofTerminal = [SIGTSTP, SIGWINCH]

    private func isIgnored(_ action: sigaction) -> Bool {
        let handler = unsafe unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
        return handler == 1
    }

    /// Says it as a signal would.
    func raise() {
        var byte: UInt8 = 0
        if let raw = writing { _ = unsafe write(raw, &byte, 1) }
    }

    /// Empties the pipe; the number of times the user has asked by now.
    @discardableResult
    func drain() -> Int {
        guard let raw = descriptor else { return count }
        var bytes = [UInt8](repeating: 0, count: 16)
        while true {
            let got = unsafe bytes.withUnsafeMutableBytes { unsafe read(raw, $0.baseAddress, $0.count) }
            guard got > 0 else { return count }
            let signals = bytes.prefix(got).map(Int32.init)
            count += signals.count { !Self.ofTerminal.contains($0) }
            if signals.contains(SIGTSTP) { isSuspended = true }
        }
    }
}
