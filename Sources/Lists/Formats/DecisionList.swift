// Edit decision lists (CMX3600): one export per event, from its source timecodes. The source is the clip name or file name in a
// comment, else the reel. Black is skipped, and so is the second of two events that differ only in their channels. Speed changes,
// dissolves, wipes and keys are not rendered, and a cut has all tracks of its source: each event that asks for more says so.
internal import Media
internal import MediaTime

/// Parses and writes decision lists.
struct DecisionList {
    /// One line of an event.
    private struct Event {
        var number: String
        var export: ListedExport
        var reel: String
        var timecodes: [Substring]
        var isEmpty: Bool
        var channels: Channels
    }

    /// The tracks that an event is of: `V`, `A`, `A2`, `AA`, `B`, `AA/V`, `NONE`.
    private struct Channels: Hashable {
        var hasVideo = false
        /// The audio channels, from 1.
        var audio: Set<Int> = []

        init(_ word: Substring) {
            for part in word.uppercased().split(separator: "/") {
                switch part {
                case "V", "VIDEO": hasVideo = true
                case "B": (hasVideo, audio) = (true, audio.union([1]))
                case "AA": audio.formUnion([1, 2])
                case "A": audio.insert(1)
                case _ where part.hasPrefix("V"):
                    (hasVideo, audio) = (true, audio.union(Channels(part.dropFirst()).audio))
                case _ where part.hasPrefix("A"):
                    if let number = Int(part.dropFirst()), 1...99 ~= number { audio.insert(number) }
                default: break
                }
            }
        }

        mutating func formUnion(_ other: Channels) {
            hasVideo = hasVideo || other.hasVideo
            audio.formUnion(other.audio)
        }

        /// Why a cut with all tracks is more than these; nil: it is not.
        var loss: String? {
            if !hasVideo { return "the event is of audio alone, and its cut has the video too" }
            if let first = audio.min(), first > 1 {
                return "the event is of audio channel \(first) without the first, and its cut has all audio"
            }
            return nil
        }
    }

    /// Frames per second of the timecodes; nil: the asset's rate.
    private let rate: Ratio?
    private var isDropFrame = false
    private var events: [Event] = []

    init(_ rate: Ratio?) { self.rate = rate }

    func read(_ text: ListText, into list: inout ExportList) {
        var reader = self
        for line in text.lines {
            do throws(ListFault) {
                try reader.take(line, into: &list)
            } catch {
                list.faults.append(error)
            }
        }
        reader.finish(into: &list)
    }

    private mutating func take(_ line: ListText.Line, into list: inout ExportList) throws(ListFault) {
        let text = line.text.trimmed
        let upper = text.uppercased()
        if text.isEmpty || upper.hasPrefix("TITLE:") { return }
        if upper.hasPrefix("FCM:") {
            isDropFrame = upper.contains("DROP") && !upper.contains("NON")
            return
        }
        let words = text.split { $0 == " " || $0 == "\t" }
        let isComment = text.hasPrefix("*") || upper.hasPrefix("FROM CLIP") || upper.hasPrefix("TO CLIP")
        if isComment { return comment(text, line.number, into: &list) }
        if words.first?.uppercased() == "M2" {
            list.lose(line.number, "the change of speed is not applied: the source is cut as it is")
            return
        }
        guard let number = words.first, number.first?.isNumber == true else { return }
        guard words.count >= 8, words.suffix(4).allSatisfy(DecisionList.isTimecode) else {
            throw ListFault(
                line.number,
                "this is no event: it has a number, a reel, channels, a transition and four timecodes")
        }
        let times = words.suffix(4).map(String.init)
        var export = ListedExport(line: line.number)
        export.rate = rate
        export.start = try timecode(times[0], "the source's start", line.number)
        export.end = try timecode(times[1], "the source's end", line.number)
        if case .timecode(let h, let m, let s, let f, _)? =
            try? timecode(times[2], "the record's start", line.number)
        {
            export.position = Int64(((h * 60 + m) * 60 + s) * 1000 + f)
        }
        if let transition = DecisionList.transition(words) {
            list.lose(line.number, "the \(transition) is not made: it becomes a hard cut")
        }
        events.append(
            Event(
                number: String(number), export: export, reel: String(words[1]), timecodes: words.suffix(4),
                isEmpty: times[0] == times[1], channels: Channels(words[2])))
    }

