// ExpectedJobs: how many jobs clients are about to have at once, so that those that begin leave the next ones processors. A number holds
// until its client says another or is gone. Confined to the scheduler's queue.

/// The jobs that connected clients will have at once.
struct ExpectedJobs {
    private struct Client {
        weak var connection: AnyObject?
        let user: UInt32
        let count: Int
    }

    private var clients: [ObjectIdentifier: Client] = [:]

    /// A client will have so many jobs at once, those that run included.
    mutating func expect(_ count: Int, from client: AnyObject, of user: UInt32) {
        let known = Client(connection: client, user: user, count: count)
        clients[ObjectIdentifier(client)] = count > 1 ? known : nil
    }

    /// A client is gone.
    mutating func forget(_ client: ObjectIdentifier) { clients[client] = nil }

    /// The jobs that a user's clients will have at once; 0: nothing is known. A client may have gone while its number was on the way.
    func count(of user: UInt32) -> Int {
        clients.values.reduce(0) { $0 + ($1.user == user && $1.connection != nil ? $1.count : 0) }
    }
}
