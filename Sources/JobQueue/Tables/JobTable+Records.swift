// Events and totals, written in the transaction of their change. On the queue of the connection.
internal import Media
internal import MediaTime

extension JobTable {

    /// Records an event of a job.
    func record(
        _ kind: JobEvent.Kind, of job: Job
    ) throws {
        news?.isAny = true
        let code = kind == .removed || job.state == .completed ? nil : job.error?.code.rawValue
        try database.run(
            "INSERT INTO events (job, \"user\", at, event, code) VALUES (?, ?, ?, ?, ?)",
            [
                .integer(job.id), .integer(Int64(job.user)), .integer(now.milliseconds),
                .text(kind.rawValue), Value(code),
            ])
    }

    /// Adds a job to the totals.
    func count(_ event: String, code: String = "", of job: Job) throws {
        var sums: [Int64] = [0, 0, 0]
        if event == "completed", let result = job.result {
            let length = (result.tracks.map(\.length).max() ?? .zero).seconds
            sums[0] = length.isFinite && length > 0 ? Int64(min(length, 1e9) * 1000) : 0
            sums[2] = max(0, result.bytes)
        }
        if let started = job.started, let ended = job.ended {
            sums[1] = max(0, ended.milliseconds - started.milliseconds)
        }
        let render = job.result?.render ?? job.request.render
        // One row for all would make its writers wait for each other's commits.
        let (column, value, target) =
            database.dialect == .sqlite ? ("", "", "") : ("slot, ", "pg_backend_pid() % 8, ", ", slot")
        try database.run(
            """
            INSERT INTO totals (\(column)event, preset, render, code, jobs, media, work, bytes)
                VALUES (\(value)?, ?, ?, ?, 1, ?, ?, ?) ON CONFLICT (event, preset, render, code\(target)) DO UPDATE SET
                jobs = totals.jobs + 1, media = totals.media + excluded.media, work = totals.work + excluded.work,
                bytes = totals.bytes + excluded.bytes
            """,
            [
                .text(event), .text(job.request.preset.id), .text(render.rawValue), .text(code),
                .integer(sums[0]), .integer(sums[1]), .integer(sums[2]),
            ])
    }
}
