// Each user's share of a listener's connections and descriptors, so that one user cannot exhaust them. Any thread. It counts
// and grants; it closes nothing.
internal import Platform
internal import Synchronization

/// The users' shares of a listener.
final class PeerShares: Sendable {
    /// A connection slot, freed when the connection releases it.
    final class Seat: Sendable {
        private let shares: PeerShares
        private let uid: UInt32

        fileprivate init(_ shares: PeerShares, uid: UInt32) {
            self.shares = shares
            self.uid = uid
        }

        deinit { shares.taken.withLock { $0.seats[uid, default: 1] -= 1 } }

        /// Reserves descriptors that this user sent; nil if there would be too many. The lease frees them.
        func lease(_ count: Int) -> Lease? { shares.lease(count, uid) }
    }

    /// Descriptors reserved for a user.
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

    /// Creates shares with limits; `own` is the user this process runs as.
    init(_ limits: Listener.Limits, own: UInt32 = PeerCredentials.own.uid) {
        self.limits = limits
        self.own = own
    }

    /// The number of connections.
    var connected: Int { taken.withLock { $0.seats.values.reduce(0, +) } }

    /// A slot for a user; nil if none is left for them.
    func seat(for uid: UInt32) -> Seat? {
        let isExempt = uid == 0 || uid == own
        // The last slots are for root, so that an administrator can inspect a full daemon; a few of the rest are for this
        // process's user.
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
            // If users together hold many descriptors, each may still have those of one message.
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
