// What each user has of a listener's connections and descriptors, so that one user cannot use up what all need. Any
// thread. It counts and grants; it closes nothing.
internal import Platform
internal import Synchronization

/// The users' shares of a listener.
final class PeerShares: Sendable {
    /// A place among the connections: given back when the connection lets go of it.
    final class Seat: Sendable {
        private let shares: PeerShares
        private let uid: UInt32

        fileprivate init(_ shares: PeerShares, uid: UInt32) {
            self.shares = shares
            self.uid = uid
        }

        deinit { shares.taken.withLock { $0.seats[uid, default: 1] -= 1 } }

        /// Counts descriptors that this user sent; nil where they would be too many. Given back with the lease.
        func lease(_ count: Int) -> Lease? { shares.lease(count, uid) }
    }

    /// Descriptors that are held for a user.
    final class Lease: Sendable {
        private let shares: PeerShares
        private let uid: UInt32
        private let count: Int

        fileprivate init(_ shares: PeerShares, uid: UInt32, count: Int) {
            self.shares = shares
            self.uid = uid
            self.count = count
        }

        deinit {
            shares.taken.withLock { taken in
                taken.descriptors[uid, default: count] -= count
                if taken.descriptors[uid] == 0 { taken.descriptors[uid] = nil }
            }
        }
    }

    private struct Taken {
        var seats: [UInt32: Int] = [:]
        var descriptors: [UInt32: Int] = [:]
    }

    private let limits: Listener.Limits
    private let own: UInt32
    private let taken = Mutex(Taken())

    /// Shares under limits; `own` is the user this process runs as.
    init(_ limits: Listener.Limits, own: UInt32 = PeerCredentials.own.uid) {
        self.limits = limits
        self.own = own
    }

    /// How many are connected.
    var connected: Int { taken.withLock { $0.seats.values.reduce(0, +) } }

    /// A place for a user; nil where there is none left for them.
    func seat(for uid: UInt32) -> Seat? {
        let isExempt = uid == 0 || uid == own
        // The last places are root's, so that somebody can look what fills the others; of the rest a few are for the user
        // this process runs as.
        var all = limits.connections
        if uid != 0 { all -= limits.reserved }
        if !isExempt { all -= limits.reserved }
        let most = isExempt ? limits.perOwner : limits.perUser
        let isGranted = taken.withLock { taken in
            guard taken.seats.values.reduce(0, +) < all, taken.seats[uid, default: 0] < most else {
                return false
            }
            taken.seats[uid, default: 0] += 1
            return true
        }
        return isGranted ? Seat(self, uid: uid) : nil
    }

    private func lease(_ count: Int, _ uid: UInt32) -> Lease? {
        let limits = limits
        let isGranted = taken.withLock { taken in
            let mine = taken.descriptors[uid, default: 0] + count
            // Where many users together hold much, each still has as many as one message carries.
            let isScarce = taken.descriptors.values.reduce(count, +) > limits.descriptors
            guard mine <= (isScarce ? limits.connection.descriptors : limits.descriptorsPerUser) else {
                return false
            }
            taken.descriptors[uid] = mine
            return true
        }
        return isGranted ? Lease(self, uid: uid, count: count) : nil
    }
}
