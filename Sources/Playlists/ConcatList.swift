// A list of files that are played one after the other, in FFmpeg's concat format (ffmpeg-formats(1), "concat"). Parsed to values: nothing here
// opens a file.
public import MediaTime
internal import Text

/// Files that are played one after the other.
public struct ConcatList: Hashable, Sendable {
    /// A file, and what is taken of it.
    public struct Entry: Hashable, Sendable {
        /// The file.
        public var file: PlaylistResource
        /// The first time that is taken, of the file's own; nil: its beginning.
        public var inPoint: TimeSpelling?
        /// The first time that is not; nil: to its end.
        public var outPoint: TimeSpelling?
    }

    /// The files in order, at least one.
    public private(set) var entries: [Entry] = []

    /// The files that it names, each once, in the order in which they are named first.
    public var names: [RelativeName] {
        var seen: Set<RelativeName> = []
        return entries.map(\.file.name).filter { seen.insert($0).inserted }
    }

    /// Parses the lines after the first.
    init(_ lines: inout PlaylistLines) throws(PlaylistError) {
        while let line = try lines.next() {
            var rest = line.drop(while: ConcatList.isBlank)
            guard rest.first != "#", let directive = try ConcatList.word(&rest, lines.number) else {
                continue
            }
            try read(directive, &rest, lines.number)
        }
        guard !entries.isEmpty else { throw PlaylistError(.malformed, "it lists no file") }
    }

    private mutating func read(
        _ directive: String, _ rest: inout Substring, _ line: Int
    ) throws(PlaylistError) {
        switch directive {
        case "file":
            guard entries.count < PlaylistLimits.files else {
                throw PlaylistError(
                    .tooLarge, line: line, "it lists more than \(PlaylistLimits.files) files")
            }
            let name = try ConcatList.argument(of: directive, &rest, line)
            entries.append(
                Entry(file: PlaylistResource(name: try RelativeName(listed: name, line: line), line: line)))
        case "inpoint", "outpoint":
            let text = try ConcatList.argument(of: directive, &rest, line)
            guard let time = try? TimeSpelling.parse(text) else {
                throw PlaylistError(
                    .malformed, line: line, "'\(RelativeName.shown(text))' is not a time of a file")
            }
            guard let last = entries.indices.last else {
                throw PlaylistError(.malformed, line: line, "\(directive) comes before the first file")
            }
            if directive == "inpoint" { entries[last].inPoint = time } else { entries[last].outPoint = time }
        // What the files say is exact, and what is noted of packets is for FFmpeg's filters alone.
        case "duration", "file_packet_metadata", "file_packet_meta": return
        default:
            throw PlaylistError(
                .refused, line: line, "the directive '\(RelativeName.shown(directive))' is not taken",
                remedy: "taken are file, inpoint and outpoint")
        }
    }

    private static func argument(
        of directive: String, _ rest: inout Substring, _ line: Int
    ) throws(PlaylistError) -> String {
        guard let word = try word(&rest, line) else {
            throw PlaylistError(.malformed, line: line, "nothing follows '\(directive)'")
        }
        guard rest.allSatisfy(isBlank) else {
            throw PlaylistError(
                .malformed, line: line, "more follows the \(directive) than one word: put it between '")
        }
        return word
    }

    /// Takes the next word, as FFmpeg quotes it: a backslash before a character, or characters between apostrophes, stand for themselves
    /// (ffmpeg-utils(1), "Quoting and escaping"). Nil: there is none.
    private static func word(_ rest: inout Substring, _ line: Int) throws(PlaylistError) -> String? {
        rest = rest.drop(while: isBlank)
        guard !rest.isEmpty else { return nil }
        var word = ""
        var isQuoted = false
        while let next = rest.first, isQuoted || !isBlank(next) {
            rest.removeFirst()
            if next == "'" {
                isQuoted.toggle()
            } else if next == "\\", !isQuoted {
                guard let escaped = rest.popFirst() else {
                    throw PlaylistError(.malformed, line: line, "nothing follows the backslash")
                }
                word.append(escaped)
            } else {
                word.append(next)
            }
        }
        guard !isQuoted else { throw PlaylistError(.malformed, line: line, "an apostrophe is not closed") }
        return word
    }

    private static func isBlank(_ character: Character) -> Bool { character == " " || character == "\t" }
}
