// OpenTimelineIO timelines: the clips of the video tracks, else of the audio tracks, one export per clip. A clip's source range
// is in media time, which begins at the start of its available range. Effects, transitions and ranges of whole tracks are not applied,
// and each says so.
internal import Media
internal import MediaTime
internal import Text

/// Parses and writes timelines.
struct Timeline {
    private var list: ExportList
    private var audio: [ListedExport] = []

    static func read(_ text: ListText, into list: inout ExportList) throws(ListFault) {
        let root = try JSONValue(list: text.bytes)
        guard root.given("OTIO_SCHEMA")?.string != nil else {
            throw ListFault(1, "there is no OTIO_SCHEMA: this is no timeline of OpenTimelineIO")
        }
        var timeline = Timeline(list: list)
        timeline.walk(root, isAudio: false)
        list = timeline.list
        if list.exports.isEmpty {
            list.exports = timeline.audio
        } else {
            let inputs = Set(list.exports.map(\.input))
            for clip in timeline.audio where !inputs.contains(clip.input) {
                list.lose(clip.line, "the clip \((clip.label ?? "").shown) of an audio track is left out")
            }
        }
    }

    private init(list: ExportList) { self.list = list }

    private mutating func walk(_ value: JSONValue, isAudio: Bool) {
        let schema = value.given("OTIO_SCHEMA")?.string?.split(separator: ".").first.map(String.init) ?? ""
        switch schema {
        case "Timeline": if let tracks = value.given("tracks") { walk(tracks, isAudio: isAudio) }
        case "Stack", "Track", "SerializableCollection":
            if value.given("source_range") != nil {
                list.lose(
                    value.line,
                    "a range of a whole \(schema.lowercased()) is not applied; its clips are taken whole")
            }
            let isAudio = isAudio || value.given("kind")?.string == "Audio"
            for child in value.given("children")?.array ?? [] { walk(child, isAudio: isAudio) }
        case "Clip":
            do throws(ListFault) {
                guard let export = try clip(value) else { return }
                if isAudio { audio.append(export) } else { list.exports.append(export) }
            } catch {
                list.faults.append(error)
            }
        case "Gap": break
        case "Transition":
            let name = value.given("name")?.string ?? value.given("transition_type")?.string ?? ""
            list.lose(value.line, "the transition \(name.shown) is not made: it becomes a hard cut")
        default: list.lose(value.line, "\(schema.shown) is not known, and left out")
        }
    }

    private mutating func clip(_ clip: JSONValue) throws(ListFault) -> ListedExport? {
        let name = clip.given("name")?.string ?? ""
        if clip.given("enabled")?.content == .bool(false) {
            list.note(clip.line, "the clip \(name.shown) is disabled, and left out")
            return nil
        }
        var export = ListedExport(line: clip.line)
        export.label = name.isEmpty ? nil : name
        let media = reference(clip)
        let schema = media?.given("OTIO_SCHEMA")?.string ?? ""
        if schema.hasPrefix("GeneratorReference") {
            list.lose(clip.line, "the clip \(name.shown) is generated, and left out")
            return nil
        }
        if schema.hasPrefix("ImageSequenceReference") {
            throw ListFault(
                clip.line, "the clip \(name.shown) is an image sequence; encode it to a file first")
        }
        if let url = media?.given("target_url")?.string, !url.isEmpty {
            export.input = try MediaURL.path(url, line: media?.line ?? clip.line)
        } else if let own = media?.given("name")?.string ?? clip.given("name")?.string, !own.isEmpty {
            export.input = own
            export.isClipName = true
        }
        for effect in clip.given("effects")?.array ?? [] {
            let word = effect.given("effect_name")?.string ?? effect.given("name")?.string ?? ""
            list.lose(effect.line, "the effect \(word.shown) of the clip \(name.shown) is not applied")
        }
        let available = try media?.given("available_range").map(Timeline.range)
        guard let wanted = try clip.given("source_range").map(Timeline.range) ?? available else {
            return export
        }
        let zero = available?.start ?? .zero
        guard wanted.start.isNumeric, zero.isNumeric, wanted.start >= zero else {
            throw ListFault(
                clip.line,
                "the clip \(name.shown) begins at \(wanted.start) s, before its media, at \(zero) s")
        }
        export.origin = available == nil ? .timecode : .asset
        export.start = .time(wanted.start - zero)
        // Media without an end, such as a still or a stream, has an infinite length.
        if !wanted.duration.isPositiveInfinity { export.end = .time(wanted.start - zero + wanted.duration) }
        return export
    }

    /// The media reference of a clip: the active one of several.
    private func reference(_ clip: JSONValue) -> JSONValue? {
        if let one = clip.given("media_reference") { return one }
        let key = clip.given("active_media_reference_key")?.string ?? "DEFAULT_MEDIA"
        return clip.given("media_references")?.given(key)
    }

    private static func range(_ value: JSONValue) throws(ListFault) -> (start: Time, duration: Time) {
        guard let start = value.given("start_time"), let duration = value.given("duration") else {
            throw ListFault(value.line, "a range has no start_time or no duration")
        }
        return (try time(start), try time(duration))
    }

