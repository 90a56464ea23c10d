// Which files are shown only after a PIN: those with a rating above the owner's limit, and what was made of them. It binds whoever uses
// the page, not who has the shell. Any thread; a PIN that is wrong makes the next one wait.
internal import Media
internal import Synchronization

/// The restriction of a page.
final class Restriction: Sendable {
    private struct State {
        /// The ages of files, by their versions; nil: no rating.
        var ages: [String: AgeRating?] = [:]
        /// The secrets of browsers that gave the PIN.
        var open: [String] = []
        var failures = 0
        var next = ContinuousClock.now
    }

    /// How a PIN was taken.
    enum Answer: Hashable {
        /// It is right; the browser keeps this secret.
        case opened(String)
        case wrong
        /// It was not looked at; the next one is after this many seconds.
        case wait(Int64)
    }

    /// The highest age that is shown without the PIN.
    let limit: AgeRating
    private let pin: String
    private let state = Mutex(State())

    /// The lengths of a PIN, in characters.
    static let lengths = 4...64
    private static let mostBrowsers = 64, mostAges = 10_000

    /// A restriction above a limit.
    init(above limit: AgeRating, pin: String) {
        self.limit = limit
        self.pin = pin
    }

    /// The age of a file of this version, looked up once.
    func age(
        of version: String, _ look: () throws(MediaError) -> AgeRating?
    ) throws(MediaError) -> AgeRating? {
        if let known = state.withLock({ $0.ages[version] }) { return known }
        let age = try look()
        state.withLock { state in
            if state.ages.count >= Restriction.mostAges { state.ages = [:] }
            state.ages[version] = .some(age)
        }
        return age
    }

    /// Whether a browser with this secret gave the PIN.
    func isOpen(_ secret: String) -> Bool {
        state.withLock { $0.open.contains { Gate.isSame($0, secret) } }
    }

    /// Takes a PIN at a moment.
    func open(_ given: String, at now: ContinuousClock.Instant = .now) -> Answer {
        state.withLock { state in
            guard now >= state.next else {
                return .wait((state.next - now).components.seconds + 1)
            }
            guard Gate.isSame(pin, given) else {
                state.failures += 1
                // Three mistakes are free; then each doubles the time, up to five minutes.
                if state.failures > 3 {
                    state.next = now + .seconds(min(300, 1 << min(9, state.failures - 3)))
                }
                return .wrong
            }
            state.failures = 0
            let secret = Gate.secret()
            state.open = state.open.suffix(Restriction.mostBrowsers - 1) + [secret]
            return .opened(secret)
        }
    }

    /// Closes again what a browser opened.
    func close(_ secret: String) { state.withLock { $0.open.removeAll { Gate.isSame($0, secret) } } }
}
