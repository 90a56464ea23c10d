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
    /// How many units were made again before they were joined.
    var corrected = 0
    /// Why it could not be joined.
    var misfit: String?
}

/// Exports `input` in chunks; the output goes into the scratch folder.
func exportInUnits(
    _ input: String, _ presetID: String, seconds: Double = 1, in scratch: Scratch, type: String? = nil,
    change: (inout ExportUnit) throws -> Void = { _ in }, spoil: (inout [String]) throws -> Void = { _ in },
    adjust: (inout ExportRequest) -> Void = { _ in }
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
    func sent<Value: Codable>(_ value: Value) throws -> Value {
        try JSONValue(parsing: JSONValue(coding: value).encoded, as: .message).value(of: Value.self)
    }
    let kept = try sent(plan)
    var (made, units) = (MadeInUnits(plan: kept), kept.units)
    func make(_ unit: ExportUnit) throws -> (UnitReport, String) {
        let name = scratch.name("unit")
        let report = try exporter.make(unit, plan: kept.plan, output: try scratch.output(name)) { _ in }
        return (try sent(report), name)
    }
    for index in units.indices { try change(&units[index]) }
    for unit in units {
        let (report, name) = try make(unit)
        made.reports.append(report)
        made.files.append(name)
    }
    try spoil(&made.files)
    for _ in 0..<5 {
        let outcome = try exporter.join(
            units, made.reports, plan: kept.plan,
            files: made.files.map { try scratch.source($0).descriptor }, output: output,
            progress: { _ in }, log: { _ in })
        switch outcome {
        case .finished(let result): made.made = Made(file: file, result: result, progress: [])
        case .whole(let reason): made.misfit = reason
        case .units(let more):
            made.corrected += more.units.count
            for unit in more.units {
                units[unit.number] = try sent(unit)
                (made.reports[unit.number], made.files[unit.number]) = try make(units[unit.number])
            }
            continue
        }
        break
    }
    return made
}
