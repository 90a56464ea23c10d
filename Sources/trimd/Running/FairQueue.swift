// FairQueue: a queue that is fair between users: the next element is one of the user whose last turn is longest ago, however
// many elements others have queued. A pure value, used on its owner's queue.

/// Queued elements, each for a user.
struct FairQueue<Element> {
    private var lines: [UInt32: [(number: Int, element: Element)]] = [:]
    /// When each user had their last turn, counted in elements taken.
    private var turns: [UInt32: Int] = [:]
    private var given = 0
    private var added = 0

    /// The number of queued elements, of all users.
    private(set) var count = 0

    /// The number of queued elements of one user.
    func count(of user: UInt32) -> Int { lines[user]?.count ?? 0 }

    /// Appends an element to its user's queue.
    mutating func add(_ element: Element, of user: UInt32) {
        added += 1
        count += 1
        lines[user, default: []].append((added, element))
    }

    /// Takes the next element of a user for whom `mayTake` holds; nil if there is none.
    mutating func next(where mayTake: (UInt32) -> Bool) -> (user: UInt32, element: Element)? {
        var best: (user: UInt32, turn: Int, number: Int)?
        for (user, line) in lines {
            guard let first = line.first, mayTake(user) else { continue }
            let turn = turns[user] ?? 0
            if let best, (best.turn, best.number) < (turn, first.number) { continue }
            best = (user, turn, first.number)
        }
        guard let user = best?.user, let first = lines[user]?.removeFirst() else { return nil }
        if lines[user]?.isEmpty == true { lines[user] = nil }
        count -= 1
        given += 1
        turns[user] = given
        forgetOldTurns()
        return (user, first.element)
    }

    /// Removes all matching elements, in their order.
    mutating func remove(where isMeant: (UInt32, Element) -> Bool) -> [Element] {
        var removed: [(number: Int, element: Element)] = []
        for (user, line) in lines {
            let kept = line.filter { !isMeant(user, $0.element) }
            removed += line.filter { isMeant(user, $0.element) }
            lines[user] = kept.isEmpty ? nil : kept
        }
        count -= removed.count
        return removed.sorted { $0.number < $1.number }.map(\.element)
    }

    /// Drops turns too old to matter.
    private mutating func forgetOldTurns() {
        guard turns.count > 1000 else { return }
        let recent = given - 500
        turns = turns.filter { $0.value > recent }
    }
}
