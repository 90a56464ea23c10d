// System calls for the terminal: the only file here that uses `unsafe`, because write(2) and ioctl(2) take pointers. Each pointer
// is valid only during its call. No state.
internal import CLinux
internal import Glibc
internal import Media
internal import Text

/// The terminal and the standard streams.
enum Terminal {
    static let standardOutput: Int32 = STDOUT_FILENO
    static let standardError: Int32 = STDERR_FILENO

    /// Whether the descriptor is a terminal.
    static func isTerminal(_ descriptor: Int32) -> Bool { isatty(descriptor) == 1 }

    /// Width of the terminal in columns; 80 if unknown.
    static func columns(_ descriptor: Int32) -> Int {
        var size = winsize()
        let answer = unsafe ioctl(descriptor, UInt(TIOCGWINSZ), &size)
        return answer == 0 && size.ws_col > 0 ? Int(size.ws_col) : 80
    }

    /// Columns and rows of the terminal; 80 and 24 if unknown.
    static func size(_ descriptor: Int32) -> (columns: Int, rows: Int) {
        var size = winsize()
        let answer = unsafe ioctl(descriptor, UInt(TIOCGWINSZ), &size)
        guard answer == 0, size.ws_col > 0, size.ws_row > 0 else { return (80, 24) }
        return (Int(size.ws_col), Int(size.ws_row))
    }

    /// The size of the terminal in pixels; nil if unknown.
    static func pixels(_ descriptor: Int32) -> (width: Int, height: Int)? {
        var size = winsize()
        let answer = unsafe ioctl(descriptor, UInt(TIOCGWINSZ), &size)
        guard answer == 0, size.ws_xpixel >= size.ws_col, size.ws_ypixel >= size.ws_row, size.ws_col > 0,
            size.ws_row > 0
        else { return nil }
        return (Int(size.ws_xpixel), Int(size.ws_ypixel))
    }

    /// Whether this process is in the terminal's foreground.
    static func isForeground(_ descriptor: Int32) -> Bool { tcgetpgrp(descriptor) == getpgrp() }

    /// Sets the terminal to unbuffered input without echo; Ctrl-C and, if it may stop this process, Ctrl-Z stay signals. Returns
    /// the previous mode; nil: not a terminal.
    static func takeKeys(_ descriptor: Int32, canStop: Bool = true) -> termios? {
        var mode = termios()
        guard unsafe tcgetattr(descriptor, &mode) == 0 else { return nil }
        var keys = mode
        keys.c_lflag &= ~tcflag_t(ICANON | ECHO)
        // The key that suspends, VSUSP; 0 is none.
        if !canStop { keys.c_cc.10 = 0 }
        return unsafe tcsetattr(descriptor, TCSADRAIN, &keys) == 0 ? mode : nil
    }

    /// Sets a terminal mode.
    /// - Parameter droppingInput: what has come and was not read is dropped.
    static func set(_ mode: termios, _ descriptor: Int32, droppingInput: Bool = false) {
        var mode = mode
        _ = unsafe tcsetattr(descriptor, droppingInput ? TCSAFLUSH : TCSADRAIN, &mode)
    }

    /// Waits until a descriptor is readable, or for a timeout; returns the readable ones.
    static func wait(for descriptors: [Int32], milliseconds: Int32) -> Set<Int32> {
        var set = descriptors.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        guard unsafe poll(&set, nfds_t(set.count), milliseconds) > 0 else { return [] }
        return Set(set.filter { $0.revents != 0 }.map(\.fd))
    }

    /// The bytes that can be read now; empty at the end.
    static func read(_ descriptor: Int32) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 256)
        let count = unsafe bytes.withUnsafeMutableBytes {
            unsafe Glibc.read(descriptor, $0.baseAddress, $0.count)
        }
        return Array(bytes.prefix(max(count, 0)))
    }

    /// Stops this process until SIGCONT.
    static func suspend() { _ = kill(getpid(), SIGSTOP) }

    static let standardInput: Int32 = STDIN_FILENO

    /// Writes all of a text; returns 0, or the errno of the failed write. A name that is not UTF-8 is written byte for byte; on a
    /// terminal, which could not show it, in readable form.
    static func write(_ text: String, to descriptor: Int32) -> Int32 {
        let isShown = !PathBytes.isText(text) && isTerminal(descriptor)
        var rest = PathBytes.bytes(isShown ? PathBytes.readable(text) : text)[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes {
                unsafe Glibc.write(descriptor, $0.baseAddress, $0.count)
            }
            if count < 0, errno == EINTR { continue }
            if count < 0, errno == EAGAIN {
                _ = trim_poll(descriptor, 0, 1, -1, 1000)
                continue
            }
            guard count > 0 else { return errno }
            rest = rest.dropFirst(count)
        }
        return 0
    }

    /// Standard input up to its end; nil if it cannot be read.
    static func readStandardInput() -> [UInt8]? {
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = unsafe piece.withUnsafeMutableBytes {
                unsafe Glibc.read(STDIN_FILENO, $0.baseAddress, $0.count)
            }
            if count == 0 { return bytes }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return nil }
            bytes += piece.prefix(count)
        }
    }

    /// The errno of a pipe without a reader.
    static let brokenPipe = EPIPE

    /// Seconds of the monotonic clock.
    static var now: Double { Double(trim_monotonic_ns()) / 1e9 }
}
