// FairQueue: what waits, in turns between users: next is a user whose turn was longest ago, whatever others have in front of
// them. A pure value; its owner's queue is its queue.

/// Elements that wait, each for a user.
struct FairQueue<Element> {
    private var lines: [UInt32: [(number: Int, element: Element)]] = [:]
    /// When each user's turn was, counted in elements that were given out.
    private var turns: [UInt32: Int] = [:]
    private var given = 0
    private var added = 0

    /// How many wait, of all users.
    private(set) var count = 0

    /// How many wait of one user.
    func count(of user: UInt32) -> Int { lines[user]?.count ?? 0 }

    /// Adds one behind the others of its user.
    mutating func add(_ element: Element, of user: UInt32) {
        added += 1
        count += 1
        lines[user, default: []].append((added, element))
    }

    /// Takes out the next one, of a user of whom one may be taken; nil where there is none.
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

    /// Takes out all of those that are meant, in their order.
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

    /// Turns so long ago that they say nothing any more.
    private mutating func forgetOldTurns() {
        guard turns.count > 1000 else { return }
        let recent = given - 500
        turns = turns.filter { $0.value > recent }
    }
}
