// Exports as JSON, one object per line or in an array, with the keys of `job.submit` and `label`. Unknown keys are passed on
// unchanged, and checked with `job.submit`.
internal import Media
internal import MediaTime
internal import Text

/// Parses JSON lines.
enum JSONLines {
    static func read(_ text: ListText, into list: inout ExportList) throws(ListFault) {
        if text.bytes.first(where: { !Character(Unicode.Scalar($0)).isWhitespace }) == UInt8(ascii: "[") {
            return try readArray(text, into: &list)
        }
        for line in text.lines where !line.text.allSatisfy(\.isWhitespace) {
            do throws(ListFault) {
                let value = try JSONValue(list: Array(line.text.utf8), line: line.number)
                list.exports.append(try export(value))
            } catch {
                list.faults.append(error)
            }
        }
    }

    /// An array of exports, over any number of lines.
    private static func readArray(_ text: ListText, into list: inout ExportList) throws(ListFault) {
        for value in try JSONValue(list: text.bytes).array ?? [] {
            do throws(ListFault) { list.exports.append(try export(value)) } catch {
                list.faults.append(error)
            }
        }
    }

    private static func export(_ value: JSONValue) throws(ListFault) -> ListedExport {
        guard let members = value.object?.written else {
            throw ListFault(value.line, "this is \(value.kind), and must be an object: {\"input\": …}")
        }
        var export = ListedExport(line: value.line)
        var rest = JSONObject()
        for (name, value) in members where value.content != .null {
            switch name {
            case "input": export.input = try text(value, name)
            case "output": export.output = try text(value, name)
            case "label": export.label = try text(value, name)
            case "start": export.start = try time(value, name)
            case "end": export.end = try time(value, name)
            case "duration": export.duration = try time(value, name)
            case "preset" where value.string != nil: export.preset = value.string
            default: rest[name] = value
            }
        }
        if export.end != nil, export.duration != nil {
            throw ListFault(value.line, "both an end and a duration are given; give one of them")
        }
        if !rest.written.isEmpty { export.rest = json(rest) }
        return export
    }

    /// Members as JSON, in written order.
    private static func json(_ object: JSONObject) -> String {
        let members = object.members.map {
            String(
                decoding: JSONValue.string($0.name).encoded + [UInt8(ascii: ":")] + $0.value.encoded,
                as: UTF8.self)
        }
        return "{" + members.joined(separator: ",") + "}"
    }

    private static func text(_ value: JSONValue, _ name: String) throws(ListFault) -> String {
        guard let text = value.string, !text.isEmpty else {
            throw ListFault(value.line, "\(name) is \(value.kind), and must be a text")
        }
        return text
    }

    /// A time as `job.submit` accepts it, or a number of seconds.
    static func time(_ value: JSONValue, _ name: String) throws(ListFault) -> TimeSpelling {
        if let above = value.given("value")?.number.flatMap({ Int64($0) }),
            let below = value.given("timescale")?.number.flatMap({ Int32($0) }), below > 0
        {
            return .time(Time(above, below))
        }
        if let below = value.given("timescale"), value.given("value") != nil {
            throw ListFault(
                below.line,
                "\(name): a value and a timescale are whole numbers, and a timescale is from 1 to \(Int32.max)"
            )
        }
        guard let text = value.string ?? value.number else {
            throw ListFault(
                value.line, "\(name) is \(value.kind), and must be a time, such as 10.5 or \"1:10\"")
        }
        do throws(TimeError) {
            return try TimeSpelling.parse(text)
        } catch {
            throw ListFault(value.line, "\(name): \(error.message)")
        }
    }
}
