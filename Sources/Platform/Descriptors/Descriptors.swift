// The descriptors received with one message, in order. The message's handler takes those it needs, each once; the rest are
// closed with the last reference. Any thread. It checks their file types only.
internal import CLinux
internal import Glibc
internal import Synchronization

/// Descriptors received with a message; those not taken are closed.
public final class Descriptors: Sendable {
    /// Why some of the descriptors that were sent were not received.
    public enum Loss: Hashable, Sendable {
        /// More than one message may carry.
        case surplus
        /// The sender has too many open here already, over all its connections.
        case share
    }

    private let held: Mutex<[Int32?]>
    /// Released together with the descriptors, such as their part of the sender's quota.
    private let leases: [any AnyObject & Sendable]
    /// The number received.
    public let count: Int
    /// Why some are missing; nil: none is.
    public let loss: Loss?
    /// The file types of descriptors that were closed because they are neither a regular file nor a folder, by position.
    public let refused: [Int: String]

    /// Whether some that were sent were not received; the others were closed.
    public var truncated: Bool { loss != nil }

    /// Takes ownership of descriptors.
    public convenience init(adopting raw: [Int32] = [], truncated: Bool = false) {
        self.init(slots: raw, loss: truncated ? .surplus : nil)
    }

    private init(
        slots: [Int32?], loss: Loss?, refused: [Int: String] = [:], leases: [any AnyObject & Sendable] = []
    ) {
        held = Mutex(slots)
        count = slots.count
        self.loss = loss
        self.refused = refused
        self.leases = leases
    }

    /// None, although some were sent.
    public convenience init(lost loss: Loss) { self.init(slots: [], loss: loss) }

    /// Duplicates of descriptors that the caller keeps.
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

    /// The descriptor at a position; nil if there is none or it was taken.
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

    /// The raw descriptors not yet taken, still owned here: to be sent on.
    public var borrowed: [Int32] { held.withLock { $0.compactMap(\.self) } }

    /// Releases all remaining descriptors without closing them.
    public func takeAllRaw() -> [Int32] { takeSlots().compactMap(\.self) }

    private func takeSlots() -> [Int32?] {
        held.withLock { held in
            defer { held = [] }
            return held
        }
    }
}

extension Descriptors {
    /// The same, restricted to regular files and folders; the others are closed here. A passed socket or pipe can keep the
    /// peer's own connection open; an open device can have side effects.
    public func filesOnly() -> Descriptors {
        var slots = takeSlots()
        var refused = refused
        for (slot, raw) in slots.enumerated() {
            guard let raw, let type = Descriptors.unusableType(raw) else { continue }
            _ = Descriptor(adopting: raw)
            slots[slot] = nil
            refused[slot] = type
        }
        return Descriptors(slots: slots, loss: loss, refused: refused, leases: leases)
    }

    /// The same, with a lease that is released together with the descriptors.
    public func keeping(_ lease: any AnyObject & Sendable) -> Descriptors {
        Descriptors(slots: takeSlots(), loss: loss, refused: refused, leases: leases + [lease])
    }

    /// The descriptors of all parts of one line, in order.
    public static func joined(_ parts: [Descriptors]) -> Descriptors {
        if parts.count == 1 { return parts[0] }
        var slots: [Int32?] = []
        var refused: [Int: String] = [:]
        for part in parts {
            for (slot, type) in part.refused { refused[slots.count + slot] = type }
            slots += part.takeSlots()
        }
        return Descriptors(
            slots: slots, loss: parts.compactMap(\.loss).first, refused: refused,
            leases: parts.flatMap(\.leases))
    }

    /// The file type as text, if it is neither a regular file nor a folder.
    private static func unusableType(_ raw: Int32) -> String? {
        let type = trim_file_type(raw)
        guard type != -1 else { return "file of unknown type" }
        switch mode_t(type) {
        case S_IFREG, S_IFDIR: return nil
        case S_IFSOCK: return "socket"
        case S_IFIFO: return "pipe"
        case S_IFCHR: return "character device"
        case S_IFBLK: return "block device"
        case S_IFLNK: return "link"
        default: return "file of unknown type"
        }
    }
}
