// What a list of exports says, whatever its format: values that the parsers make. Nothing here opens a file: whether an input
// exists, and whether a preset is known, is judged by whoever asked for the list.
public import Media
public import MediaTime

/// One export that a list asks for, as far as the list says.
public struct ListedExport: Hashable, Sendable {
    /// What the times of a list count from.
    public enum Origin: Hashable, Sendable {
        /// The asset's zero.
        case asset
        /// Timecode 00:00:00:00: where the asset has a timecode of its own, that is subtracted.
        case timecode
    }

    /// The line of the list it begins on, counted from 1.
    public var line: Int
    /// The source as the list names it; nil: the list names none.
    public var input: String?
    /// `input` is the name of a clip or reel, which need not be that of a file.
    public var isClipName = false
    /// The in point, the out point (exclusive), or how long instead.
    public var start: TimeSpelling?, end: TimeSpelling?, duration: TimeSpelling?
    /// Parts that are joined in this order, instead of one from `start` to `end`.
    public var keep: [RangeSpelling]?
    /// What the times count from.
    public var origin = Origin.asset
    /// Frames a second of the list's timecodes; nil: those of the asset.
    public var rate: Ratio?
    /// The preset's id.
    public var preset: String?
    /// The output as the list names it.
    public var output: String?
    /// A name for people, and for the output's name.
    public var label: String?
    /// The render mode.
    public var render: RenderMode?
    /// How to snap the cut points.
    public var snap: Snap?
    /// What else a line of JSON asks for: an object with the keys of `job.submit`.
    public var rest: String?
    /// Where it stands in the edited film, for joining; nil: where it stands in the list.
    public var place: Int64?

    /// An export of a line; the rest is set as it is known.
    public init(line: Int) { self.line = line }
}

/// What is wrong, or should be known, of a line of a list.
public struct ListFault: Error, Hashable, Sendable {
    /// The line, counted from 1.
    public var line: Int
    /// What it is.
    public var message: String

    /// A fault from its parts.
    public init(_ line: Int, _ message: String) {
        self.line = line
        self.message = message
    }
}

/// A list that was read: what it asks for, and everything that is wrong with it.
public struct ExportList: Hashable, Sendable {
    /// The exports, in the list's order.
    public var exports: [ListedExport] = []
    /// What is wrong; while there is anything, the list says something else than was meant.
    public var faults: [ListFault] = []
    /// What should be known, and is no fault.
    public var notes: [ListFault] = []

    /// An empty list.
    public init() {}

    mutating func fault(_ line: Int, _ message: String) { faults.append(ListFault(line, message)) }
    mutating func note(_ line: Int, _ message: String) { notes.append(ListFault(line, message)) }

    /// Reads a time into a place, or says what is wrong with it.
    func time(_ text: String, _ name: String, _ line: Int) -> Result<TimeSpelling?, ListFault> {
        guard !text.isEmpty else { return .success(nil) }
        do throws(TimeError) {
            return .success(try TimeSpelling.parse(text))
        } catch {
            return .failure(ListFault(line, "\(name): \(error.message)"))
        }
    }

    /// One export for each input and preset, its parts joined in the order of the edited film, else of the list.
    public func joined() -> ExportList {
        var list = self
        list.exports = []
        var places: [String: Int] = [:]
        let isPlaced = exports.allSatisfy { $0.place != nil }
        let order =
            isPlaced
            ? exports.enumerated().sorted {
                ($0.element.place ?? 0, $0.offset) < ($1.element.place ?? 0, $1.offset)
            }.map(\.element) : exports
        for export in order {
            guard export.duration == nil || export.start == nil else {
                list.fault(
                    export.line, "a part that is joined needs an end, not a duration; write its end")
                continue
            }
            let parts =
                export.keep ?? [RangeSpelling(start: export.start, end: export.end ?? export.duration)]
            let key = "\(export.input ?? "")\u{0}\(export.preset ?? "")"
            if let place = places[key] {
                list.exports[place].keep?.append(contentsOf: parts)
                continue
            }
            places[key] = list.exports.count
            var first = export
            (first.start, first.end, first.duration, first.keep) = (nil, nil, nil, parts)
            if exports.count > 1 { first.label = nil }
            list.exports.append(first)
        }
        return list
    }
}
