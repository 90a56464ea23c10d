// The steps of an export that is made in units: dividing it, making one unit, and joining them. Each runs in a process of its own, on
// the caller's thread.
internal import Libav
public import Media
public import MediaTime
public import Text

extension Exporter {
    /// Makes one unit of an export.
    /// - Parameters:
    ///   - plan: the common part of the export's plan.
    ///   - output: the unit's own file, empty.
    public func make(
        _ unit: ExportUnit, plan: JSONValue, output: Int32, progress: @escaping @Sendable (Progress) -> Void
    ) throws(MediaError) -> UnitReport {
        let divided = try UnitCoding.read(plan, DividedExport.self)
        return try UnitMaker(source: source, divided: divided, unit: unit).run(
            output: SourceFile(descriptor: output, name: "unit \(unit.number)"), progress: progress)
    }

    /// Joins the units of an export to its output.
    /// - Parameters:
    ///   - plan: the common part of the export's plan.
    ///   - files: the units' files, in the order of the units.
    ///   - output: open for reading and writing, empty.
    public func join(
        _ units: [ExportUnit], _ reports: [UnitReport], plan: JSONValue, files: [Int32], output: Int32,
        planned: (Int64?, Time?) -> Void = { _, _ in }, progress: @escaping @Sendable (Progress) -> Void,
        log: (String) -> Void
    ) throws(MediaError) -> ExportOutcome {
        let divided = try UnitCoding.read(plan, DividedExport.self)
        guard let export = divided.isFallback ? encoding : self else {
            return .whole("the request has no fallback any more")
        }
        progress(Progress(fraction: 0, phase: .preparing))
        let joined = try JoinedUnits(
            divided, units, reports,
            files: zip(units, files).map { SourceFile(descriptor: $1, name: "unit \($0.number)") })
        if let misfit = joined.misfit { return .whole(misfit) }
        guard joined.corrections.isEmpty else {
            log(
                "\(joined.corrections.count) chunks are encoded again: their predecessors leave the decoder's buffer emptier"
            )
            return .units(UnitPlan(plan: plan, fingerprint: "", units: joined.corrections))
        }
        let ready = try export.prepare(Diagnostics())
        let diagnostics = Diagnostics()
        diagnostics.merge(divided.warnings.map { CountedWarning(warning: $0, count: 1) })
        diagnostics.merge(joined.warnings)
        var attempt = RenderAttempt(export, ready, output: output)
        let meter = ProgressMeter(ready.range.segments, length: ready.length, report: progress)
        do throws(AttemptFailure) {
            var result = try attempt.run(
                RenderStrategy.Way(render: divided.render), diagnostics, meter: meter, planned: planned,
                log: log,
                units: (divided, joined))
            if divided.isFallback { result.preset = export.request.preset.id }
            return .finished(result)
        } catch {
            switch error {
            case .other(let error): throw error
            case .unitsDiffer(let reason): return .whole(reason)
            case .reordering, .orderUnknown, .mismatch, .unsuitableSize: return .whole(error.error.message)
            }
        }
    }
}
