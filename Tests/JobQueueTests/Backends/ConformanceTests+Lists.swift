// The promises of any back end about lists: each filter leaves what it says, and a viewer sees no more than without it.
import JobQueue
import Media
import Testing

extension ConformanceTests {
    /// Jobs in every status, of two users, accepted a second apart.
    private func fill(_ queue: any JobQueue) throws {
        for user: UInt32 in [1, 2] {
            for status in JobStatus.allCases {
                let id = try submit(queue, of: user).job.id
                time.pass(1000)
                switch status {
                case .waiting: break
                case .held: _ = try queue.hold(id)
                case .cancelled: _ = try queue.cancel(id)
                case .exporting, .completed, .failed: try begin(queue, id, until: status)
                }
            }
        }
    }

    private func begin(_ queue: any JobQueue, _ id: Int64, until status: JobStatus) throws {
        let others = try queue.jobs(for: .all, limit: 99).filter { $0.state == .waiting && $0.id != id }
        for other in others { _ = try queue.hold(other.id) }
        #expect(try queue.claim(worker: worker)?.id == id)
        for other in others { _ = try queue.release(other.id) }
        if status == .failed { _ = try queue.fail(id, attempt: 1, MediaError(.decodeFailed, "no")) }
        guard status == .completed else { return }
        try queue.publish(
            id, attempt: 1, Publication(device: 1, inode: 2, name: "\(id).m4a"), result: result())
        _ = try queue.complete(id, attempt: 1)
    }

    @Test(arguments: Backend.all) func aFilterLeavesWhatItSays(_ backend: Backend) throws {
        let queue = try open(backend)
        try fill(queue)
        let all = try queue.jobs(for: .all, limit: 99)
        #expect(all.count == 2 * JobStatus.allCases.count)
        let statuses = JobStatus.allCases.map { Set([$0]) } + [[.waiting, .failed], []]
        let moments = [all[0].created, all[5].created, all[11].created]
        for statuses in statuses.map(Optional.some) + [nil] {
            for user in [nil, 1, 2, 3] as [UInt32?] {
                for since in moments.map(Optional.some) + [nil] {
                    var filter = JobFilter()
                    (filter.statuses, filter.user, filter.since) = (statuses, user, since)
                    for viewer in [Viewer.all, .user(1)] {
                        let expected = all.filter { job in
                            (statuses?.contains(job.state.status) ?? true) && (user ?? job.user) == job.user
                                && (since ?? job.created) <= job.created
                                && (viewer == .all || job.user == 1)
                        }
                        let found = try queue.jobs(for: viewer, where: filter, limit: 99, after: nil)
                        #expect(found == expected, "\(filter), \(viewer)")
                        // The limit counts what matches.
                        let page = try queue.jobs(for: viewer, where: filter, limit: 1, after: all[2].id)
                        #expect(page == Array(expected.filter { $0.id < all[2].id }.prefix(1)))
                    }
                }
            }
        }
    }
}
