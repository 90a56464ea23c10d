// Exports in units in this process: divides, makes each unit and joins, as the daemon lets workers do.
import Export
import Libav
import Media
import MediaTime
import Text

/// An export that was made in units.
struct MadeInUnits {
    /// The output; nil where it was not divided, or could not be joined.
    var made: Made?
    var plan: UnitPlan?
    var reports: [UnitReport] = []
    /// The units' files.
    var files: [String] = []
    /// Why it could not be joined.
    var misfit: String?
}

/// Exports `input` in chunks; the output goes into the scratch folder.
func exportInUnits(
    _ input: String, _ presetID: String, seconds: Double = 1, in scratch: Scratch, type: String? = nil,
    spoil: (inout [String]) throws -> Void = { _ in }, adjust: (inout ExportRequest) -> Void = { _ in }
) throws -> MadeInUnits {
    let file = scratch.name(type ?? "m4v")
    var request = ExportRequest(
        input: input, output: OutputTarget(folder: scratch.path, name: nil, stem: "out"),
        preset: try preset(presetID), render: .encode)
    adjust(&request)
    let exporter = Exporter(try scratch.source(input), request)
    let output = try scratch.output(file)
    let first = try exporter.step(
        division: UnitDivision(seconds: seconds), output: output, progress: { _ in }, log: { _ in })
    guard case .units(let plan) = first else { return MadeInUnits() }
    // As it is kept and sent between processes.
    let kept = try JSONValue(parsing: JSONValue(coding: plan).encoded, as: .message).value(of: UnitPlan.self)
    var made = MadeInUnits(plan: kept)
    for unit in kept.units {
        let name = scratch.name("unit")
        made.reports.append(
            try exporter.make(unit, plan: kept.plan, output: try scratch.output(name)) { _ in })
        made.files.append(name)
    }
    try spoil(&made.files)
    let outcome = try exporter.join(
        kept.units, made.reports, plan: kept.plan,
        files: made.files.map { try scratch.source($0).descriptor },
        output: output, progress: { _ in }, log: { _ in })
    switch outcome {
    case .finished(let result): made.made = Made(file: file, result: result, progress: [])
    case .whole(let reason): made.misfit = reason
    case .units: made.misfit = "more units"
    }
    return made
}
