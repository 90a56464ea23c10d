// The descriptors that came with one message, in their order. Whoever handles the message takes those it wants, each
// once; what is left is closed when the last reference goes. Any thread. It does not look at what they are.
internal import Synchronization

/// Descriptors received with a message; those not taken are closed.
public final class Descriptors: Sendable {
    private let held: Mutex<[Int32?]>
    /// How many came.
    public let count: Int
    /// Whether more were sent than are received with one message; the others were closed.
    public let truncated: Bool

    /// Takes over the given descriptors.
    public init(adopting raw: [Int32] = [], truncated: Bool = false) {
        held = Mutex(raw)
        count = raw.count
        self.truncated = truncated
    }

    /// Copies of descriptors that the caller keeps.
    public convenience init(duplicating raw: [Int32]) throws(SystemError) {
        var copies: [Int32] = []
        for number in raw {
            do throws(SystemError) {
                copies.append(try Descriptor.duplicating(number).release())
            } catch {
                _ = Descriptors(adopting: copies)
                throw error
            }
        }
        self.init(adopting: copies)
    }

    deinit {
        for raw in takeAllRaw() { _ = Descriptor(adopting: raw) }
    }

    /// The descriptor at a place; nil where there is none, or it was taken.
    public func take(_ index: Int) -> Descriptor? {
        let raw: Int32? = held.withLock { held in
            guard held.indices.contains(index) else { return nil }
            defer { held[index] = nil }
            return held[index]
        }
        guard let raw else { return nil }
        return Descriptor(adopting: raw)
    }

    /// The first descriptor not yet taken.
    public func takeNext() -> Descriptor? {
        let index = held.withLock { $0.firstIndex { $0 != nil } }
        guard let index else { return nil }
        return take(index)
    }

    /// The numbers of those not taken, still owned here: for sending them on.
    var borrowed: [Int32] { held.withLock { $0.compactMap(\.self) } }

    /// Gives all that are left away unclosed.
    func takeAllRaw() -> [Int32] {
        held.withLock { held in
            defer { held = [] }
            return held.compactMap(\.self)
        }
    }
}
