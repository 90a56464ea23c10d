// MemoryContents: what a MemoryQueue's folder holds, and the rules of its changes. A value: the queue works on a copy, which it
// keeps if nothing was thrown.
import Media
import MediaTime

@testable import JobQueue

/// The contents of a folder; within a call also its caller and its time.
struct MemoryContents: Sendable {
    /// Milliseconds from a claim or a renewal to the end of the lease.
    static let leaseTime: Int64 = 60_000

    var owner = ""
    var now = Moment(milliseconds: 0)
    var jobs: [Int64: Job] = [:]
    var leases: [Int64: Moment] = [:]
    /// Of owners who have claimed units, until when these are theirs.
    var unitLeases: [String: Moment] = [:]
    var lastChange: Int64 = 0
    /// The requests to owners about their running jobs.
    var asked: [Int64: Bool] = [:]
    var turns: [UInt32: Int] = [:]
    var events: [JobEvent] = []
    var totals: [[String]: JobTotal] = [:]
    var lastJob: Int64 = 0
    var lastEvent: Int64 = 0
    var isDraining = false
    var isRefusing = false
    /// The abilities of the node of the call.
    var abilities: Set<String> = []
    /// The jobs that have not completed and that each job waits for.
    var blockers: [Int64: Set<Int64>] = [:]
    /// The units of jobs that have not ended.
    var units: [Int64: JobUnits] = [:]

    var leaseEnd: Moment { Moment(milliseconds: now.milliseconds + MemoryContents.leaseTime) }
    var begun: [Job] { list { JobState.begun.contains($0.state) } }

    /// Some jobs, oldest first.
    func list(_ condition: (Job) -> Bool) -> [Job] { jobs.values.filter(condition).sorted { $0.id < $1.id } }

    func job(key: String, of user: UInt32) -> Job? {
        list { $0.user == user && $0.request.key?.isSame(as: key) == true }.first
    }

    func need(
        _ id: Int64, for viewer: Viewer = .all, in states: [JobState]? = nil
    ) throws(MediaError) -> Job {
        guard let job = jobs[id], viewer.sees(job.user) else {
            throw MediaError(.jobNotFound, "there is no job \(id)")
        }
        if let states, !states.contains(job.state) {
            throw MediaError(.jobStateNotValid, "job \(id) is \(job.state.rawValue)")
        }
        return job
    }

    /// Whether it waits for no other job.
    func isFree(_ job: Job) -> Bool { blockers[job.id, default: []].isEmpty }

    /// The next job to start: of the user whose turn was longest ago, the first of the highest priority.
    func next() -> Job? {
        let ready = list { job in
            let wait = (job.due ?? now).milliseconds - now.milliseconds
            let isDue = wait <= 0 || wait > QueuePolicy.longestDelay && job.due != job.notBefore
            return job.state == .waiting && isDue && isFree(job) && job.needs.areMet(by: abilities)
        }
        let firsts = Dictionary(grouping: ready, by: \.user).values.compactMap { own in
            own.max { ($0.priority, -$0.id) < ($1.priority, -$1.id) }
        }
        return firsts.min { (turns[$0.user] ?? 0, $0.id) < (turns[$1.user] ?? 0, $1.id) }
    }

    /// Stores a job, its event and its totals if the table of states allows it, or it comes from the state `also`; an attempt's
    /// only while the attempt has the job. A state that holds already is no change.
    mutating func write(_ job: Job, attempt: Int? = nil, also: JobState? = nil) throws(MediaError) -> Job {
        let known = try need(job.id)
        let isMine = attempt == nil || (known.attempts == attempt && known.owner == owner)
        if isMine, job == known { return job }
        let isBegun = attempt == nil || JobState.begun.contains(known.state)
        guard isMine, isBegun, known.state.mayBecome(job.state) || known.state == also else {
            throw MediaError(
                .invalidRequest, "job \(job.id) is \(known.state.rawValue) in its attempt \(known.attempts)")
        }
        if job.crashes > known.crashes { count("crashed", of: known) }
        if job.failures > known.failures || job.crashes > known.crashes, !job.state.isFinal {
            count("retried", code: job.error?.code, of: known)
        }
        jobs[job.id] = job
        if attempt != nil, !JobState.begun.contains(job.state) { freeUnits(of: [owner], job: job.id) }
        if job.state == .completed { for waiting in blockers.keys { blockers[waiting]?.remove(job.id) } }
        if job.state != .publishing { record(JobEvent.Kind(job.state.status), of: job) }
        if job.state.isFinal { units[job.id] = nil }
        if job.state.isFinal { count(job.state.rawValue, code: job.error?.code, of: job) }
        return job
    }

