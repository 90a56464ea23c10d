// Subscriber: receives notifications about jobs. EventHub and EventLongPoll know a client only by this protocol; in trimd it is
// a connection.
internal import Wire

/// Receives notifications. Any thread; the calls never block.
protocol Subscriber: AnyObject, Sendable {
    /// Sends a message that must not be dropped; false if the connection is closed.
    @discardableResult func send(_ message: Message) -> Bool
    /// Sends a message that replaces an unread one with the same key.
    @discardableResult func sendDroppable(_ message: Message, key: String) -> Bool
    /// Keeps the subscription alive even if the client sends no more requests.
    func hold()
}

extension Connection: Subscriber {}
