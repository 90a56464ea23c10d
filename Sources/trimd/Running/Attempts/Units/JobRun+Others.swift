// The units of an attempt that other nodes make: their files are looked for, taken where the file is the one on record, and made here where they
// gave it back. On the run's queue.
internal import Dispatch
internal import JobQueue
internal import Media
internal import Platform

extension JobRun {
    /// Looks for units that other nodes have changed. Any thread.
    func lookForUnits() {
        queue.async { [self] in
            guard work != nil, ending == nil else { return }
            attempt { [self] () throws(MediaError) in try takeUnits() }
        }
    }

    /// Takes what others have made since the last look.
    func takeUnits() throws(MediaError) {
        guard var known = work else { return }
        var changes: [JobUnit]
        do throws(MediaError) {
            changes = try context.store.unitChanges(job.id, after: known.lastChange)
        } catch {
            // The next look finds them.
            guard Patience.isWorthWhile(error) else { throw error }
            return
        }
        let news = changes.filter { unit in
            guard let row = known.rows[unit.number] else { return true }
            return known.running[unit.number] == nil && !known.syncing.contains(unit.number)
                && unit.change > row.change
        }
        known.take(changes: changes)
        work = known
        guard !news.isEmpty else { return }
        var made: [Int] = [], free: [Int] = []
        for unit in news {
            if !unit.isDone {
                if unit.owner == nil, !unit.unit.isPending { free.append(unit.number) }
            } else if known.files.open(unit) != nil {
                note("\(unit.unit.name) made by another node: \(unit.file?.size ?? 0) bytes")
                made.append(unit.number)
            } else {
                note("\(unit.unit.name) is made again: the file that another node made is not there")
                work?.take(try context.store.loseUnit(job.id, attempt: job.attempts, unit.number))
                free.append(unit.number)
            }
        }
        for number in free {
            let due = work?.rows[number]?.due
            let wait = due.map { max(0, $0.milliseconds - Moment.now.milliseconds) } ?? 0
            want(number, in: .milliseconds(Int(min(wait, 60_000))))
        }
        guard !made.isEmpty, let work else { return }
        report(meter.units(work.progress))
        notify(.wants(demands(after: made)))
    }
}
