// The exports of a list, whatever its format: values that the parsers create. No file is opened: the caller checks whether an
// input exists and a preset is known.
public import Media
public import MediaTime

/// One export of a list, as far as the list specifies it.
public struct ListedExport: Ranged, Hashable, Sendable {
    /// The origin of a list's times.
    public enum Origin: Hashable, Sendable {
        /// The asset's zero.
        case asset
        /// Timecode 00:00:00:00: the asset's own start timecode, if any, is subtracted.
        case timecode
    }

    /// The first line of the export in the list, counted from 1.
    public var line: Int
    /// The source's name in the list; nil: the list has none.
    public var input: String?
    /// Whether `input` is a clip or reel name, which need not be a file name.
    public var isClipName = false
    /// The range, in the list's times.
    public var range = RangeRequest()
    /// The origin of the times.
    public var origin = Origin.asset
    /// Frames per second of the list's timecodes; nil: the asset's rate.
    public var rate: Ratio?
    /// The preset's id.
    public var preset: String?
    /// The output's name in the list.
    public var output: String?
    /// A label for people, and for the output's name.
    public var label: String?
    /// The render mode.
    public var render: RenderMode?
    /// Options over the preset.
    public var options: ExportOptions?
    /// Further members of a JSON line: an object with the keys of `job.submit`.
    public var rest: String?
    /// LosslessCut's tags of a segment.
    public var tags: [String: String] = [:]
    /// The position in the edited film, for joining; nil: the position in the list.
    public var position: Int64?

    /// Creates the export of a line; the rest is set as it becomes known.
    public init(line: Int) { self.line = line }
}

/// A fault or note about a line of a list.
public struct ListFault: Error, Hashable, Sendable {
    /// The line, counted from 1.
    public var line: Int
    /// The message.
    public var message: String
    /// Whether the list asks for something that its exports do not do: with `--strict` that is an error.
    public var isLoss = false

    /// Creates a fault.
    public init(_ line: Int, _ message: String) {
        self.line = line
        self.message = message
    }
}

/// A parsed list: its exports and all its faults.
public struct ExportList: Hashable, Sendable {
    /// The exports, in the list's order.
    public var exports: [ListedExport] = []
    /// The faults; a list with faults cannot be trusted to mean what it says.
    public var faults: [ListFault] = []
    /// Notes that are not faults, and losses: what the list asks for beyond its cuts.
    public var notes: [ListFault] = []

    /// Creates an empty list.
    public init() {}

    mutating func fault(_ line: Int, _ message: String) { faults.append(ListFault(line, message)) }
    mutating func note(_ line: Int, _ message: String) { notes.append(ListFault(line, message)) }
    mutating func lose(_ line: Int, _ message: String) {
        var loss = ListFault(line, message)
        loss.isLoss = true
        notes.append(loss)
    }

    /// Parses a time, or returns the fault.
    func time(_ text: String, _ name: String, _ line: Int) -> Result<TimeSpelling?, ListFault> {
        guard !text.isEmpty else { return .success(nil) }
        do throws(TimeError) {
            return .success(try TimeSpelling.parse(text))
        } catch {
            return .failure(ListFault(line, "\(name): \(error.message)"))
        }
    }

    /// One export per input and preset, with its ranges joined in the order of the edited film, else of the list.
    public func joined() -> ExportList {
        var list = self
        list.exports = []
        var indices: [String: Int] = [:]
        let hasPositions = exports.allSatisfy { $0.position != nil }
        let order =
            hasPositions
            ? exports.enumerated().sorted {
                ($0.element.position ?? 0, $0.offset) < ($1.element.position ?? 0, $1.offset)
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
            if let index = indices[key] {
                list.exports[index].keep?.append(contentsOf: parts)
                continue
            }
            indices[key] = list.exports.count
            var first = export
            (first.start, first.end, first.duration, first.keep) = (nil, nil, nil, parts)
            if exports.count > 1 { first.label = nil }
            list.exports.append(first)
        }
        return list
    }
}
