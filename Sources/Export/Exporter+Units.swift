// The steps of an export that is made in units: dividing it, making one unit, and joining them. Each runs in a process of its own, on
// the caller's thread.
internal import Libav
public import Media
internal import Render
internal import Source
public import Text

extension Exporter {
    /// Makes one unit of an export.
    /// - Parameters:
    ///   - plan: the common part of the export's plan.
    ///   - inputs: the files of the unit's inputs, in their order.
    ///   - output: the unit's own file, empty.
    public func make(
        _ unit: ExportUnit, plan: JSONValue, inputs: [Int32] = [], output: Int32,
        progress: @escaping @Sendable (Progress) -> Void
    ) throws(MediaError) -> UnitReport {
        let divided = try UnitCoding.read(plan, DividedExport.self)
        let name = "\(UnitName(.statistics, unit.index))"
        let files = inputs.map { SourceFile(descriptor: $0, name: name) }
        return try UnitMaker(
            source: source, subtitles: subtitles, divided: divided, unit: unit, inputs: files
        ).run(
            output: SourceFile(descriptor: output, name: "\(unit.name)"), progress: progress)
    }

    /// Joins the units of an export to its output, or says what must be made before.
    /// - Parameters:
    ///   - units: those that are made.
    ///   - plan: the common part of the export's plan.
    ///   - files: the units' files, in the order of the units.
    ///   - output: open for reading and writing, empty.
    public func join(
        _ units: [ExportUnit], _ reports: [UnitReport], plan: JSONValue, files: [Int32], output: Int32,
        planned: (PlannedOutput) -> Void = { _ in }, progress: @escaping @Sendable (Progress) -> Void,
        log: (String) -> Void
    ) throws(MediaError) -> ExportOutcome {
        let divided = try UnitCoding.read(plan, DividedExport.self)
        guard let export = divided.isFallback ? encoding : self else {
            return .whole("the request has no fallback any more")
        }
        progress(Progress(fraction: 0, phase: .preparing))
        let round = try UnitRound(divided, units, reports)
        if let round, round.isAnalysed { return try round.second(log) }
        let joined = try JoinedUnits(
            divided, units, reports,
            files: zip(units, files).map { SourceFile(descriptor: $1, name: "\($0.name)") })
        if let misfit = joined.misfit { return .whole(misfit) }
        guard joined.corrections.isEmpty else {
            log(
                "encoding \(quantity(joined.corrections.count, "chunk")) again: the chunks before leave the decoder's buffer emptier"
            )
            return .units(UnitPlan(plan: plan, fingerprint: "", units: joined.corrections))
        }
        for reason in Set(joined.onePass).sorted() {
            log("a chunk's second pass failed, one pass was made: \(reason)")
        }
        let ready = try export.prepare(Diagnostics())
        let diagnostics = Diagnostics()
        diagnostics.merge(divided.warnings.map { CountedWarning(warning: $0, count: 1) })
        diagnostics.merge(joined.warnings)
        var attempt = RenderAttempt(export, ready, output: output, limit: divided.sharing?.limit)
        let way = RenderStrategy.Way(render: divided.render)
        if let round {
            let plan = try attempt.planned(way)
            if let outcome = round.excess(plan, length: ready.length) {
                return try resized(outcome, plan, round, &attempt, way, log)
            }
        }
        let meter = ProgressMeter(ready.range.segments, length: ready.length, report: progress)
        let limit = attempt.limit
        do throws(AttemptFailure) {
            var result = try attempt.run(
                way, diagnostics, meter: meter, planned: planned, log: log, units: (divided, joined))
            if divided.isFallback { result.preset = export.request.preset.id }
            return .finished(result)
        } catch {
            switch error {
            case .other(let error): throw error
            case .unitsDiffer(let reason): return .whole(reason)
            case .unsuitableSize(let decision, let error):
                guard let round else { return .whole(error.message) }
                if let made = attempt.made, let bytes = limit.bytes, made.size > bytes {
                    var before = limit
                    if let plan = try round.smaller(made, &before) {
                        log("the size does not suit: \(quantity(plan.units.count, "chunk")) above the share")
                        return .units(plan)
                    }
                }
                guard decision == .again else { throw error }
                log("the size does not suit: again, \(attempt.limit.words)")
                return try round.again(try attempt.planned(way), attempt.limit, log)
            case .reordering, .orderUnknown, .mismatch: return .whole(error.error.message)
            }
        }
    }

    /// The units that are made again of an output that would be too large.
    private func resized(
        _ outcome: SizeLimit.Outcome, _ plan: ExportPlan, _ round: UnitRound, _ attempt: inout RenderAttempt,
        _ way: RenderStrategy.Way, _ log: (String) -> Void
    ) throws(MediaError) -> ExportOutcome {
        log("at least \(outcome.words)")
        var limit = attempt.limit
        if let plan = try round.smaller(outcome, &limit) {
            log("the size does not suit: \(quantity(plan.units.count, "chunk")) above the share")
            return .units(plan)
        }
        try attempt.decide(plan, outcome)
        log("the size does not suit: again, \(attempt.limit.words)")
        return try round.again(try attempt.planned(way), attempt.limit, log)
    }
}
