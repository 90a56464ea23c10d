// Budget: the processors and the memory that running workers share. A share is taken before a worker gets its request, and given
// back when the worker is gone. Pure values: the scheduler owns the budget and decides who asks first.
internal import Media

/// The processors and memory that workers may use together.
struct Budget: Hashable, Sendable {
    /// The wish to start one worker.
    struct Wish: Hashable, Sendable {
        /// Processors at least.
        var processors = 1
        /// An estimate of its memory in bytes.
        var memory: Int64 = 0
    }

    /// Who has a share: a job's unit, or the job's own step (`number` nil).
    struct Holder: Hashable, Sendable {
        let job: Int64
        var number: Int?
    }

    /// Processors of all workers together.
    let processors: Int
    /// Memory of all workers together, in bytes, by their estimates.
    let memory: Int64
    /// Workers at once.
    let workers: Int
    /// The share of a worker.
    private struct Share: Hashable, Sendable {
        /// Processors that it may use, and those that it can use now.
        let given: Int
        var used: Int
        /// In bytes.
        let memory: Int64
    }

    private var shares: [Holder: Share] = [:]
    /// Jobs that are stopped where they are: they keep their memory and use no processor.
    private var paused: Set<Int64> = []

    /// A budget of which nothing is taken.
    init(processors: Int, memory: Int64, workers: Int) {
        self.processors = max(1, processors)
        self.memory = max(0, memory)
        self.workers = max(1, workers)
    }

    /// Processors in use.
    var usedProcessors: Int { min(processors, active.reduce(0) { $0 + $1.value.used }) }
    /// Memory in use, by estimates.
    var usedMemory: Int64 { shares.values.reduce(0) { $0 + $1.memory } }
    /// Processors that nobody uses; none where no other worker may start.
    var spare: Int { active.count < workers ? max(0, processors - usedProcessors) : 0 }

    private var active: [Holder: Share] { shares.filter { !paused.contains($0.key.job) } }

    /// Whether a wish fits now. A worker that needs more memory than there is may run alone, so that nothing waits for ever.
    func fits(_ wish: Wish) -> Bool {
        guard spare >= min(wish.processors, processors) else { return false }
        return shares.isEmpty || wish.memory <= memory - usedMemory
    }

    /// Takes a share; false if it does not fit.
    mutating func take(_ holder: Holder, _ wish: Wish) -> Bool {
        guard shares[holder] == nil, fits(wish) else { return false }
        let given = min(max(1, wish.processors), spare)
        shares[holder] = Share(given: given, used: given, memory: max(0, wish.memory))
        return true
    }

    /// A holder can use so many processors from now on, of those that it was given; 0: it waits for disks, and others may use them. Where
    /// they do when it needs them again, all share what there is, and no other worker begins.
    mutating func use(_ holder: Holder, _ processors: Int) {
        guard let share = shares[holder] else { return }
        shares[holder]?.used = min(share.given, max(0, processors))
    }

    /// Gives a share back.
    mutating func giveBack(_ holder: Holder) { shares[holder] = nil }

    /// Gives back all shares of a job.
    mutating func giveBack(allOf job: Int64) {
        shares = shares.filter { $0.key.job != job }
        paused.remove(job)
    }

    /// Whether a job has a share.
    func holds(anyOf job: Int64) -> Bool { shares.contains { $0.key.job == job } }

    /// Whether a holder has a share.
    func holds(_ holder: Holder) -> Bool { shares[holder] != nil }

    /// The processors that a holder uses; 0: it waits for disks, or has no share.
    func processors(of holder: Holder) -> Int { shares[holder]?.used ?? 0 }

    /// A job is stopped where it is: others may use its processors.
    mutating func pause(_ job: Int64) { paused.insert(job) }

    /// A stopped job goes on; false if its processors are not free.
    mutating func goOn(_ job: Int64) -> Bool {
        guard paused.contains(job) else { return true }
        let own = shares.filter { $0.key.job == job }
        let needed = own.values.reduce(0) { $0 + $1.used }
        let free = processors - usedProcessors
        guard needed <= free, active.count + own.count <= workers else { return false }
        paused.remove(job)
        return true
    }

    /// The processors for one of several that wait, so that each of those that may start now has as many; at least one.
    func fairShare(waiting: Int) -> Int {
        max(1, spare / max(1, min(waiting, workers - active.count)))
    }
}
