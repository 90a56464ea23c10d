// The worker's part in exports that are made in units: makes one unit, or joins all of them.
internal import Export
internal import Libav
internal import Media
internal import MediaTime
internal import Platform
internal import Wire

extension WorkerProgram {
    /// Makes one unit of an export.
    func unit(
        _ wanted: WorkerUnit, _ source: WorkerSource, _ descriptors: Descriptors, _ channel: BlockingChannel
    ) throws(MediaError) -> UnitReport {
        try limit(.transcode)
        LibavThreads.setLimit(wanted.threads)
        let output = try take(descriptors, 1, "a unit")
        let export = try exporter(
            WorkerExport(wanted.request, alternatives: .none), source, descriptors, from: 2, hasArtwork: false
        )
        let first = wanted.request.options?.burnedFile == nil ? 2 : 3
        var inputs: [Int32] = []
        for index in wanted.unit.inputs.indices {
            inputs.append(try take(descriptors, first + index, "an input"))
        }
        return try export.make(wanted.unit, plan: wanted.plan, inputs: inputs, output: output) {
            try? channel.send(.notification(WorkerNotification.progress.rawValue, encoding: $0))
        }
    }

    /// The figures that the daemon learns of an output before it is written. Decoders and filters that it opens use no more threads than it
    /// says first; those that check an output that only copies by then, or joins units, decode for a moment, and keep that number.
    func plan(of output: PlannedOutput, threads: Int?) -> WorkerPlan {
        if !output.isBegun {
            let usable = output.processors.map { max(1, $0) }
            LibavThreads.setLimit(threads.map { min($0, usable ?? $0) } ?? usable)
        }
        return WorkerPlan(bytes: output.bytes, length: output.length, processors: output.processors)
    }

    /// Joins the units of an export, or says which are made first. Their files come in notifications.
    func join(
        _ wanted: WorkerJoin, _ source: WorkerSource, _ descriptors: Descriptors, _ channel: BlockingChannel
    ) throws(MediaError) -> ExportOutcome {
        try limit(.transcode, descriptors: SandboxLimits.joiningDescriptors)
        LibavThreads.setLimit(wanted.threads)
        let output = try take(descriptors, 1, "an output")
        let export = try exporter(
            WorkerExport(wanted.request, alternatives: .none), source, descriptors, from: 2)
        guard let files = files.wait(for: wanted.units.count) else {
            throw MediaError(.invalidRequest, "the files of the units did not come")
        }
        let outcome = try export.join(
            wanted.units, wanted.reports, plan: wanted.plan, files: files, output: output,
            planned: { output in
                let plan = plan(of: output, threads: wanted.threads)
                try? channel.send(.notification(WorkerNotification.planned.rawValue, encoding: plan))
            },
            progress: {
                try? channel.send(.notification(WorkerNotification.progress.rawValue, encoding: $0))
            },
            log: {
                try? channel.send(.notification(WorkerNotification.log.rawValue, encoding: WorkerLog($0)))
            })
        return outcome.sized(size(of: output))
    }
}

extension ExportOutcome {
    /// A finished result with the size of its output in bytes.
    func sized(_ bytes: Int64) -> ExportOutcome {
        guard case .finished(var result) = self else { return self }
        result.bytes = bytes
        return .finished(result)
    }
}
