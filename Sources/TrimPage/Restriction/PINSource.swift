// Where the PIN comes from: a file that only its owner can read, or the terminal, without echo. Never the command line, which every
// user of the machine can see.
internal import Glibc
internal import Media
internal import Platform
internal import Text

/// Reads the PIN.
enum PINSource {
    /// The PIN of a file's first line; nil: it is asked for at the terminal.
    static func read(file path: String?) throws(MediaError) -> String {
        let line: String
        if let path { line = try firstLine(path) } else { line = try ask() }
        guard Restriction.lengths ~= line.count else {
            throw MediaError(
                .invalidRequest, "the PIN has \(line.count) characters",
                remedy: "choose one of \(Restriction.lengths.lowerBound) to \(Restriction.lengths.upperBound)"
            )
        }
        return line
    }

    private static func firstLine(_ path: String) throws(MediaError) -> String {
        var status = stat()
        let bytes: [UInt8]
        do throws(SystemError) {
            let file = try Descriptor(opening: path, O_RDONLY | O_NONBLOCK | O_NOCTTY)
            let raw = file.rawValue
            try SystemError.check("looking at", path) { unsafe fstat(raw, &status) }
            bytes = status.st_mode & S_IFMT == S_IFREG ? try PreviewCache.read(file, from: 0) : []
        } catch { throw MediaError(.fileNotFound, "the PIN's file: \(error)") }
        guard status.st_mode & S_IFMT == S_IFREG, status.st_mode & 0o077 == 0 else {
            throw MediaError(
                .permissionDenied, "others can read the PIN's file \(path), or it is no file",
                remedy: "chmod 600 \(path)")
        }
        return String(decoding: bytes.prefix { $0 != 0x0A && $0 != 0x0D }, as: UTF8.self)
    }

    private static func ask() throws(MediaError) -> String {
        guard let terminal = try? Descriptor(opening: "/dev/tty", O_RDWR | O_NOCTTY) else {
            throw MediaError(
                .invalidRequest, "there is no terminal to ask for the PIN",
                remedy: "name a file with --pin-file")
        }
        let raw = terminal.rawValue
        var mode = termios()
        let isKnown = unsafe tcgetattr(raw, &mode) == 0
        var silent = mode
        silent.c_lflag &= ~tcflag_t(ECHO)
        if isKnown { unsafe tcsetattr(raw, TCSAFLUSH, &silent) }
        defer { if isKnown { unsafe tcsetattr(raw, TCSAFLUSH, &mode) } }
        Kernel.write("PIN for restricted files: ", to: raw)
        var line: [UInt8] = []
        var byte: UInt8 = 0
        while line.count < 256, unsafe Glibc.read(raw, &byte, 1) == 1, byte != 0x0A, byte != 0x0D {
            line.append(byte)
        }
        Kernel.write("\n", to: raw)
        return String(decoding: line, as: UTF8.self)
    }
}