    /// A RationalTime: a count of units of a rate, often a rounded decimal.
    private static func time(_ value: JSONValue) throws(ListFault) -> Time {
        guard let count = value.given("value")?.number, let rateText = value.given("rate")?.number,
            let rate = rate(rateText), rate.value > 0
        else { throw ListFault(value.line, "a time has no value or no rate") }
        let isBelowZero = count.hasPrefix("-")
        let digits = isBelowZero ? String(count.dropFirst()) : count
        var exact: Time?
        if digits == JSONValue.infinity {
            return isBelowZero ? .negativeInfinity : .positiveInfinity
        }
        if let parsed = (try? TimeSpelling.parse(digits))?.assetTime {
            exact = parsed
        } else if let number = Double(digits), let millionths = Int64(exactly: (number * 1e6).rounded()) {
            // A float with more digits than a time can hold: rounded to the millionth of a frame.
            exact = Time(millionths, 1_000_000)
        }
        guard let exact else { throw ListFault(value.line, "\(count.shown) is no time") }
        let time = exact.multiplied(by: rate.denominator, over: rate.numerator)
        guard time.isNumeric else { throw ListFault(value.line, "\(count.shown) is too large for a time") }
        return isBelowZero ? -time : time
    }

    /// A rate from its decimals: 23.976 and 23.976023976 are 24000/1001.
    static func rate(_ text: String) -> Ratio? {
        if let whole = Ratio(text) { return whole }
        guard let number = Double(text), number > 0,
            let millionths = Int64(exactly: (number * 1e6).rounded()),
            let near = Ratio(millionths, 1_000_000)
        else { return nil }
        return TimecodeRate.rate(for: near, dropFrame: false)?.frameRate ?? near
    }
}

extension Timeline {
    /// Writes a timeline with one video track, whose clips are the exports.
    static func write(_ exports: [ListedExport], rate: Ratio?, to written: inout WrittenList)
        throws(ListFault)
    {
        var ends: [String?: Time] = [:]
        var spans: [(start: Time, end: Time)] = []
        for export in exports {
            export.noteUnsaid(.otio, in: &written)
            guard let start = (export.start ?? .time(.zero)).assetTime, let end = export.end?.assetTime else {
                throw ListFault(
                    export.line,
                    "a timeline counts times from the start of its media; write start and end in seconds or value/timescale"
                )
            }
            guard end > start else { throw ListFault(export.line, "the clip has no length") }
            spans.append((start, end))
            ends[export.input] = max(ends[export.input] ?? end, end)
        }
        var clips: [JSONValue] = []
        for (export, span) in zip(exports, spans) {
            var media: [String: JSONValue] = [
                "OTIO_SCHEMA": "MissingReference.1", "name": "", "metadata": .empty,
            ]
            if let input = export.input {
                if export.isClipName {
                    media["name"] = .string(input)
                } else {
                    media["OTIO_SCHEMA"] = "ExternalReference.1"
                    media["target_url"] = .string(MediaURL.spelled(input))
                }
            }
            // Without a range of the media its timecode would count.
            if export.origin == .asset, let end = ends[export.input] {
                media["available_range"] = range(.zero, end, rate)
            }
            clips.append([
                "OTIO_SCHEMA": "Clip.1", "name": .string(export.label ?? ""), "metadata": .empty,
                "effects": [],
                "markers": [], "media_reference": .object(media),
                "source_range": range(span.start, span.end, rate),
            ])
        }
        let track: JSONValue = [
            "OTIO_SCHEMA": "Track.1", "name": "V1", "kind": "Video", "metadata": .empty, "effects": [],
            "markers": [],
            "source_range": nil, "children": .array(clips),
        ]
        let stack: JSONValue = [
            "OTIO_SCHEMA": "Stack.1", "name": "tracks", "metadata": .empty, "effects": [], "markers": [],
            "source_range": nil, "children": [track],
        ]
        written.text =
            ([
                "OTIO_SCHEMA": "Timeline.1", "name": "", "metadata": .empty, "global_start_time": nil,
                "tracks": stack,
            ] as JSONValue).indented
    }

    private static func range(_ start: Time, _ end: Time, _ rate: Ratio?) -> JSONValue {
        [
            "OTIO_SCHEMA": "TimeRange.1", "start_time": written(start, rate),
            "duration": written(end - start, rate),
        ]
    }

    /// A count of frames where the time is a frame's, else of its own ticks, so that it stays exact.
    private static func written(_ time: Time, _ rate: Ratio?) -> JSONValue {
        let ticks = Ratio(time.value, Int64(time.timescale)) ?? Ratio(0)
        let frames = rate.flatMap { ticks.multiplied(by: $0) }
        let (value, count): (String, String)
        if let rate, let frames, frames.denominator == 1, Timeline.rate("\(rate.value)") == rate {
            (value, count) = ("\(rate.value)", "\(frames.numerator).0")
        } else if ticks.denominator < 1_000_000,
            Timeline.rate("\(ticks.denominator).0") == Ratio(ticks.denominator)
        {
            (value, count) = ("\(ticks.denominator).0", "\(ticks.numerator).0")
        } else {
            (value, count) = ("1.0", time.inMicroseconds)
        }
        return [
            "OTIO_SCHEMA": "RationalTime.1", "rate": JSONValue(.decimal(value)),
            "value": JSONValue(.decimal(count)),
        ]
    }
}
