// Folds FFmpeg's log: a damaged stream repeats a message thousands of times with other numbers, and a job's log shows it once,
// with a count at the end. Thread-safe: FFmpeg logs from every thread.
internal import Synchronization

/// The log lines of one request.
public final class LogFold: Sendable {
    private struct State {
        /// The messages in the order of their first lines, without their numbers.
        var order: [String] = []
        var lines: [String: (first: String, count: Int)] = [:]
        /// Lines of messages beyond the limit.
        var others = 0
    }
    private let state = Mutex(State())
    private let most: Int

    /// Creates an empty fold.
    /// - Parameter most: maximum number of different messages to show.
    public init(most: Int) { self.most = most }

    /// Adds a line; returns it if it is the first of its kind.
    public func add(_ line: String) -> String? {
        let kind = LogFold.kind(line)
        return state.withLock { state in
            if let known = state.lines[kind] {
                state.lines[kind] = (known.first, known.count + 1)
                return nil
            }
            guard state.order.count < most else {
                state.others += 1
                return nil
            }
            state.order.append(kind)
            state.lines[kind] = (line, 1)
            return line
        }
    }

    /// A line for each message that was repeated, and one for those that were not shown.
    public var summary: [String] {
        state.withLock { state in
            let repeated = state.order.compactMap { kind in
                state.lines[kind].flatMap { $0.count > 1 ? "\($0.first) (\($0.count) times)" : nil }
            }
            return repeated
                + (state.others > 0 ? ["\(state.others) more line\(state.others == 1 ? "" : "s")"] : [])
        }
    }

    /// A message without its numbers and addresses.
    private static func kind(_ line: String) -> String {
        var kind = ""
        var isInNumber = false
        for character in line {
            // Digits of addresses are hexadecimal; letters count as such only within a number.
            let isDigit = character.isNumber || isInNumber && (character.isHexDigit || character == "x")
            if !isDigit { kind.append(character) } else if !isInNumber { kind.append("#") }
            isInNumber = isDigit
        }
        return kind
    }
}
