// Exports in units in this process: divides, makes each unit and joins, as the daemon lets workers do.
import Export
import Glibc
import Libav
import Media
import MediaTime
import Testing
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
    /// The log of the joins.
    var log: [String] = []
}

/// Exports `input` in chunks; the output goes into the scratch folder.
func exportInUnits(
    _ input: String, _ presetID: String, seconds: Double = 1, in scratch: Scratch, type: String? = nil,
    subtitles: String? = nil,
    change: (inout ExportUnit) throws -> Void = { _ in }, spoil: (inout [String]) throws -> Void = { _ in },
    adjust: (inout ExportRequest) -> Void = { _ in }
) throws -> MadeInUnits {
    let file = scratch.name(type ?? "m4v")
    var request = ExportRequest(
        input: input, output: OutputTarget(folder: scratch.path, name: nil, stem: "out"),
        preset: try preset(presetID), render: .encode)
    if let subtitles { request.burn(subtitles) }
    adjust(&request)
    return try withEncoders(of: request) {
        try exportInUnits(request, to: file, seconds: seconds, in: scratch, change: change, spoil: spoil)
    }
}

private func exportInUnits(
    _ request: ExportRequest, to file: String, seconds: Double, in scratch: Scratch,
    change: (inout ExportUnit) throws -> Void, spoil: (inout [String]) throws -> Void
) throws -> MadeInUnits {
    let words = try request.options?.burnedFile.map { try scratch.source($0) }
    let exporter = Exporter(try scratch.source(request.input), request, subtitles: words)
    let output = try scratch.output(file)
    let first = try exporter.export(
        division: UnitDivision(seconds: seconds), output: output, progress: { _ in }, log: { _ in })
    guard case .units(let plan) = first else { return MadeInUnits() }
    // As it is kept and sent between processes.
    func sent<Value: Codable>(_ value: Value) throws -> Value {
        try JSONValue(parsing: JSONValue(coding: value).encoded, as: .message).value(of: Value.self)
    }
    let kept = try sent(plan)
    var (made, common) = (MadeInUnits(plan: kept), kept.plan)
    var units = Dictionary(uniqueKeysWithValues: kept.units.map { ($0.number, $0) })
    var done: [Int: (report: UnitReport, file: String)] = [:]
    func make(_ unit: ExportUnit) throws {
        let name = scratch.name("unit")
        let inputs = try unit.inputs.map { try scratch.source(#require(done[$0]).file) }
        let report = try exporter.make(
            unit, plan: common, inputs: inputs.map(\.descriptor), output: try scratch.output(name)
        ) { _ in }
        done[unit.number] = (try sent(report), name)
    }
    for number in units.keys { try change(&units[number, default: kept.units[0]]) }
    for unit in units.values.sorted(by: { $0.number < $1.number }) where !unit.isPending { try make(unit) }
    var files = done.sorted { $0.key < $1.key }.map(\.value.file)
    try spoil(&files)
    for _ in 0..<12 {
        let ready = units.values.filter { done[$0.number] != nil && !$0.isPending }.sorted {
            $0.number < $1.number
        }
        let all = ready.compactMap { done[$0.number] }
        (made.reports, made.files) = (all.map(\.report), all.map(\.file))
        // As the daemon does before each join: an earlier one may have been too large.
        try #require(ftruncate(output, 0) == 0 && lseek(output, 0, SEEK_SET) == 0)
        let outcome = try exporter.join(
            ready, made.reports, plan: common, files: made.files.map { try scratch.source($0).descriptor },
            output: output, progress: { _ in }, log: { made.log.append($0) })
        switch outcome {
        case .finished(let result): made.made = Made(file: file, result: result, progress: [])
        case .whole(let reason): made.misfit = reason
        case .units(let more):
            let more = try sent(more)
            common = more.plan
            for unit in more.units {
                if done[unit.number] != nil { made.corrected += 1 }
                units[unit.number] = unit
                done[unit.number] = nil
            }
            for unit in more.units where !unit.isPending { try make(unit) }
            continue
        }
        break
    }
    return made
}
