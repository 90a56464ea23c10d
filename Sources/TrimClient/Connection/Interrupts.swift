// Ctrl-C and other signals: SIGINT, SIGTERM and SIGHUP become bytes in a pipe, which every wait polls; the command decides how
// to react. `unsafe` is needed because a signal handler is a C function that shares state with the program: it uses one atomic
// and calls write(2), both allowed in a handler.
internal import CLinux
internal import Glibc
internal import Platform
internal import Synchronization
internal import Wire

/// The pipe's write end, for the handler; -1 until one is installed.
private let signalPipe = Atomic<Int32>(-1)

private func forward(_ signal: Int32) {
    let saved = errno
    var byte = UInt8(truncatingIfNeeded: signal)
    _ = unsafe write(signalPipe.load(ordering: .relaxed), &byte, 1)
    errno = saved
}

/// Stop requests, as a descriptor to poll and a count.
package final class Interrupts {
    /// The number of stop requests read so far.
    package private(set) var count = 0
    /// The pipe's read end: readable while it has bytes; nil if there is no pipe.
    package let descriptor: Int32?
    /// Whether the terminal has asked to suspend this process (Ctrl-Z); the command resets it.
    package var isSuspended = false
    private let writing: Int32?
    /// Keep both ends open.
    private let readingOwner: Descriptor?, writingOwner: Descriptor?

    /// Creates a pipe, not yet fed by signals. If the system has none left, nothing interrupts.
    package init() {
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

    /// Stop requests that are a descriptor of the caller's becoming readable, such as the end of its own client. No signal is fed
    /// to it; the caller keeps it open.
    package init(watching descriptor: Int32) {
        self.descriptor = descriptor
        writing = nil
        readingOwner = nil
        writingOwner = nil
    }

    /// Routes signals to this pipe for the rest of the process. A closed stdout raises no signal.
    package func install() {
        guard let raw = writing else { return }
        signalPipe.store(raw, ordering: .relaxed)
        // A parent that starts us from one of its threads may have blocked them there.
        var unblocked = sigset_t()
        unsafe sigemptyset(&unblocked)
        for number in [SIGINT, SIGTERM, SIGHUP] { unsafe sigaddset(&unblocked, number) }
        unsafe pthread_sigmask(SIG_UNBLOCK, &unblocked, nil)
        for number in [SIGINT, SIGTERM, SIGHUP] {
            var action = sigaction()
            // Signals ignored at the start (nohup) stay ignored.
            _ = unsafe sigaction(number, nil, &action)
            if isIgnored(action) { continue }
            unsafe action.__sigaction_handler.sa_handler = forward
            action.sa_flags = SA_RESTART
            _ = unsafe sigaction(number, &action, nil)
        }
        _ = signal(SIGPIPE, SIG_IGN)
    }

    /// Routes the terminal's signals here too: suspend, and window size changes.
    package func installForTerminal() {
        for number in Self.ofTerminal {
            var action = sigaction()
            _ = unsafe sigaction(number, nil, &action)
            if isIgnored(action) { continue }
            unsafe action.__sigaction_handler.sa_handler = forward
            action.sa_flags = SA_RESTART
            _ = unsafe sigaction(number, &action, nil)
        }
    }

    /// These are not stop requests.
    private static let ofTerminal = [SIGTSTP, SIGWINCH]

    private func isIgnored(_ action: sigaction) -> Bool {
        let handler = unsafe unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
        return handler == 1
    }

    /// Records a stop request, as a signal would.
    package func raise() {
        var byte: UInt8 = 0
        if let raw = writing { _ = unsafe write(raw, &byte, 1) }
    }

    /// `raise`, for any thread, while these interrupts exist.
    package var raiser: @Sendable () -> Void {
        let writing = writing
        return {
            var byte: UInt8 = 0
            if let writing { _ = unsafe write(writing, &byte, 1) }
        }
    }

    /// Drains the pipe; returns the number of stop requests so far.
    @discardableResult
    package func drain() -> Int {
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
