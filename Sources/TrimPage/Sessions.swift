// The sessions of tabs that gave the page's token, and tickets for single files: a video element asks for its bytes by an address, and
// cannot send a header. All are secrets of the kernel's, and end with this process. Any thread.
internal import Synchronization

/// The sessions, and their tickets.
final class Sessions: Sendable {
    private struct Ticket {
        let session: String, path: String
        var used: ContinuousClock.Instant
    }
    private struct State {
        /// When each was used last.
        var sessions: [String: ContinuousClock.Instant] = [:]
        var tickets: [String: Ticket] = [:]
    }

    private let state = Mutex(State())

    /// The most sessions, and the most tickets: those that were not used for longest go.
    static let most = 256
    /// How long a ticket holds from its last use on.
    static let ticketLife = Duration.seconds(1800)

    /// Whether any session was begun.
    var isUsed: Bool { state.withLock { !$0.sessions.isEmpty } }

    /// Begins a session; the answer is its secret.
    func begin(at now: ContinuousClock.Instant = .now) -> String {
        let secret = Gate.secret()
        state.withLock { state in
            state.sessions[secret] = now
            guard state.sessions.count > Sessions.most,
                let oldest = state.sessions.min(by: { $0.value < $1.value })?.key
            else { return }
            state.sessions[oldest] = nil
            state.tickets = state.tickets.filter { $0.value.session != oldest }
        }
        return secret
    }

    /// Whether there is such a session, which is used now.
    func isKnown(_ secret: String, at now: ContinuousClock.Instant = .now) -> Bool {
        state.withLock { state in
            guard state.sessions[secret] != nil else { return false }
            state.sessions[secret] = now
            return true
        }
    }

    /// A ticket for one path, in the name of a session.
    func ticket(of session: String, for path: String, at now: ContinuousClock.Instant = .now) -> String {
        let secret = Gate.secret()
        state.withLock { state in
            state.tickets = state.tickets.filter { $0.value.used + Sessions.ticketLife > now }
            if state.tickets.count >= Sessions.most,
                let oldest = state.tickets.min(by: { $0.value.used < $1.value.used })?.key
            {
                state.tickets[oldest] = nil
            }
            state.tickets[secret] = Ticket(session: session, path: path, used: now)
        }
        return secret
    }

    /// The session in whose name a ticket asks for a path; nil: it holds for another, or no longer.
    func session(of ticket: String, at path: String, now: ContinuousClock.Instant = .now) -> String? {
        state.withLock { state in
            guard let known = state.tickets[ticket], known.path == path,
                known.used + Sessions.ticketLife > now
            else { return nil }
            state.tickets[ticket]?.used = now
            return known.session
        }
    }
}
