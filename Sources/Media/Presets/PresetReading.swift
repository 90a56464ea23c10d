// Reads and merges the preset files of some folders: which file defines an ID, and which preset it extends. A wrong file is
// reported and affects only the files that extend it.
internal import FoundationEssentials
internal import Text

/// Reads folders of presets.
struct PresetReading {
    private struct File {
        let path: String, id: String
        let data: Data?
    }
    /// The files of each ID, in folder order; the last one takes precedence.
    private var files: [String: [File]] = [:]
    private let bases: [Preset]
    /// IDs of extended presets that were not found.
    private(set) var unresolved: Set<String> = []

    private let areOwn: Bool

    init(bases: [Preset], areOwn: Bool) { (self.bases, self.areOwn) = (bases, areOwn) }

    /// Reads the `*.json` files of a folder; a missing folder has none.
    mutating func read(_ folder: String) {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        for name in names.sorted() where name.hasSuffix(".json") {
            let path = folder + "/" + name
            let id = String(name.dropLast(5))
            files[id, default: []].append(
                File(path: path, id: id, data: FileManager.default.contents(atPath: path)))
        }
    }

    /// The presets, and the wrong files. A wrong file does not hide a valid one of an earlier folder.
    mutating func presets() -> (presets: [Preset], problems: [PresetProblem]) {
        var presets: [Preset] = []
        var problems: [PresetProblem] = []
        for (id, layers) in files.sorted(by: { $0.key < $1.key }) {
            var found: Preset?
            for layer in layers.indices {
                do throws(MediaError) {
                    found = try resolve(id, layer, [])
                } catch { problems.append(PresetProblem(file: layers[layer].path, message: error.message)) }
            }
            if let found { presets.append(found) }
        }
        return (presets, problems)
    }

    private mutating func resolve(_ id: String, _ layer: Int, _ chain: [String]) throws(MediaError) -> Preset
    {
        guard let file = files[id]?[layer] else {
            throw MediaError(.presetNotFound, "there is no preset '\(id)'")
        }
        guard let data = file.data else { throw MediaError(.invalidPreset, "cannot be read") }
        let preset: Preset
        let source = try PresetSource(data)
        if let base = try source.extended {
            guard !chain.contains(file.path) else {
                throw MediaError(.invalidPreset, "key extends: '\(base)' leads back to '\(id)' itself")
            }
            let whole = try extended(base, by: id, layer, chain + [file.path])
            preset = try PresetCatalogue.preset(source.named(id), extending: whole)
        } else {
            preset = try areOwn ? source.ownPreset() : source.preset()
        }
        guard preset.id == file.id else {
            throw MediaError(
                .invalidPreset,
                "key id: is '\(preset.id)', and the file's name must be \(preset.id).json")
        }
        return preset
    }

    /// The preset that a file extends: one with the same ID in an earlier folder, else the one that takes precedence.
    private mutating func extended(
        _ base: String, by id: String, _ layer: Int, _ chain: [String]
    ) throws(MediaError) -> Preset {
        if base == id {
            if layer > 0 { return try resolve(id, layer - 1, chain) }
        } else if let layers = files[base] {
            do throws(MediaError) {
                return try resolve(base, layers.count - 1, chain)
            } catch {
                throw MediaError(.invalidPreset, "key extends: '\(base)' cannot be used: \(error.message)")
            }
        }
        if let preset = bases.first(where: { $0.id == base }) { return preset }
        unresolved.insert(base)
        let near = nearestNames(to: base, in: files.keys.filter { $0 != id } + bases.map(\.id))
        let hint = near.isEmpty ? "" : "; did you mean '\(near[0])'?"
        throw MediaError(.invalidPreset, "key extends: there is no preset '\(base)'\(hint)")
    }
}