    /// Units that these owners have not made are free again.
    mutating func freeUnits(of owners: Set<String>, job: Int64? = nil) {
        lastChange += 1
        for id in units.keys where id == job ?? id {
            for index in units[id]?.units.indices ?? 0..<0 {
                guard let unit = units[id]?.units[index], !unit.isDone, owners.contains(unit.owner ?? "")
                else { continue }
                units[id]?.units[index].owner = nil
                units[id]?.units[index].change = lastChange
            }
        }
    }

    mutating func record(_ kind: JobEvent.Kind, of job: Job) {
        lastEvent += 1
        let code = kind == .removed ? nil : job.error?.code
        events.append(JobEvent(id: lastEvent, job: job.id, event: kind, at: now, user: job.user, code: code))
    }

    mutating func count(_ event: String, code: ErrorCode? = nil, of job: Job) {
        let render = job.result?.render ?? job.request.render
        let key = [event, job.request.preset.id, render.rawValue, code?.rawValue ?? ""]
        let none = JobTotal(
            event: event, preset: key[1], render: key[2], code: key[3], jobs: 0, media: 0, work: 0, bytes: 0)
        var total = totals[key] ?? none
        total.jobs += 1
        if let started = job.started, let ended = job.ended {
            total.work += ended.milliseconds - started.milliseconds
        }
        if job.state == .completed, let result = job.result {
            let length = (result.actual.end - result.actual.start).seconds
            total.media += length.isFinite ? Int64(length * 1000) : 0
            total.bytes += result.bytes
        }
        totals[key] = total
    }

    /// Reserves the name of a job's output; throws if its user has `limit` other unfinished jobs.
    func reserve(_ name: OutputName?, for job: inout Job, limit: Int?) throws(MediaError) {
        let user = job.user
        if let limit, list({ $0.user == user && $0.ended == nil }).count >= limit {
            throw MediaError(.limitReached, "you have \(limit) unfinished jobs")
        }
        (job.nameKey, job.request.output.number) = (nil, nil)
        switch name {
        case nil: break
        case .named(let folder, let name, let replaces):
            job.nameKey = OutputName.key(folder, name)
            if !replaces { try checkFree(job) }
        case .numbered(let folder, let stem, let free, let fileTypes):
            for number in free {
                let key = OutputName.key(folder, stem, number)
                guard isFree([key] + fileTypes.map { key + $0 }, but: job.id) else { continue }
                job.nameKey = key
                job.request.output.number = number > 1 ? number : nil
                return
            }
            throw MediaError(.fileAlreadyExists, "all names of \(stem) are taken")
        }
    }

    /// Throws if another unfinished job has a job's name, or the numbered one that may become it.
    func checkFree(_ job: Job) throws(MediaError) {
        let key = job.nameKey ?? ""
        let stem = key.lastIndex(of: ".").map { String(key[...$0]) } ?? key
        if isFree([key, stem], but: job.id) { return }
        throw MediaError(.fileAlreadyExists, "the output \(key) is being made by another job")
    }

    private func isFree(_ keys: [String], but id: Int64) -> Bool {
        !jobs.values.contains { job in
            job.ended == nil && job.id != id && keys.contains { job.nameKey?.isSame(as: $0) == true }
        }
    }
}

extension Viewer {
    /// Whether a read covers a user's jobs.
    func sees(_ user: UInt32) -> Bool { self == .all || self == .user(user) }
}

extension String {
    /// Whether both have the same bytes: names and keys that only look alike are different ones.
    fileprivate func isSame(as other: String) -> Bool { utf8.elementsEqual(other.utf8) }
}
