// Formats the result of `trimctl check`: one line per preset, with reasons and remedies below. Text only.
internal import Media

/// Formats a compatibility report.
struct CheckText {
    /// ✓ and ✗ may be used.
    let isUnicode: Bool

    /// The complete report.
    func page(_ report: CompatibilityReport, of path: String) -> String {
        var text = "\(path.oneLine): " + (report.canTrim ? "can be trimmed\n" : "cannot be trimmed\n")
        if let reason = report.reason { text += "  \(sentence(reason))\n" }
        for fault in report.faults ?? [] { text += "  fault: \(AssetText.sentence(fault))\n" }
        for property in report.properties ?? [] { text += "  property: \(property.message.oneLine)\n" }
        guard report.canTrim else { return text }
        let width = report.presets.map(\.id.count).max() ?? 0
        let mark = max(valid.count, invalid.count)
        let margin = String(repeating: " ", count: mark + 2 + width + 2 + 2)
        for result in report.presets {
            let types = result.fileTypes.map { "." + $0 }.joined(separator: " ")
            let size = result.estimatedBytes.map {
                ", about \(Units.size($0.likely)), \(Units.size($0.low)) to \(Units.size($0.high))"
            }
            let way = result.render.map { " (\($0.rawValue)\(size ?? ""))" } ?? ""
            let reasons = result.reasons.map(sentence)
            let why = result.renderReason.map { ["encoded: \($0)".oneLine] } ?? []
            let longest =
                result.estimatedMaximumDuration.map { ["about \(Units.clock($0)) would fit"] } ?? []
            let notes = why + longest + result.warnings.map { "note: \(sentence($0))" }
            let first = result.valid ? types + way : reasons.first ?? "not valid"
            let rest = (result.valid ? reasons[...] : reasons.dropFirst()) + notes
            text +=
                "  \((result.valid ? valid : invalid).padded(to: mark))  \(result.id.padded(to: width))  \(first)\n"
            for line in rest { text += margin + line + "\n" }
        }
        return text
    }

    private var valid: String { isUnicode ? "✓" : "yes" }
    private var invalid: String { isUnicode ? "✗" : "no" }

    private func sentence(_ reason: Reason) -> String {
        (reason.remedy.map { "\(reason.message); \($0)" } ?? reason.message).oneLine
    }
}
