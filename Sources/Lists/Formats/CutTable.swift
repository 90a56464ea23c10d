// Tables of cuts: with a header that names the columns, or as LosslessCut writes them: start, end and label, without one.
internal import Media
internal import MediaTime

/// Reads tables.
struct CutTable {
    let isTabbed: Bool

    /// A column that means something.
    private enum Column: String, CaseIterable {
        case input, start, end, duration, preset, output, label, render, snap

        /// Other words for it.
        static let aliases: [String: Column] = [
            "source": .input, "file": .input, "in": .start, "out": .end, "length": .duration, "name": .label,
            "title": .label, "start time": .start, "end time": .end,
        ]

        init?(head: String) {
            let word = head.lowercased()
            guard let column = Column(rawValue: word) ?? Column.aliases[word] else { return nil }
            self = column
        }
    }

    /// What LosslessCut's lists hold.
    private static let plain: [Column?] = [.start, .end, .label]

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

    /// The columns that a first record names; nil where it is no header.
    private func header(_ record: Record, into list: inout ExportList) -> [Column?]? {
        guard record.cells.contains(where: { Column(head: $0) != nil }),
            // A cut that is called "out" or so has times beside it.
            !record.cells.contains(where: { (try? TimeSpelling.parse($0)) != nil && Column(head: $0) == nil })
        else { return nil }
        var seen: Set<Column> = []
        for head in record.cells {
            if let column = Column(head: head) {
                if !seen.insert(column).inserted {
                    list.fault(record.line, "the column \(column.rawValue) is there twice")
                }
            } else if let near = nearestNames(to: head, in: Column.allCases.map(\.rawValue)).first,
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
            case .input: export.input = cell
            case .preset: export.preset = cell
            case .output: export.output = cell
            case .label: export.label = cell
            case .render:
                export.render = word(cell, "render", line, into: &list, &isWrong)
            case .snap: export.snap = word(cell, "snap", line, into: &list, &isWrong)
            case .start, .end, .duration:
                // Where commas do not separate they are decimal points, as some countries write them.
                let text = separator == UInt8(ascii: ",") ? cell : cell.replacing(",", with: ".")
                switch list.time(text, column?.rawValue ?? "", line) {
                case .success(let time):
                    if column == .start { export.start = time }
                    if column == .end { export.end = time }
                    if column == .duration { export.duration = time }
                case .failure(let fault):
                    list.faults.append(fault)
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

extension String {
    /// With one piece in the place of another.
    func replacing(_ piece: Character, with other: Character) -> String {
        String(map { $0 == piece ? other : $0 })
    }
}
