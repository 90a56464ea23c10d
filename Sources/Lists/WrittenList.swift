// Writing lists: the formats that can be written, and what their writers share. Each writer is beside its reader. Pure.
internal import Media
public import MediaTime

/// A list as text, and what its format could not say.
public struct WrittenList: Hashable, Sendable {
    /// The text, in UTF-8.
    public var text = ""
    /// Notes about what is left out or rounded, by the lines of the list that was read.
    public var notes: [ListFault] = []

    mutating func note(_ line: Int, _ message: String) { notes.append(ListFault(line, message)) }
}

extension ListFormat {
    /// The formats that can be written.
    public static let written: [ListFormat] = [.csv, .tsv, .llc, .edl, .otio]
}

extension ExportList {
    /// Writes the list. A range that is kept beside others becomes a line of its own.
    /// - Parameters:
    ///   - rate: frames per second of an EDL's timecodes, and of a timeline.
    ///   - timecode: the timecode of the sources' time 0; nil: 00:00:00:00.
    public func written(
        as format: ListFormat, rate: Ratio? = nil, timecode: TimeSpelling? = nil
    ) throws(ListFault) -> WrittenList {
        let parts = exports.flatMap(\.parts)
        guard !parts.isEmpty else {
            throw ListFault(1, "the list asks for no export; there is nothing to write")
        }
        for part in parts { try part.checkTimes() }
        var written = WrittenList()
        switch format {
        case .csv: CutTable(isTabbed: false).write(parts, to: &written)
        case .tsv: CutTable(isTabbed: true).write(parts, to: &written)
        case .llc: try LosslessCutProject.write(parts, to: &written)
        case .edl:
            try DecisionList(rate ?? parts.lazy.compactMap(\.rate).first).write(
                parts, from: timecode, to: &written)
        case .otio: try Timeline.write(parts, rate: rate, to: &written)
        case .jsonl, .ffmetadata, .chapters:
            let all = ListFormat.written.map(\.rawValue).joined(separator: ", ")
            throw ListFault(1, "a list is not written as \(format.rawValue), but as one of \(all)")
        }
        return written
    }
}

extension ListedExport {
    /// One export for each of its ranges, with an end instead of a duration where that follows.
    fileprivate var parts: [ListedExport] {
        guard let keep else {
            guard let length = duration ?? end?.lengthAfterStart,
                let sum = length.assetTime.map({ (start?.assetTime ?? .zero) + $0 }),
                sum.isNumeric, !sum.hasBeenRounded
            else { return [self] }
            var part = self
            part.end = length.isDecimal && start?.isDecimal != false ? .decimal(sum) : .time(sum)
            part.duration = nil
            return [part]
        }
        return keep.map {
            var part = self
            (part.start, part.end, part.keep) = ($0.start, $0.end, nil)
            return part
        }
    }

    /// Throws for a time that no format can write: none from the file's start on.
    fileprivate func checkTimes() throws(ListFault) {
        for (name, spelling) in [("start", start), ("end", end), ("duration", duration)] {
            switch spelling {
            case .time(let time), .decimal(let time), .fromEnd(let time), .decimalFromEnd(let time):
                // In microseconds some formats write it, and all can be read again.
                guard !time.isNumeric || time < .zero || !time.converted(to: 1_000_000).isNumeric else {
                    continue
                }
                throw ListFault(
                    line,
                    "the \(name) \(time) is no time of a file: those begin at 0, and end within 292000 years")
            case .frame(let number), .frameFromEnd(let number):
                if number < 0 {
                    throw ListFault(line, "the \(name) \(number)f is no frame: they begin at 0f")
                }
            case .timecode, .end, .percent, .afterStart, nil: break
            }
        }
    }

    /// Notes what a format without columns does not say.
    func noteUnsaid(_ format: ListFormat, in written: inout WrittenList) {
        let unsaid = [
            ("preset", preset != nil), ("output", output != nil), ("render", render != nil),
            ("snap", snap != nil),
            ("options", options != nil || rest != nil),
        ]
        for (name, isThere) in unsaid where isThere {
            written.note(line, "\(format.rawValue) has no \(name), which is left out")
        }
    }
}

extension Time {
    /// The seconds in at most six decimals, as other programs print them: near enough to mean a frame.
    var inMicroseconds: String {
        let rounded = converted(to: 1_000_000)
        return (rounded.isNumeric ? rounded : self).description
    }
}
