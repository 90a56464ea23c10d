// Formats why a job that is not exporting waits. Text only: the job's JSON has `error` and `retry`.
internal import Media

/// Why a job waits.
enum WaitingText {
    /// Its status in a table: `waiting for space` where its last attempt ran out of space.
    static func status(_ job: JobReport) -> String {
        guard job.status == .waiting, let error = job.error else {
            if job.paused == true { return "paused" }
            if job.status == .waiting, let unmet = job.unmet {
                return "waiting (needs \(unmet.joined(separator: ", ")))"
            }
            guard job.status == .waiting || job.status == .held, let after = job.after else {
                return job.status.rawValue
            }
            return "\(job.status.rawValue) (after \(after.map(String.init).joined(separator: ", ")))"
        }
        return error.code == .diskFull ? "waiting for space" : "waiting to retry"
    }

    /// Its status while a command waits for it, with the reason if the daemon starts no jobs.
    static func word(_ job: JobReport) -> String {
        job.draining == true ? "\(status(job)): \(JobReport.drainingWords)" : status(job)
    }

    /// The needs of a waiting job that no node has.
    static func words(_ unmet: [String]) -> String {
        "no node that starts jobs has \(unmet.joined(separator: " and ")); it waits until one does"
    }

    /// A sentence on why the job waits; nil if the status says everything.
    static func reason(_ job: JobReport, now: Moment) -> String? {
        if let warning = job.warnings.first(where: { $0.code == .notRecorded }), !job.status.isFinal {
            return warning.message
        }
        if job.status == .waiting, let start = job.notBefore, start > now {
            let delay = Double(start.milliseconds - now.milliseconds) / 1000
            return "\(status(job)): it starts in \(Units.duration(delay)) at the earliest"
        }
        if job.status == .waiting, job.error == nil, let unmet = job.unmet {
            return "waiting: \(words(unmet))"
        }
        guard job.status == .waiting, let error = job.error else { return nil }
        let again = job.retry.map { moment in
            "; tried again in \(Units.duration(max(0, Double(moment.milliseconds - now.milliseconds) / 1000)))"
        }
        return "\(status(job)): \(ErrorText.line(error))\(again ?? "")".oneLine
    }
}
