// Formats the plan of a batch as a table: `trimctl batch LIST --dry-run`. Text only; the JSON is the BatchReport itself.
internal import Media

/// Formats a planned batch.
enum BatchPlanText {
    static func table(_ report: BatchReport, width: Int? = nil) -> String {
        var table = Columns([
            ("LINE", .right), ("STATUS", .left), ("SOURCE", .left), ("LENGTH", .right), ("PRESET", .left),
            ("RENDER", .left), ("ABOUT", .right), ("OUTPUT", .left),
        ])
        for export in report.exports {
            let status =
                export.reused == true
                ? "done" : export.outcome == .waiting ? "to do" : export.outcome.rawValue
            table.add([
                "\(export.line)", status, BatchNames.last(export.input),
                export.length.map(Units.duration) ?? "-", export.preset, export.render?.rawValue ?? "-",
                export.estimatedBytes.map { Units.size($0.likely) } ?? "-", export.output,
            ])
        }
        return table.text(within: width)
    }
}