    /// The transition of an event that is no cut, with its length.
    private static func transition(_ words: [Substring]) -> String? {
        let word = words[3].uppercased()
        let length = words.count > 8 ? " of \(words[4]) frames" : ""
        return switch word.first {
        case "D": "dissolve" + length
        case "W": "wipe \(word)" + length
        case "K": "key \(word)" + length
        default: nil
        }
    }

    private static func isTimecode(_ word: Substring) -> Bool {
        word.count >= 8 && word.allSatisfy { $0.isASCII && ($0.isNumber || ":;.,".contains($0)) }
    }

    /// A timecode with any of the separators that mark drop-frame.
    private func timecode(_ text: String, _ name: String, _ line: Int) throws(ListFault) -> TimeSpelling {
        let fields = text.split(omittingEmptySubsequences: false) { ":;.,".contains($0) }
        let drops = isDropFrame || text.contains { ";.,".contains($0) }
        do throws(TimeError) {
            guard fields.count == 4 else { throw TimeError(.notATime, "\(text.shown) is no timecode") }
            return try TimeSpelling.parse(
                fields.prefix(3).joined(separator: ":") + (drops ? ";" : ":") + fields[3])
        } catch {
            throw ListFault(line, "\(name): \(error.message)")
        }
    }

    /// Applies a comment to the preceding event. Of an event's two lines the first is the outgoing clip, the second the
    /// incoming one.
    private mutating func comment(_ text: String, _ line: Int, into list: inout ExportList) {
        guard let last = events.indices.last, let colon = text.firstIndex(of: ":") else { return }
        let head = text[..<colon].uppercased().drop { $0 == "*" || $0 == " " }
        let value = text[text.index(after: colon)...].trimmed
        guard !value.isEmpty else { return }
        let first =
            last > 0 && events[last - 1].number == events[last].number && events[last - 1].isEmpty
            ? last - 1 : last
        switch head {
        case "FROM CLIP NAME", "CLIP NAME":
            if events[first].export.input == nil { name(first, value, isClip: true) }
        case "TO CLIP NAME": name(last, value, isClip: true)
        case "SOURCE FILE", "FROM CLIP", "SOURCE FILE PATH", "FROM FILE":
            if let path = try? MediaURL.path(value, line: line) { name(first, path, isClip: false) }
        default: break
        }
    }

    private mutating func name(_ index: Int, _ value: String, isClip: Bool) {
        if isClip { events[index].export.label = MediaName.stem(value) }
        guard events[index].export.input == nil || events[index].export.isClipName else { return }
        events[index].export.input = value
        events[index].export.isClipName = isClip
    }

    private func finish(into list: inout ExportList) {
        var seen: Set<String> = []
        var indices: [String: Int] = [:]
        var channels: [String: Channels] = [:]
        for event in events {
            channels[event.timecodes.joined(separator: " "), default: event.channels].formUnion(
                event.channels)
        }
        for event in events where !event.isEmpty {
            guard event.reel.uppercased() != "BL", event.reel.uppercased() != "BLACK" else { continue }
            var export = event.export
            if export.input == nil, event.reel.uppercased() != "AX" {
                export.input = event.reel
                export.isClipName = true
            }
            // The same cut for video and audio: one event, and either line may have the name.
            let same = "\(event.number) \(event.reel) \(event.timecodes.joined(separator: " "))"
            if let index = indices[same] {
                if list.exports[index].input == nil {
                    (list.exports[index].input, list.exports[index].isClipName) = (
                        export.input, export.isClipName
                    )
                }
                continue
            }
            let cut = "\(export.input ?? event.reel) \(event.timecodes.joined(separator: " "))"
            guard seen.insert(cut).inserted else { continue }
            if let loss = channels[event.timecodes.joined(separator: " ")]?.loss {
                list.lose(event.export.line, loss)
            }
            indices[same] = list.exports.count
            list.exports.append(export)
        }
    }
}

