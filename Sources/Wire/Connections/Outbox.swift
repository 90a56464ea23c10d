// What a connection still has to send, in order. A pure value that its owner locks. Droppable lines carry a key: a
// newer one takes the place at the end, the older unsent one goes, so that a slow reader gets the latest state of each
// thing and nothing else. It owns the descriptors it holds; it does not write, and does not judge its own size.
internal import Platform

/// Lines waiting to be sent.
struct Outbox {
    /// The line being sent, from where on, and the descriptors that go with its first byte.
    struct Front {
        let bytes: [UInt8]
        let offset: Int
        let descriptors: Descriptors?
    }

    private struct Entry {
        let bytes: [UInt8]
        let descriptors: Descriptors?
        let key: String?
        /// What it counts for: an empty line costs memory too.
        var cost: Int { bytes.count + 128 }
    }

    private var entries: [Entry?] = []
    private var head = 0
    private var offset = 0
    private var dead = 0
    private var places: [String: Int] = [:]

    /// The memory held, roughly in bytes.
    private(set) var size = 0

    /// Whether nothing is left to send.
    var isEmpty: Bool { head == entries.count }

    /// How many lines wait, those partly sent included.
    var count: Int { entries.count - head - dead }

    /// Adds a line; one with a key replaces an unsent one of that key.
    mutating func append(_ bytes: [UInt8], descriptors: Descriptors? = nil, key: String? = nil) {
        if let key, let place = places[key], let old = entries[place] {
            size -= old.cost
            entries[place] = nil
            dead += 1
            if dead > 32 && dead > count { compact() }
        }
        let entry = Entry(bytes: bytes, descriptors: descriptors, key: key)
        if let key { places[key] = entries.count }
        size += entry.cost
        entries.append(entry)
    }

    /// The line to send next; from now on it stays, whatever its key.
    mutating func front() -> Front? {
        while head < entries.count {
            guard let entry = entries[head] else {
                head += 1
                dead -= 1
                continue
            }
            if let key = entry.key, places[key] == head { places[key] = nil }
            return Front(
                bytes: entry.bytes, offset: offset, descriptors: offset == 0 ? entry.descriptors : nil)
        }
        reset()
        return nil
    }

    /// So many bytes of the front line are on their way.
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
        places = [:]
        for (place, entry) in entries.enumerated() where place > 0 || offset == 0 {
            if let key = entry?.key { places[key] = place }
        }
    }
}
