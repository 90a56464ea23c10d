// The text of --help, generated from the table. It does not print, and uses only the terminal's width.

/// Renders help.
struct Help {
    /// Maximum columns of a line.
    let width: Int

    /// Creates help for a width, limited to 20 to 100 columns.
    init(width: Int = 80) { self.width = min(max(width, 20), 100) }

    /// The help overview.
    func overview() -> String {
        var text = wrapped("trimctl: \(CommandTable.abstract)", indent: 0, hanging: 2) + "\n"
        text += wrapped("Usage: trimctl COMMAND [arguments] [options]", indent: 0, hanging: 7)
        text += section("Commands", CommandTable.shown.map { ($0.name, $0.abstract) })
        text += section("Options", CommandTable.globalOptions.map { (signature($0), $0.help) })
        if let first = CommandTable.entries.first { text += examples(first.examples) }
        text += exitCodes(CommandTable.exitCodes)
        return text + "\n" + wrapped("`trimctl COMMAND --help` says more on a command.", indent: 0)
    }

    /// The help page of a command.
    func page(_ entry: CommandEntry) -> String {
        let abstract = entry.abstract.prefix(1).lowercased() + entry.abstract.dropFirst()
        var text = wrapped("\(entry.title): \(abstract)", indent: 0, hanging: 2) + "\n"
        for (index, form) in entry.synopsis.enumerated() {
            text += wrapped(
                "\(index == 0 ? "Usage: " : "       ")\(entry.title) \(form)", indent: 0, hanging: 9)
        }
        for paragraph in entry.discussion { text += "\n" + wrapped(paragraph, indent: 0) }
        if !entry.positionals.isEmpty {
            text += section("Arguments", entry.positionals.map { ($0.name, $0.help) })
        }
        let widest = entry.allOptions.map { signature($0).count }.max()
        for (title, options) in entry.titledOptions {
            text += section(title, options.map { (signature($0), $0.explanation) }, widest: widest)
        }
        text += examples(entry.examples)
        text += exitCodes(entry.exitCodes)
        return text
    }

    /// `-o, --output OUTPUT`.
    func signature(_ option: Option) -> String {
        let short = option.short.map { "-\($0), " } ?? "    "
        return short + "--\(option.name)" + (option.valueName.map { " \($0)" } ?? "")
    }

    private func examples(_ examples: [Example]) -> String {
        guard !examples.isEmpty else { return "" }
        return "\nExamples:\n"
            + examples.map { "  \($0.command)\n" + wrapped($0.effect, indent: 6) }.joined()
    }

    private func exitCodes(_ codes: [ExitCode]) -> String {
        section("Exit codes", codes.map { ("\($0.code)", $0.meaning) })
    }

    /// A titled two-column list; after a long left column the right one starts on the next line.
    /// - Parameter widest: the columns of the widest left text of this list and its neighbours; nil: of this list.
    private func section(
        _ title: String, _ rows: [(left: String, right: String)], widest: Int? = nil
    ) -> String {
        let column = min(widest ?? rows.map(\.left.count).max() ?? 0, 24, width / 3)
        return rows.reduce(into: "\n\(title):\n") { text, row in
            let indent = column + 4
            let right = wrapped(row.right, indent: indent)
            if row.left.count > column {
                text += "  \(row.left)\n" + right
            } else {
                text += "  " + row.left.padded(to: column) + "  " + right.drop { $0 == " " }
            }
        }
    }

    /// Lines of at most `width` columns, broken at spaces.
    func wrapped(_ text: String, indent: Int, hanging: Int = 0) -> String {
        var lines: [String] = []
        var line = String(repeating: " ", count: indent)
        var isEmpty = true
        for word in text.split(separator: " ", omittingEmptySubsequences: false) {
            if !isEmpty, line.count + 1 + word.count > width {
                lines.append(line)
                line = String(repeating: " ", count: indent + hanging)
                isEmpty = true
            }
            line += (isEmpty ? "" : " ") + word
            isEmpty = false
        }
        lines.append(line)
        return lines.joined(separator: "\n") + "\n"
    }
}

extension String {
    /// The text padded with trailing spaces to this many columns.
    func padded(to width: Int) -> String { self + String(repeating: " ", count: max(0, width - count)) }

    /// The text padded with leading spaces to this many columns.
    func aligned(to width: Int) -> String { String(repeating: " ", count: max(0, width - count)) + self }
}
