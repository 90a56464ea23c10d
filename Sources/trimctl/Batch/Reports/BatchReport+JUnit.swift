// Formats a batch as JUnit XML for CI systems: one test case per export. An invalid line is an error, a failed export a failure;
// exports not done are skipped. Follows the schema of Jenkins' xunit plugin (junit-10.xsd).
internal import Media
internal import Text

extension BatchReport {
    /// The report as XML.
    var junit: String {
        let cases = exports.map(testcase) + faults.map(testcase)
        let errors = exports.count { $0.outcome == .refused } + faults.count
        let failures = exports.count { $0.outcome == .failed }
        let skipped = exports.count { [.skipped, .notStarted, .cancelled, .waiting].contains($0.outcome) }
        let seconds = Double(max(ended.milliseconds - started.milliseconds, 0)) / 1000
        let numbers = """
            tests="\(cases.count)" failures="\(failures)" errors="\(errors)"
            """
        let name = XML.attribute(PathBytes.readable(BatchNames.last(list)))
        let time = Units.fixed(seconds, 3)
        return """
            <?xml version="1.0" encoding="UTF-8"?>
            <testsuites name="trimctl batch" \(numbers) time="\(time)">
            <testsuite name="\(name)" \(numbers) skipped="\(skipped)" time="\(time)" timestamp="\(started)">
            \(cases.joined(separator: "\n"))
            </testsuite>
            </testsuites>

            """
    }

    private func testcase(_ export: Export) -> String {
        let title = export.label.map { " \($0)" } ?? ""
        var lines = [
            "<testcase classname=\"\(XML.attribute(PathBytes.readable(BatchNames.last(export.input))))\" "
                + "name=\"\(XML.attribute("line \(export.line)\(title) (\(export.preset))"))\" "
                + "time=\"\(Units.fixed(export.taken ?? 0, 3))\">"
        ]
        let error = export.error
        let message = error.map(ErrorText.line) ?? ""
        let type = error?.code.rawValue ?? "unknown"
        switch export.outcome {
        case .failed, .refused:
            let name = export.outcome == .failed ? "failure" : "error"
            lines.append(
                "<\(name) type=\"\(type)\" message=\"\(XML.attribute(message))\">\(XML.text(message))</\(name)>"
            )
        case .skipped: lines.append("<skipped message=\"the output exists\"/>")
        case .cancelled: lines.append("<skipped message=\"cancelled\"/>")
        case .notStarted, .waiting: lines.append("<skipped message=\"not started\"/>")
        case .completed: break
        }
        var words = [
            export.output.isEmpty ? nil : "output: \(PathSpelling.spelled(export.output))",
            export.bytes.map { "bytes: \($0)" },
        ]
        .compactMap(\.self)
        if let render = export.render { words.append("render: \(render.rawValue)") }
        words += export.warnings.map { "warning: \($0)" }
        if !words.isEmpty {
            lines.append("<system-out>\(XML.text(words.joined(separator: "\n")))</system-out>")
        }
        return lines.joined(separator: "\n") + "\n</testcase>"
    }

    private func testcase(_ fault: Fault) -> String {
        """
        <testcase classname="\(XML.attribute(PathBytes.readable(BatchNames.last(list))))" name="\(fault.line == 0 ? "the list" : "line \(fault.line)")" time="0.000">
        <error type="invalidRequest" message="\(XML.attribute(fault.message))">\(XML.text(fault.message))</error>
        </testcase>
        """
    }
}

/// Text for XML 1.0.
enum XML {
    /// Escapes text between tags; characters invalid in XML become U+FFFD.
    static func text(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\t", "\n": result.unicodeScalars.append(scalar)
            case _ where scalar.value < 0x20 || scalar.value == 0xFFFE || scalar.value == 0xFFFF:
                result.unicodeScalars.append("\u{FFFD}")
            case _ where scalar.isSteering:
                result += "&#x\(String(scalar.value, radix: 16, uppercase: true));"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    /// Escapes an attribute value in double quotes.
    static func attribute(_ value: String) -> String {
        text(value).map {
            switch $0 {
            case "\"": "&quot;"
            case "\n": "&#10;"
            case "\t": "&#9;"
            default: String($0)
            }
        }.joined()
    }
}
