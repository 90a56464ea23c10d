// The presets there are: the JSON files of some folders, each read and checked by itself. A wrong file is left out and
// named; it never takes the others with it. The only I/O of this module.
public import FoundationEssentials
internal import MediaTime

/// A preset file that could not be used.
public struct PresetProblem: Hashable, Codable, Sendable {
    /// The file's path.
    public var file: String
    /// What is wrong, with its key or line.
    public var message: String

    /// A problem from its parts.
    public init(file: String, message: String) {
        self.file = file
        self.message = message
    }
}

/// The presets there are, and the files that could not be used.
public struct PresetCatalogue: Sendable {
    /// The presets, in the order of their ids.
    public private(set) var presets: [Preset]
    /// The files that were left out.
    public private(set) var problems: [PresetProblem]

    /// A catalogue of given presets.
    public init(_ presets: [Preset], problems: [PresetProblem] = []) {
        self.presets = presets.sorted { $0.id < $1.id }
        self.problems = problems
    }

    /// Reads all `*.json` files of the folders that exist; a later folder's preset replaces an earlier one's.
    public init(folders: [String]) {
        var found: [String: Preset] = [:]
        var problems: [PresetProblem] = []
        for folder in folders {
            let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
            for name in names.sorted() where name.hasSuffix(".json") {
                let path = folder + "/" + name
                guard let data = FileManager.default.contents(atPath: path) else {
                    problems.append(PresetProblem(file: path, message: "cannot be read"))
                    continue
                }
                do throws(MediaError) {
                    let preset = try PresetCatalogue.preset(json: data)
                    if preset.id + ".json" != name {
                        throw MediaError(
                            .invalidPreset,
                            "key id: is '\(preset.id)', and the file's name must be \(preset.id).json")
                    }
                    found[preset.id] = preset
                } catch {
                    problems.append(PresetProblem(file: path, message: error.message))
                }
            }
        }
        self.init(Array(found.values), problems: problems)
    }

    /// The preset of an id; where there is none, the error names the nearest.
    public func preset(_ id: String) throws(MediaError) -> Preset {
        if let preset = presets.first(where: { $0.id == id }) { return preset }
        if let problem = problems.first(where: { $0.file.hasSuffix("/\(id).json") }) {
            throw MediaError(
                .invalidPreset, "the preset '\(id)' cannot be used: \(problem.file): \(problem.message)")
        }
        let near = nearestNames(to: id, in: presets.map(\.id) + presets.compactMap(\.appleName))
        let remedy =
            near.isEmpty
            ? "`trimctl presets` lists them all"
            : "did you mean \(near.prefix(3).map { "'\($0)'" }.joined(separator: " or "))?"
        throw MediaError(.presetNotFound, "there is no preset '\(id)'", remedy: remedy)
    }

    /// Reads one preset from JSON; the error names the key or the line.
    public static func preset(json: Data) throws(MediaError) -> Preset {
        do {
            return try JSONDecoder().decode(Preset.self, from: json)
        } catch {
            throw MediaError(.invalidPreset, explain(error, in: json))
        }
    }

    private static func explain(_ error: any Error, in json: Data) -> String {
        func at(_ path: [any CodingKey]) -> String {
            let keys = path.map { $0.intValue.map { "[\($0)]" } ?? $0.stringValue }
            return keys.isEmpty ? "" : "key \(keys.joined(separator: ".")): "
        }
        switch error {
        case let DecodingError.keyNotFound(key, context): return at(context.codingPath + [key]) + "is missing"
        case let DecodingError.typeMismatch(type, context): return at(context.codingPath) + "is not a \(type)"
        case let DecodingError.valueNotFound(type, context):
            return at(context.codingPath) + "is null, not a \(type)"
        case let DecodingError.dataCorrupted(context):
            guard context.codingPath.isEmpty else { return at(context.codingPath) + context.debugDescription }
            // Foundation does not say where on Linux.
            guard let line = JSONSyntax.lineOfError(in: Array(json)) else { return context.debugDescription }
            return "line \(line): is not valid JSON"
        default: return "is not a preset: \(error)"
        }
    }
}
