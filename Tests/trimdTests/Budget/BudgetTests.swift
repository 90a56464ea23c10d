// Workers together never take more than the budget, and nothing waits for ever.
import Media
import Testing

@testable import trimd

@Suite struct BudgetTests {
    private func holder(_ job: Int64, _ number: Int? = nil) -> Budget.Holder {
        Budget.Holder(job: job, number: number)
    }

    /// A call that changes a value cannot stand in an expectation.
    private func take(_ budget: inout Budget, _ holder: Budget.Holder, _ wish: Budget.Wish) -> Bool {
        budget.take(holder, wish)
    }

    @Test func sharesAreTakenAndGivenBack() {
        var budget = Budget(processors: 3, memory: 100, workers: 2)
        #expect(take(&budget, holder(1), Budget.Wish(processors: 2, memory: 60)))
        #expect(!take(&budget, holder(1), Budget.Wish()), "it has a share")
        #expect(!take(&budget, holder(2), Budget.Wish(memory: 41)), "memory")
        #expect(!take(&budget, holder(2), Budget.Wish(processors: 2)), "processors")
        #expect(take(&budget, holder(1, 1), Budget.Wish(memory: 40)))
        #expect(budget.spare == 0 && budget.usedProcessors == 3 && budget.usedMemory == 100)
        budget.giveBack(holder(1))
        #expect(budget.spare == 2)
        #expect(take(&budget, holder(2), Budget.Wish()))
        #expect(budget.spare == 0, "two workers at once")
        budget.giveBack(allOf: 1)
        #expect(budget.usedProcessors == 1 && budget.usedMemory == 0)
    }

    @Test func whatAShareDoesNotNeedIsOthers() {
        var budget = Budget(processors: 4, memory: 100, workers: 3)
        #expect(take(&budget, holder(1), Budget.Wish(processors: 4, memory: 60)))
        #expect(!take(&budget, holder(2), Budget.Wish()))
        budget.use(holder(1), 2)
        #expect(budget.spare == 2 && budget.usedMemory == 60)
        // It never has more than it was given.
        budget.use(holder(1), 9)
        #expect(budget.processors(of: holder(1)) == 4)
        budget.use(holder(1), 1)
        budget.use(holder(9), 1)
        #expect(budget.processors(of: holder(9)) == 0 && budget.spare == 3)
        #expect(take(&budget, holder(2), Budget.Wish(processors: 3)))
    }

    /// Workers that wait for disks take no processor, and count among those at once.
    @Test func whatWaitsForDisksUsesNoProcessor() {
        var budget = Budget(processors: 1, memory: 100, workers: 2)
        #expect(take(&budget, holder(1), Budget.Wish(memory: 10)))
        #expect(!take(&budget, holder(2), Budget.Wish()))
        budget.use(holder(1), 0)
        #expect(budget.usedProcessors == 0 && budget.usedMemory == 10 && budget.holds(anyOf: 1))
        #expect(take(&budget, holder(2), Budget.Wish()))
        budget.use(holder(2), -1)
        #expect(budget.usedProcessors == 0 && budget.spare == 0)
        #expect(!take(&budget, holder(3), Budget.Wish()), "two workers at once")
        budget.giveBack(holder(1))
        #expect(take(&budget, holder(3), Budget.Wish()))
        // It encodes after all: it has what it was given, and no other begins.
        budget.use(holder(2), .max)
        #expect(budget.usedProcessors == 1 && budget.spare == 0)
        budget.giveBack(holder(3))
        #expect(!take(&budget, holder(1), Budget.Wish()), "its processor is used")
    }

    @Test func whatIsLargerThanAllMayRunAlone() {
        var budget = Budget(processors: 2, memory: 100, workers: 2)
        #expect(take(&budget, holder(1), Budget.Wish(processors: 9, memory: .max)))
        #expect(budget.processors(of: holder(1)) == 2)
        budget.giveBack(holder(1))
        #expect(take(&budget, holder(2), Budget.Wish(memory: 1)))
        #expect(!take(&budget, holder(1), Budget.Wish(memory: .max)))
    }

