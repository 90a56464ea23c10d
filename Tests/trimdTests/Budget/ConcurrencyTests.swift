// A job that starts while no other waits takes all processors, unless its user is about to have more jobs at once.
import Dispatch
import JobQueue
import Media
import Testing
import Text

@testable import Wire
@testable import trimd

@Suite(.timeLimit(.minutes(10))) struct ConcurrencyTests {
    private static let working = "read request <&3; sleep 100\n"

    private func submit(_ rig: ServiceRig, from client: Client, _ concurrency: Int?) throws {
        var params = SubmitParams(input: rig.film)
        params.output = rig.out + "/"
        params.concurrency = concurrency
        let called = try client.ask(.jobSubmit, params, passing: try rig.files())
        #expect(called.result != nil, "\(called)")
    }

    /// - Parameters:
    ///   - first: the concurrency of the first job.
    ///   - left: the processors of two that it leaves.
    @Test(arguments: [(nil, 0), (1, 0), (2, 1), (64, 1)] as [(Int?, Int)])
    func aJobLeavesProcessorsForThoseToCome(first: Int?, left: Int) throws {
        let rig = try ServiceRig(worker: Self.working, isDraining: false, workers: 4)
        let client = try rig.connect(as: ServiceRig.ann)
        try submit(rig, from: client, first)
        #expect(eventually { rig.scheduler.busy == 1 })
        #expect(rig.scheduler.presentBudget.spare == left)
        try submit(rig, from: client, nil)
        if left > 0 { #expect(eventually { rig.scheduler.busy == 2 }) }
        #expect(rig.scheduler.presentBudget.spare == 0)
    }

    /// A client's number is that of its last submission, and goes with it: no later job of its user starts with less than there is.
    @Test func aNumberGoesWithItsClient() throws {
        let rig = try ServiceRig(worker: Self.working, workers: 4)
        func count(of user: UInt32) -> Int {
            rig.scheduler.queue.sync { rig.scheduler.expected.count(of: user) }
        }
        let bob = try rig.connect(as: ServiceRig.bob)
        do {
            let (one, other) = (try rig.connect(as: ServiceRig.ann), try rig.connect(as: ServiceRig.ann))
            for (client, number) in [(one, 2), (one, 3), (other, 4)] { try submit(rig, from: client, number) }
            try submit(rig, from: bob, 2)
            #expect(count(of: ServiceRig.ann) == 7 && count(of: ServiceRig.bob) == 2)
            try submit(rig, from: one, nil)
            #expect(count(of: ServiceRig.ann) == 4)
            withExtendedLifetime((one, other)) {}
        }
        #expect(eventually { count(of: ServiceRig.ann) == 0 })
        #expect(count(of: ServiceRig.bob) == 2)
        withExtendedLifetime(bob) {}
    }

    @Test(arguments: [0, 65, -1]) func aNumberOutOfRangeIsRefused(_ number: Int) throws {
        let rig = try ServiceRig()
        let called = try rig.connect(as: ServiceRig.ann).ask(
            .jobSubmit, ["input": .string(rig.film), "concurrency": .int(Int64(number))] as JSONValue,
            passing: try rig.files())
        guard case .error(_, let message) = called else {
            Issue.record("\(number) was accepted")
            return
        }
        #expect(message.contains("concurrency") && message.contains("\(number)"), "\(message)")
    }
}
