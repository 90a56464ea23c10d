// The unsent messages of a connection, in order. A pure value that its owner locks. Droppable lines have a key: a newer line is
// appended and removes the older unsent one, so a slow reader gets only the latest state of each key. It owns the descriptors
// it holds; it does not write, and does not limit its size.
internal import Platform

/// Unsent lines.
struct Outbox {
    /// The line being sent, its offset, and the descriptors to send with its first byte.
    struct Front {
        let bytes: [UInt8]
        let offset: Int
        let descriptors: Descriptors?
    }

    private struct Entry {
        let bytes: [UInt8]
        let descriptors: Descriptors?
        let key: String?
        /// The accounted size: an empty line uses memory too.
        var cost: Int { bytes.count + 128 }
    }

    private var entries: [Entry?] = []
    private var head = 0
    private var offset = 0
    private var dead = 0
    private var positions: [String: Int] = [:]

    /// The approximate memory used, in bytes.
    private(set) var size = 0

    /// Whether it is empty.
    var isEmpty: Bool { head == entries.count }

    /// The number of unsent lines, including a partly sent one.
    var count: Int { entries.count - head - dead }

    /// Adds a line; one with a key replaces an unsent one of that key.
    mutating func append(_ bytes: [UInt8], descriptors: Descriptors? = nil, key: String? = nil) {
        if let key, let index = positions[key], let old = entries[index] {
            size -= old.cost
            entries[index] = nil
            dead += 1
            if dead > 32 && dead > count { compact() }
        }
        let entry = Entry(bytes: bytes, descriptors: descriptors, key: key)
        if let key { positions[key] = entries.count }
        size += entry.cost
        entries.append(entry)
    }

    /// The line to send next; no later line replaces it, whatever its key.
    mutating func front() -> Front? {
        while head < entries.count {
            guard let entry = entries[head] else {
                head += 1
                dead -= 1
                continue
            }
            if let key = entry.key, positions[key] == head { positions[key] = nil }
            return Front(
                bytes: entry.bytes, offset: offset, descriptors: offset == 0 ? entry.descriptors : nil)
        }
        reset()
        return nil
    }

    /// Removes this many sent bytes from the front line.
    mutating func sent(_ count: Int) {
        guard head < entries.count, let entry = entries[head] else { return }
        offset += count
        guard offset >= entry.bytes.count else { return }
        size -= entry.cost
        entries[head] = nil
        head += 1
        offset = 0
        if isEmpty { reset() } else if head > 64 && head > entries.count / 2 { compact() }
    }

    private mutating func reset() {
        self = Outbox()
    }

    private mutating func compact() {
        entries = entries[head...].filter { $0 != nil }
        head = 0
        dead = 0
        positions = [:]
        for (index, entry) in entries.enumerated() where index > 0 || offset == 0 {
            if let key = entry?.key { positions[key] = index }
        }
    }
}