extension DecisionList {
    /// Writes one event for each export, behind each other in the record.
    func write(
        _ exports: [ListedExport], from start: TimeSpelling?, to written: inout WrittenList
    ) throws(ListFault) {
        guard let rate else {
            throw ListFault(1, "an EDL counts frames, and the list has no rate; name the frames per second")
        }
        var record: Int64?
        var isDropFrame: Bool?
        written.text = "TITLE: trimd\n"
        for (index, export) in exports.enumerated() {
            export.noteUnsaid(.edl, in: &written)
            let counter = FrameCounter(
                rate: try DecisionList.rate(rate, of: [export.start, export.end, start], export.line),
                base: start)
            let from = try counter.frame(export.start ?? .time(.zero), "start", export, &written)
            guard let end = export.end else {
                throw ListFault(export.line, "an EDL needs an end of every event; write the end")
            }
            let to = try counter.frame(end, "end", export, &written)
            guard to > from else { throw ListFault(export.line, "the event has no frame") }
            guard to - from < counter.rate.framesPerDay else {
                throw ListFault(
                    export.line, "the event is as long as a day, after which timecodes begin again")
            }
            let drops = counter.rate.dropFrame
            if drops != isDropFrame {
                written.text += "FCM: \(drops ? "DROP FRAME" : "NON-DROP FRAME")\n\n"
                isDropFrame = drops
            }
            let first = record ?? counter.hour
            record = first + to - from
            let codes = [from, to, first, first + to - from].map {
                Timecode(frameNumber: $0, rate: counter.rate).description
            }
            let number = String(index + 1)
            written.text +=
                "\(String(repeating: "0", count: max(0, 3 - number.count)))\(number)  AX       V     C        "
                + codes.joined(separator: " ") + "\n"
            written.text += DecisionList.names(export)
        }
    }

    /// The rate with the drop-frame counting of the first timecode among the times.
    private static func rate(
        _ rate: Ratio, of times: [TimeSpelling?], _ line: Int
    ) throws(ListFault) -> TimecodeRate {
        var drops = false
        for case .timecode(_, _, _, _, true)? in times { drops = true }
        guard let known = TimecodeRate.rate(for: rate, dropFrame: drops) else {
            throw ListFault(
                line, "there is no \(drops ? "drop-frame " : "")timecode at \(rate) frames a second")
        }
        return known
    }

    /// The comments that say which clip and file an event is of, as the reader takes them.
    private static func names(_ export: ListedExport) -> String {
        func line(_ head: String, _ value: String) -> String {
            "* \(head): \(String(value.map { $0.isNewline ? " " : $0 }))\n"
        }
        guard let input = export.input else {
            return export.label.map { line("FROM CLIP NAME", $0) } ?? ""
        }
        guard !export.isClipName else { return line("FROM CLIP NAME", input) }
        return (export.label.map { line("FROM CLIP NAME", $0) } ?? "")
            + line("SOURCE FILE", MediaURL.spelled(input))
    }
}

/// Counts the frames of times, from timecode 00:00:00:00.
private struct FrameCounter {
    let rate: TimecodeRate
    /// The timecode of the source's time 0.
    let base: TimeSpelling?

    /// The frame of a time that is within a day, so that sums of frames fit.
    func frame(
        _ spelling: TimeSpelling, _ name: String, _ export: ListedExport, _ written: inout WrittenList
    ) throws(ListFault) -> Int64 {
        let time: Time
        switch spelling {
        case .timecode(let h, let m, let s, let f, _):
            do throws(TimeError) {
                return try Timecode(hours: h, minutes: m, seconds: s, frames: f, rate: rate).frameNumber
            } catch { throw ListFault(export.line, "\(name): \(error.message)") }
        case .frame(let number): time = rate.frameDuration.multiplied(by: number, over: 1)
        case .time(let exact), .decimal(let exact): time = exact
        case .fromEnd, .decimalFromEnd, .frameFromEnd, .end, .percent, .afterStart:
            throw ListFault(
                export.line,
                "\(name): an EDL cannot count from the end or the start of a range, as \(spelling) does; write its time"
            )
        }
        guard let (number, distance) = rate.frame(nearest: time), 0...rate.framesPerDay ~= number else {
            throw ListFault(
                export.line, "\(name): \(spelling) is no time within 24 hours, which is how far an EDL counts"
            )
        }
        // A microsecond, and what rounding to decimals adds.
        if distance > Time(11, 10_000_000) {
            written.note(
                export.line, "the \(name) \(spelling) is no frame's, and is moved to frame \(number)")
        }
        if case .frame = spelling { return number + (try first(export)) }
        return number + (export.origin == .asset ? try first(export) : 0)
    }

    /// The frame of timecode 01:00:00:00, at which a record begins.
    var hour: Int64 {
        (try? Timecode(hours: 1, minutes: 0, seconds: 0, frames: 0, rate: rate).frameNumber) ?? 0
    }

    private func first(_ export: ListedExport) throws(ListFault) -> Int64 {
        guard let base else { return 0 }
        var unread = WrittenList()
        return try FrameCounter(rate: rate, base: nil).frame(base, "the source's timecode", export, &unread)
    }
}
