// Tables of cuts: with a header that names the columns, or LosslessCut's form without one: start, end and label.
internal import Media
internal import MediaTime
internal import Text

/// Parses and writes tables.
struct CutTable {
    let isTabbed: Bool

    /// A known column.
    private enum Column: Hashable {
        case field(Field)
        case option(ExportOption)

        /// The columns that are no options of an export.
        enum Field: String, CaseIterable {
            case input, start, end, duration, preset, output, label, render, snap
        }

        private static let options = ExportOption.all.filter { $0.uses.contains(.lists) }

        /// The names of all columns.
        static let names = Field.allCases.map(\.rawValue) + options.map(\.name)

        /// Alternative column names.
        private static let aliases: [String: Field] = [
            "source": .input, "file": .input, "in": .start, "out": .end, "length": .duration, "name": .label,
            "title": .label, "start time": .start, "end time": .end,
        ]

        init?(head: String) {
            let word = head.lowercased()
            if let field = Field(rawValue: word) ?? Column.aliases[word] {
                self = .field(field)
            } else if let option = Column.options.first(where: {
                $0.name == word || $0.name == word.replacing("_", with: "-")
            }) {
                self = .option(option)
            } else {
                return nil
            }
        }

        var name: String {
            switch self {
            case .field(let field): field.rawValue
            case .option(let option): option.name
            }
        }
    }

    /// The columns of LosslessCut's lists.
    private static let plain: [Column?] = [.field(.start), .field(.end), .field(.label)]

    func read(_ text: ListText, into list: inout ExportList) {
        let separator = isTabbed ? 0x09 : RecordReader.separator(of: text)
        var reader = RecordReader(text, separator: separator)
        var columns: [Column?]?
        do throws(ListFault) {
            while let record = try reader.next() {
                guard let known = columns else {
                    columns = header(record, into: &list)
                    if columns == nil {
                        columns = CutTable.plain
                        take(record, CutTable.plain, separator, into: &list)
                    }
                    continue
                }
                take(record, known, separator, into: &list)
            }
        } catch {
            list.faults.append(error)
        }
    }

    /// The columns named by a first record; nil if it is not a header.
    private func header(_ record: Record, into list: inout ExportList) -> [Column?]? {
        guard record.cells.contains(where: { Column(head: $0) != nil }),
            // A cut with the label "out", for example, has times beside it.
            !record.cells.contains(where: { (try? TimeSpelling.parse($0)) != nil && Column(head: $0) == nil })
        else { return nil }
        var seen: Set<Column> = []
        for head in record.cells {
            if let column = Column(head: head) {
                if !seen.insert(column).inserted {
                    list.fault(record.line, "the column \(column.name) is there twice")
                }
            } else if let near = nearestNames(to: head, in: Column.names).first,
                head.count > 2
            {
                list.fault(record.line, "there is no column \(head.shown); did you mean '\(near)'?")
            } else if !head.isEmpty {
                list.note(record.line, "the column \(head.shown) is not used")
            }
        }
        return record.cells.map(Column.init(head:))
    }

    private func take(
        _ record: Record, _ columns: [Column?], _ separator: UInt8, into list: inout ExportList
    ) {
        let line = record.line
        var export = ListedExport(line: line)
        var isWrong = false
        if let extra = record.cells.dropFirst(columns.count).first(where: { !$0.isEmpty }) {
            list.fault(
                line,
                "\(extra.shown) is one value too many: there are \(columns.count) columns; a name that holds "
                    + "the separator needs quotation marks")
            isWrong = true
        }
        for (column, cell) in zip(columns, record.cells) where !cell.isEmpty {
            switch column {
            case .field(.input): export.input = cell
            case .field(.preset): export.preset = cell
            case .field(.output): export.output = cell
            case .field(.label): export.label = cell
            case .field(.render): export.render = word(cell, "render", line, into: &list, &isWrong)
            case .field(.snap): export.snap = word(cell, "snap", line, into: &list, &isWrong)
            case .field(let field):
                // With another separator a comma is a decimal point, as in some locales.
                let text = separator == UInt8(ascii: ",") ? cell : cell.replacing(",", with: ".")
                switch list.time(text, field.rawValue, line) {
                case .success(let time):
                    if field == .start { export.start = time }
                    if field == .end { export.end = time }
                    if field == .duration { export.duration = time }
                case .failure(let fault):
                    list.faults.append(fault)
                    isWrong = true
                }
            case .option(let option):
                var options = export.options ?? ExportOptions()
                do throws(MediaError) {
                    try option.set(cell, in: &options, as: option.name)
                    export.options = options
                } catch {
                    list.fault(line, "\(error)")
                    isWrong = true
                }
            case nil: break
            }
        }
        if export.end != nil, export.duration != nil {
            list.fault(line, "both an end and a duration are given; give one of them")
            isWrong = true
        }
        if !isWrong { list.exports.append(export) }
    }

    private func word<Word: RawRepresentable<String> & CaseIterable>(
        _ cell: String, _ name: String, _ line: Int, into list: inout ExportList, _ isWrong: inout Bool
    ) -> Word? {
        if let word = Word(rawValue: cell.lowercased()) { return word }
        let words = Word.allCases.map(\.rawValue).joined(separator: ", ")
        list.fault(line, "\(name): \(cell.shown) is none of \(words)")
        isWrong = true
        return nil
    }
}

extension CutTable {
    /// Writes a table: the columns that are used, or LosslessCut's form where start, end and label say all.
    func write(_ exports: [ListedExport], to written: inout WrittenList) {
        let cells: [(name: Column.Field, cell: (ListedExport) -> String?)] = [
            (.input, \.input), (.start, { $0.start?.description }), (.end, { $0.end?.description }),
            (.duration, { $0.duration?.description }), (.preset, \.preset), (.output, \.output),
            (.label, \.label),
            (.render, { $0.render?.rawValue }), (.snap, { $0.snap?.rawValue }),
        ]
        for export in exports where export.options != nil || export.rest != nil {
            written.note(export.line, "the options are left out; give them on the command line")
        }
        let used = cells.filter { column in exports.contains { column.cell($0) != nil } }
        // A record of a label alone would be taken for a header.
        let isPlain =
            used.allSatisfy { [.start, .end, .label].contains($0.name) }
            && exports.allSatisfy { $0.start != nil || $0.end != nil }
        if isPlain {
            // LosslessCut reads seconds.
            func seconds(_ time: TimeSpelling?) -> String? {
                time.map { $0.assetTime?.inMicroseconds ?? $0.description }
            }
            for export in exports {
                written.text += line([seconds(export.start), seconds(export.end), export.label])
            }
        } else {
            written.text += line(used.map(\.name.rawValue))
            for export in exports { written.text += line(used.map { $0.cell(export) }) }
        }
    }

    private func line(_ cells: [String?]) -> String {
        cells.map { cell in
            let text = cell ?? ""
            let isPlain =
                !text.contains { ",;\t\"\r\n".contains($0) || $0.isNewline } && text == text.trimmed
            return isPlain
                ? text
                : "\"\(text.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\""))\""
        }.joined(separator: isTabbed ? "\t" : ",") + "\n"
    }
}

extension String {
    /// A copy with one character replaced.
    func replacing(_ piece: Character, with other: Character) -> String {
        String(map { $0 == piece ? other : $0 })
    }
}
