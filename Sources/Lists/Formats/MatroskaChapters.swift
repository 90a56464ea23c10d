// Chapters as mkvextract writes them: XML with one ChapterAtom per chapter, in one or more editions. The first edition is used,
// without nested and hidden chapters. A chapter without an end lasts until the next one.
internal import Media
internal import MediaTime

/// Parses Matroska chapter XML.
enum MatroskaChapters {
    private struct Atom {
        var line: Int
        var start: TimeSpelling?, end: TimeSpelling?
        var title: String?
        var isHidden = false
    }

    static func read(_ text: ListText, into list: inout ExportList) throws(ListFault) {
        var reader = MarkupReader(text.bytes)
        var path: [String] = []
        var value = ""
        var atoms: [Atom] = []
        var editions = 0
        var isChapters = false
        while let pieces = try reader.next() {
            for piece in pieces {
                switch piece {
                case .text(let text): value += text
                case .start(let name):
                    path.append(name)
                    guard path.count <= 64 else { throw ListFault(reader.line, "this is nested too deep") }
                    value = ""
                    isChapters = isChapters || name == "Chapters"
                    if name == "EditionEntry" { editions += 1 }
                    if name == "ChapterAtom", depth(path) == 1, editions <= 1 {
                        atoms.append(Atom(line: reader.line))
                    }
                case .end(let name):
                    guard path.last == name else {
                        throw ListFault(reader.line, "this is no XML: \(name.shown) ends and did not begin")
                    }
                    if depth(path) == 1, editions <= 1, let last = atoms.indices.last {
                        do throws(ListFault) {
                            try take(name, value.trimmed, reader.line, &atoms[last])
                        } catch {
                            list.faults.append(error)
                        }
                    }
                    path.removeLast()
                    value = ""
                }
            }
        }
        guard path.isEmpty else {
            throw ListFault(reader.line, "this is no XML: \(path[0].shown) does not end")
        }
        guard isChapters else {
            throw ListFault(1, "there is no element Chapters: these are no chapters of Matroska")
        }
        append(atoms.filter { !$0.isHidden }, into: &list)
    }

    private static func depth(_ path: [String]) -> Int { path.count { $0 == "ChapterAtom" } }

    private static func take(
        _ name: String, _ value: String, _ line: Int, _ atom: inout Atom
    ) throws(ListFault) {
        switch name {
        case "ChapterTimeStart": atom.start = try time(value, line)
        case "ChapterTimeEnd": atom.end = try time(value, line)
        case "ChapterString": if atom.title == nil { atom.title = value }
        case "ChapterFlagHidden": atom.isHidden = value == "1"
        case "ChapterFlagEnabled": atom.isHidden = atom.isHidden || value == "0"
        default: break
        }
    }

    private static func time(_ text: String, _ line: Int) throws(ListFault) -> TimeSpelling {
        guard let time = try? TimeSpelling.parse(text), time.assetTime != nil else {
            throw ListFault(line, "\(text.shown) is no time, such as 00:01:10.000000000")
        }
        return time
    }

    private static func append(_ atoms: [Atom], into list: inout ExportList) {
        for (index, atom) in atoms.enumerated() {
            guard let start = atom.start else {
                list.fault(atom.line, "the chapter has no ChapterTimeStart")
                continue
            }
            var export = ListedExport(line: atom.line)
            export.start = start
            let next = index + 1 < atoms.count ? atoms[index + 1].start : nil
            export.end = atom.end ?? next
            export.label = atom.title
            list.exports.append(export)
        }
    }
}
