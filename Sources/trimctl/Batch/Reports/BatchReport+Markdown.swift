// Formats a batch as a Markdown table, for a page, a merge request or an email.
internal import Media
internal import Text

extension BatchReport {
    /// The report as Markdown.
    var markdown: String {
        var text = "# \(cell(BatchNames.last(list)))\n\n\(summary)\n\n"
        text += "| line | source | output | status | render | length | size | taken | notes |\n"
        text += "|---:|---|---|---|---|---:|---:|---:|---|\n"
        for export in exports {
            let notes = [export.error.map(ErrorText.line)].compactMap(\.self) + export.warnings
            let cells = [
                "\(export.line)", cell(BatchNames.last(export.input)), cell(BatchNames.last(export.output)),
                export.reused == true ? "completed before" : export.outcome.rawValue,
                export.render?.rawValue ?? "", export.length.map(Units.duration) ?? "",
                export.bytes.map(Units.size) ?? "", export.taken.map(Units.duration) ?? "",
                cell(notes.joined(separator: "; ")),
            ]
            text += "| " + cells.joined(separator: " | ") + " |\n"
        }
        for fault in faults { text += "| \(fault.line) | | | wrong | | | | | \(cell(fault.message)) |\n" }
        return text
    }

    /// Escapes text for a cell.
    private func cell(_ text: String) -> String {
        PathBytes.readable(text).printable.oneLine.map { "|\\`*_<>[]".contains($0) ? "\\\($0)" : String($0) }
            .joined()
    }
}
