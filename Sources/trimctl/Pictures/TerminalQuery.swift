// Asks the controlling terminal whether it shows pictures, for at most a second. Its mode is restored on every path; a stop
// request ends the wait, and stays for the command to see.
internal import Glibc
internal import Platform
internal import TrimClient

/// The questions to the controlling terminal.
enum TerminalQuery {
    /// Seconds until a terminal that does not answer is taken for one that shows no pictures.
    private static let patience = 1.0

    /// The answers; nil where there is no terminal to ask, or this process is in its background.
    static func ask(_ interrupts: Interrupts) -> TerminalAnswers? {
        guard let terminal = try? Descriptor(opening: "/dev/tty", O_RDWR | O_NOCTTY) else { return nil }
        let raw = terminal.rawValue
        // In the background both asking and changing the mode would stop this process.
        guard Terminal.isForeground(raw), let before = Terminal.takeKeys(raw, canStop: false) else {
            return nil
        }
        var answers = TerminalAnswers([])
        defer { Terminal.set(before, raw, droppingInput: !answers.isComplete) }
        guard Terminal.write(TerminalAnswers.questions, to: raw) == 0 else { return nil }
        var bytes: [UInt8] = []
        let deadline = Terminal.now + patience
        while !answers.isComplete, bytes.count < TerminalAnswers.most {
            let left = deadline - Terminal.now
            guard left > 0 else { break }
            let sources = [raw, interrupts.descriptor].compactMap(\.self)
            let ready = Terminal.wait(for: sources, milliseconds: Int32((left * 1000).rounded(.up)))
            if let signals = interrupts.descriptor, ready.contains(signals) { break }
            guard ready.contains(raw) else { continue }
            let piece = Terminal.read(raw)
            guard !piece.isEmpty else { break }
            bytes += piece
            answers = TerminalAnswers(bytes)
        }
        // A terminal that does not know a question may have printed it.
        _ = Terminal.write("\r\u{1B}[K", to: raw)
        return answers
    }
}
