// Subscriber: whoever is told of jobs without asking each time. EventHub and EventLongPoll know no more of a client than this; in
// trimd it is a connection.
internal import Wire

/// Whoever is told of jobs. Told from any thread; telling never waits.
protocol Subscriber: AnyObject, Sendable {
    /// Tells something that may not be missed; false where nobody hears any more.
    @discardableResult func send(_ message: Message) -> Bool
    /// Tells something that replaces what was told under the same key and is not read yet.
    @discardableResult func sendDroppable(_ message: Message, key: String) -> Bool
    /// It is told things from now on, also where it asks nothing more.
    func hold()
}

extension Connection: Subscriber {}
