// Writes a report to a file: the extension selects the format; a temporary file is renamed, so that readers see only complete
// reports.
internal import Media
internal import Platform
internal import Text
internal import Wire

/// A file that a report is written to.
struct ReportFile {
    /// The formats, by extension.
    enum Form: String, CaseIterable { case json, xml, md }

    let path: String
    private let form: Form

    /// A file with an absolute path; the extension selects the format.
    /// - Parameter outputs: the folder of the outputs, which is made where it is missing, and the report in it.
    init(_ path: String, besides outputs: String? = nil) throws(MediaError) {
        guard let form = Form(rawValue: BatchNames.fileExtension(path)) else {
            throw UsageError.of(
                "--report: '\(path)' says no form", remedy: "name it .json, .xml (JUnit) or .md (a table)")
        }
        self.path = path
        self.form = form
        let folder = BatchNames.folder(of: path)
        guard BatchNames.isFolder(folder) || outputs.map(Self.names) == Self.names(folder) else {
            throw MediaError(.notAFolder, "--report: there is no folder \(folder)", remedy: "make it first")
        }
    }

    /// The names in an absolute path. Links are not looked at: the folder need not exist.
    private static func names(_ path: String) -> [Substring] {
        path.split(separator: "/").reduce(into: []) { names, name in
            if name == ".." { _ = names.popLast() } else if name != "." { names.append(name) }
        }
    }

    /// Writes a report.
    func write(_ report: BatchReport) throws(MediaError) {
        let text: String
        switch form {
        case .json:
            do throws(WireError) {
                text = String(decoding: try JSONValue(encoding: report).encoded, as: UTF8.self) + "\n"
            } catch {
                throw MediaError(.internalError, "making the report \(path): \(error)")
            }
        case .xml: text = report.junit
        case .md: text = report.markdown
        }
        do throws(SystemError) {
            try FileSystem.makeFolder(BatchNames.folder(of: path))
            try FileSystem.write(Array(text.utf8), to: path)
        } catch {
            throw MediaError(.notWritable, "\(error)")
        }
    }
}
