// A job that starts while no other waits takes all processors, unless its user is about to have more jobs at once.
import Dispatch
import JobQueue
import Media
import Testing
import Text

@testable import Wire
@testable import trimd

@Suite(.timeLimit(.minutes(60))) struct ConcurrencyTests {
    private static let working = "read request <&3; sleep 100\n"

    private func submit(_ rig: ServiceRig, as user: UInt32, _ concurrency: Int?) throws {
        var params = SubmitParams(input: rig.film)
        params.output = rig.out + "/"
        params.concurrency = concurrency
        let called = try rig.connect(as: user).ask(.jobSubmit, params, passing: try rig.files())
        #expect(called.result != nil, "\(called)")
    }

    /// - Parameters:
    ///   - first: the concurrency of the first job.
    ///   - left: the processors of two that it leaves.
    @Test(arguments: [(nil, 0), (1, 0), (2, 1), (64, 1)] as [(Int?, Int)])
    func aJobLeavesProcessorsForThoseToCome(first: Int?, left: Int) throws {
        let rig = try ServiceRig(worker: Self.working, isDraining: false, workers: 4)
        try submit(rig, as: ServiceRig.ann, first)
        #expect(eventually { rig.scheduler.busy == 1 })
        #expect(rig.scheduler.presentBudget.spare == left)
        try submit(rig, as: ServiceRig.ann, nil)
        if left > 0 { #expect(eventually { rig.scheduler.busy == 2 }) }
        #expect(rig.scheduler.presentBudget.spare == 0)
    }

    /// The next submission says how many there are from then on; one user's number is not another's.
    @Test func theNumberIsTheLastOfItsUser() throws {
        let rig = try ServiceRig(worker: Self.working, workers: 4)
        try submit(rig, as: ServiceRig.bob, 2)
        try submit(rig, as: ServiceRig.ann, 2)
        try submit(rig, as: ServiceRig.ann, nil)
        #expect(
            eventually { rig.scheduler.queue.sync { rig.scheduler.concurrencies } == [ServiceRig.bob: 2] })
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
