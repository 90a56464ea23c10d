// Exports a source as an exporter gets it, whatever its path, as a playlist is one. For the tests of this folder. Owns nothing; the files are the scratch folder's.
import Check
import Export
import Libav
import Media

extension Scratch {
    /// Exports a source, and verifies the output as trimd does.
    /// - Parameters:
    ///   - type: the extension of the output.
    ///   - id: of the preset.
    ///   - adjust: changes the request before.
    func export(
        _ source: SourceFile, to type: String = "mp4", preset id: String = "passthrough",
        _ adjust: (inout ExportRequest) throws -> Void = { _ in }
    ) throws -> (file: String, result: ExportResult) {
        let file = name(type)
        var request = ExportRequest(
            input: source.name, output: OutputTarget(folder: path, name: "out.\(type)", stem: "out"),
            preset: try preset(id))
        try adjust(&request)
        let result = try Exporter(source, request).run(
            output: try output(file), progress: { _ in }, log: { _ in })
        try Verification(try self.source(file), result).run()
        return (file, result)
    }
}
