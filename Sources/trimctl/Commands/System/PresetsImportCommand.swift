// `trimctl presets import`: presets of HandBrake's as files of trimd's. It needs no daemon. Every file is read before the first is
// written.
internal import Lists
internal import Media
internal import Platform
internal import Text
internal import Wire

/// `trimctl presets import`.
struct PresetsImportCommand: Command {
    /// Stands in the place of a preset's ID, which therefore no preset has.
    static let word = "import"

    /// A preset and where it went, for --json.
    private struct Answer: Encodable {
        let name: String
        /// The file that was written; nil: none was, and `reason` says why.
        let file: String?
        let preset: Preset?
        let reason: String?
        let notes: [ImportedPreset.Note]
    }

    let arguments: Arguments
    let surroundings: Surroundings

    /// Maximum bytes of a file of presets.
    private static let largest: Int64 = 16 << 20

    init(_ arguments: Arguments, _ surroundings: Surroundings) {
        self.arguments = arguments
        self.surroundings = surroundings
    }

    func run() throws(MediaError) -> Int32 {
        if let other = [Option.standalone, .socket].first(where: { arguments.has($0) }) {
            throw UsageError.of(
                "--\(other.name) is not for `trimctl presets import`, which asks no trimd",
                in: CommandTable.presets)
        }
        let paths = arguments.texts.dropFirst()
        guard !paths.isEmpty else {
            throw UsageError.of(
                "there is no file to import", remedy: "`trimctl presets import FILE.json`")
        }
        guard
            let folder = arguments.given(.presetOutput).map(surroundings.absolute)
                ?? surroundings.presetFolder
        else {
            throw MediaError(
                .fileNotFound, "there is no folder for presets: HOME is not set", remedy: "give --output-dir")
        }
        var presets: [ImportedPreset] = []
        for path in paths { presets += try read(surroundings.absolute(path)) }
        do throws(SystemError) { try FileSystem.makeFolder(folder) } catch {
            throw MediaError(.notWritable, "\(error)", remedy: "name another --output-dir")
        }
        let answers = try write(presets, to: folder)
        if asJSON {
            for answer in answers { console.json(answer) }
        } else {
            console.print(answers.map(page).joined(separator: "\n"))
        }
        return answers.allSatisfy { $0.file != nil } ? 0 : 1
    }

    private func read(_ path: String) throws(MediaError) -> [ImportedPreset] {
        guard let status = FileSystem.status(path) else {
            throw MediaError(.fileNotFound, "the file \(path) does not exist")
        }
        guard !status.isFolder, status.size <= Self.largest, let bytes = try? FileSystem.contents(path) else {
            throw MediaError(.inputOutput, "the file \(path) cannot be read, or is not a file of presets")
        }
        do throws(ListFault) {
            return try HandBrakePresets.read(bytes)
        } catch {
            throw UsageError.of(
                "\(path):\(error.line): \(error.message)",
                remedy: "give a file that HandBrake's Export or HandBrakeCLI --preset-export-file wrote")
        }
    }

    private func write(_ presets: [ImportedPreset], to folder: String) throws(MediaError) -> [Answer] {
        var taken: Set<String> = [Self.word]
        return try presets.map { imported throws(MediaError) in
            func answer(_ file: String?, _ reason: String?) -> Answer {
                Answer(
                    name: imported.name, file: file, preset: imported.preset, reason: reason,
                    notes: imported.notes)
            }
            guard let preset = imported.preset else { return answer(nil, imported.reason) }
            let path = "\(folder)/\(preset.id).json"
            guard taken.insert(preset.id).inserted else {
                return answer(nil, "the preset \(preset.id) is in another file too")
            }
            guard arguments.has(.overwritePreset) || !FileSystem.exists(path) else {
                return answer(nil, "\(path) exists; --overwrite replaces it")
            }
            guard let json = try? JSONValue(coding: preset) else {
                return answer(nil, "its settings cannot be written as JSON")
            }
            do throws(SystemError) { try FileSystem.write(Array(json.indented.utf8), to: path) } catch {
                throw MediaError(.notWritable, "\(error)", remedy: "name another --output-dir")
            }
            return answer(path, nil)
        }
    }

    /// A preset, and what became of its settings.
    private func page(_ answer: Answer) -> String {
        var lines = [
            answer.file.map { "\(answer.name): \($0)" }
                ?? "\(answer.name): not imported: \(answer.reason ?? "")"
        ]
        let width = 14
        for (treatment, title) in [
            (ImportedPreset.Treatment.carried, "carried"), (.approximated, "approximated"),
            (.leftOut, "left out"),
        ] {
            var title = title
            for note in answer.notes where note.treatment == treatment {
                let setting = note.setting.map { "\($0): " } ?? ""
                let start = "  " + title + String(repeating: " ", count: max(width - title.count, 1))
                lines.append((start + setting + note.text).oneLine)
                title = ""
            }
        }
        return lines.joined(separator: "\n")
    }
}
