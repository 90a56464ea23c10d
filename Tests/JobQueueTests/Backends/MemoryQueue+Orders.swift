// MemoryQueue, orders: what users do to existing jobs, and what becomes of those that wait for others.
import Media
import Platform

@testable import JobQueue

extension MemoryQueue {
    func ask(_ id: Int64, toPause isOn: Bool) throws(MediaError) {
        try change { table throws(MediaError) -> Void in
            _ = try table.need(id, in: [.running])
            table.asked[id] = isOn
        }
    }

    func asked() throws(MediaError) -> [Int64: Bool] {
        try change { table -> [Int64: Bool] in
            let own = table.asked.filter { table.jobs[$0.key]?.owner == owner }
            for id in own.keys { table.asked[id] = nil }
            return own
        }
    }

    func cancel(_ id: Int64) throws(MediaError) -> Job {
        try edit(id) { job, table in
            guard job.state.mayBecome(.cancelled) else { return }
            job = job.foreseen(.cancelled, policy: policy, now: table.now)
        }
    }

    func hold(_ id: Int64) throws(MediaError) -> Job {
        try edit(id, in: [.waiting, .held]) { job, _ in (job.state, job.due) = (.held, nil) }
    }

    func release(_ id: Int64) throws(MediaError) -> Job {
        try edit(id, in: [.waiting, .held], also: .waiting) { job, table in
            if job.state == .held {
                (job.state, job.due) = (.waiting, Job.due(job.notBefore, now: table.now))
            } else {
                if job.due == job.notBefore { job.notBefore = nil }
                job.due = nil
            }
        }
    }

    func pause(_ id: Int64, attempt: Int, _ isOn: Bool) throws(MediaError) -> Job {
        try change { table throws(MediaError) -> Job in
            var job = try table.need(id, in: [.running])
            guard job.attempts == attempt, job.owner == owner else {
                throw MediaError(.jobStateNotValid, "job \(id) is not this attempt's")
            }
            job.isPaused = isOn
            table.jobs[id] = job
            return job
        }
    }

    func failDependents() throws(MediaError) -> [Job] {
        try change { table throws(MediaError) -> [Job] in
            var failed: [Job] = []
            while true {
                let jobs = table.jobs
                func isHopeless(_ id: Int64) -> Bool { jobs[id].map { $0.state.isFinal } ?? true }
                let next = table.list { job in
                    [.waiting, .held].contains(job.state)
                        && table.blockers[job.id, default: []].contains(where: isHopeless)
                }
                guard var job = next.first, let other = table.blockers[job.id]?.filter(isHopeless).min()
                else {
                    return failed
                }
                job.state = .failed
                (job.due, job.ended) = (nil, max(table.now, job.started ?? job.created))
                job.error = Job.dependencyError(other, jobs[other]?.state, of: job.id)
                failed.append(try table.write(job))
            }
        }
    }

    func modify(_ id: Int64, priority: Int) throws(MediaError) -> Job {
        try change { table throws(MediaError) -> Job in
            var job = try table.need(id, in: [.waiting, .held, .running, .publishing])
            job.priority = priority
            table.jobs[id] = job
            return job
        }
    }

    func modify(_ id: Int64, _ change: JobChange) throws(MediaError) -> Job {
        try self.change { table throws(MediaError) -> Job in
            var job = try table.need(id)
            try job.checkModifiable()
            if job.due == job.notBefore { job.due = Job.due(change.start.notBefore, now: table.now) }
            if job.state == .held { job.due = nil }
            (job.request, job.source) = (change.request, change.source)
            (job.priority, job.notBefore) = (change.priority ?? job.priority, change.start.notBefore)
            (job.after, job.needs) = (change.start.after, Needs(change.start.needs))
            (job.units, job.progress) = (nil, 0)
            if let name = change.name { try table.reserve(name, for: &job, limit: nil) }
            table.blockers[id] = Set(change.start.after.filter { table.jobs[$0]?.state != .completed })
            table.jobs[id] = job
            return job
        }
    }

    func retry(
        _ id: Int64, source: FileIdentity, request proved: ExportRequest?, limit: Int?
    ) throws(MediaError) -> Job {
        try edit(id, in: [.failed, .cancelled]) { (job, table) throws(MediaError) -> Void in
            let name = job.nameAgain
            job.state = .waiting
            job.source = source
            job.request = proved ?? job.request
            try table.reserve(name, for: &job, limit: limit)
            (job.interruptions, job.crashes, job.failures) = (0, 0, 0)
            (job.units, job.progress) = (nil, 0)
            (job.error, job.due, job.ended) = (nil, Job.due(job.notBefore, now: table.now), nil)
        }
    }

    func remove(_ id: Int64) throws(MediaError) -> Job {
        try change { table throws(MediaError) -> Job in
            let job = try table.need(id, in: [.completed, .failed, .cancelled])
            (table.jobs[id], table.blockers[id]) = (nil, nil)
            table.record(.removed, of: job)
            return job
        }
    }

    func surplus() -> [Int64] {
        let ended = table.jobs.values.compactMap { job in job.ended.map { ($0, job.id) } }
        return ended.sorted { $0 > $1 }.dropFirst(policy.history).map { $0.1 }
    }

    func forget(_ ids: [Int64]) throws(MediaError) {
        try change { table -> Void in
            for id in ids where table.jobs[id]?.ended != nil { table.jobs[id] = nil }
            table.events = Array(table.events.suffix(policy.events))
        }
    }

    func isDraining() -> Bool { table.isDraining }
    func setDraining(_ isOn: Bool) throws(MediaError) { try change { $0.isDraining = isOn } }
    func isRefusing() -> Bool { table.isRefusing }
    func setRefusing(_ isOn: Bool) throws(MediaError) { try change { $0.isRefusing = isOn } }
}
