// Which files are shown only after a PIN: those with a rating above the owner's limit, and what was made of them. It binds whoever uses
// the page, not who has the shell. Any thread; a PIN that is wrong makes the next one wait.
internal import Media
internal import Synchronization

/// The restriction of a page.
final class Restriction: Sendable {
    private struct State {
        /// The ages of files, by their versions; nil: no rating.
        var ages: [String: AgeRating?] = [:]
        /// The browsers of this session that gave a PIN, by their sessions.
        var browsers: [String: Browser] = [:]
        /// When wrong PINs were given, by anybody, as far as they still count.
        var failures: [ContinuousClock.Instant] = []
    }
    private struct Browser {
        var isOpen = false
        var failures = 0
        var next: ContinuousClock.Instant
        var used: ContinuousClock.Instant
    }

    /// How a PIN was taken.
    enum Answer: Hashable {
        /// It is right.
        case opened
        case wrong
        /// It was not looked at; the next one is after this many seconds.
        case wait(Int64)
    }

    /// The highest age that is shown without the PIN.
    let limit: AgeRating
    /// Whether files without a rating are shown without the PIN.
    let isUnratedOpen: Bool
    private let pin: String
    private let state = Mutex(State())

    /// The lengths of a PIN, in characters.
    static let lengths = 4...64
    private static let mostBrowsers = 256, mostAges = 10_000
    /// The most wrong PINs of all browsers in an hour: three times as many as one alone comes to, which makes nobody else wait.
    static let mostFailures = 60

    /// A restriction above a limit.
    init(above limit: AgeRating, pin: String, isUnratedOpen: Bool = true) {
        self.limit = limit
        self.isUnratedOpen = isUnratedOpen
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

    /// Whether the browser of a session gave the PIN.
    func isOpen(_ session: String?) -> Bool {
        guard let session else { return false }
        return state.withLock { $0.browsers[session]?.isOpen == true }
    }

    /// Takes a PIN of a session's browser at a moment. Its mistakes make it wait, and no other; only very many make all wait.
    func open(_ given: String, for session: String, at now: ContinuousClock.Instant = .now) -> Answer {
        state.withLock { state in
            var browser = state.browsers[session] ?? Browser(next: now, used: now)
            browser.used = now
            state.failures.removeAll { $0 + .seconds(3600) <= now }
            var next = browser.next
            if state.failures.count >= Restriction.mostFailures, let first = state.failures.first {
                next = max(next, first + .seconds(3600))
            }
            guard now >= next else { return .wait((next - now).components.seconds + 1) }
            if Gate.isSame(pin, given) {
                browser.failures = 0
                browser.isOpen = true
            } else {
                browser.failures += 1
                state.failures.append(now)
                // Three mistakes are free; then each doubles the time, up to five minutes.
                if browser.failures > 3 {
                    browser.next = now + .seconds(min(300, 1 << min(9, browser.failures - 3)))
                }
            }
            state.browsers[session] = browser
            if state.browsers.count > Restriction.mostBrowsers,
                let oldest = state.browsers.min(by: { $0.value.used < $1.value.used })?.key
            {
                state.browsers[oldest] = nil
            }
            return browser.isOpen && browser.failures == 0 ? .opened : .wrong
        }
    }

    /// Closes again what a browser opened.
    func close(_ session: String) { state.withLock { $0.browsers[session]?.isOpen = false } }
}