    /// A stopped job keeps its memory, and its processors are others'.
    @Test func pausedJobsUseNoProcessor() {
        var budget = Budget(processors: 2, memory: 100, workers: 2)
        for number in [1, 2] { _ = budget.take(holder(1, number), Budget.Wish(memory: 30)) }
        budget.pause(1)
        #expect(budget.spare == 2 && budget.usedMemory == 60)
        #expect(!take(&budget, holder(2), Budget.Wish(memory: 41)))
        #expect(take(&budget, holder(2), Budget.Wish(memory: 40)))
        var isGoing = budget.goOn(1)
        #expect(!isGoing)
        budget.giveBack(holder(2))
        for _ in 0..<2 {
            isGoing = budget.goOn(1)
            #expect(isGoing)
        }
        #expect(budget.spare == 0)
    }

    /// More than may start at once need no share now.
    @Test(arguments: [
        (8, 16, 1, 8), (8, 16, 3, 2), (8, 16, 8, 1), (8, 16, 100, 1), (1, 16, 0, 1), (8, 2, 100, 4),
        (8, 1, 100, 8),
    ])
    func sharesAreFair(_ processors: Int, _ workers: Int, _ waiting: Int, _ share: Int) {
        var budget = Budget(processors: processors, memory: 100, workers: workers)
        #expect(budget.fairShare(waiting: waiting) == share)
        #expect(take(&budget, holder(1), Budget.Wish(processors: processors)))
        #expect(budget.fairShare(waiting: waiting) == 1)
    }

    /// Random demands, each with its turn: never above the budget, and everything ends.
    @Test(arguments: 0..<200) func neverAboveAndNothingStarves(_ seed: UInt64) {
        var random = Random(seed)
        let (processors, workers) = (Int(random.next() % 16) + 1, Int(random.next() % 16) + 1)
        var budget = Budget(processors: processors, memory: 1000, workers: workers)
        var waiting = (0..<300).map { number in
            (holder: holder(Int64(number / 20), number), memory: Int64(random.next() % 1200))
        }
        var running: [Budget.Holder] = []
        var steps = 0
        while !waiting.isEmpty || !running.isEmpty {
            steps += 1
            #expect(steps < 10_000)
            while let first = waiting.first {
                let share = budget.fairShare(waiting: waiting.count)
                guard budget.take(first.holder, Budget.Wish(processors: share, memory: first.memory)) else {
                    break
                }
                waiting.removeFirst()
                running.append(first.holder)
            }
            #expect(!running.isEmpty)
            #expect(budget.usedProcessors <= processors && running.count <= workers)
            #expect(budget.usedMemory <= 1000 || running.count == 1)
            let gone = running.remove(at: Int(random.next() % UInt64(running.count)))
            budget.giveBack(gone)
        }
        #expect(budget.usedProcessors == 0 && budget.usedMemory == 0)
    }

    /// A generator that repeats.
    private struct Random: RandomNumberGenerator {
        var state: UInt64
        init(_ seed: UInt64) { state = seed &* 2 &+ 1 }
        mutating func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state >> 33
        }
    }
}

@Suite struct MemoryEstimateTests {
    @Test func whatWasMeasuredCorrectsWhatIsPlanned() {
        var estimates = MemoryEstimates()
        let mebibyte: Int64 = 1 << 20
        let (half, whole, more) = (100 * mebibyte, 200 * mebibyte, 300 * mebibyte)
        #expect(estimates.bytes(.unit(.video), planned: whole) == whole)
        #expect(estimates.bytes(.export) == MemoryEstimates.usual)
        #expect(estimates.bytes(.unit(.audio), planned: 1) == MemoryEstimates.least)
        estimates.learn(.unit(.video), planned: whole, measured: more)
        #expect(estimates.bytes(.unit(.video), planned: 2 * whole) == 2 * more)
        // Of other kinds nothing is known.
        #expect(estimates.bytes(.unit(.statistics), planned: whole) == whole)
        let before = estimates.bytes(.unit(.video), planned: whole)
        estimates.learn(.unit(.video), planned: whole, measured: half)
        let after = estimates.bytes(.unit(.video), planned: whole)
        #expect(after < before)
        #expect(after > whole + half / 2)
        estimates.learn(.unit(.video), planned: whole, measured: 0)
        #expect(estimates.bytes(.unit(.video), planned: whole) == after)
    }
}
