// The user's presets: JSON files in their configuration, or one named on the command line. They are read here and sent in full,
// since a daemon of another user cannot read them. The daemon resolves all other IDs.
internal import FoundationEssentials
internal import Media
internal import TrimClient
internal import Wire

/// The user's presets.
struct OwnPresets {
    /// The valid presets, and the files with errors.
    let catalogue: PresetCatalogue
    private let surroundings: Surroundings
    /// The daemon's presets, which the user's may extend.
    private let bases: PresetCatalogue

    /// Reads the presets.
    /// - Parameter bases: the daemon's presets.
    init(_ surroundings: Surroundings, extending bases: [Preset] = []) {
        self.surroundings = surroundings
        self.bases = PresetCatalogue(bases)
        catalogue = PresetCatalogue(
            folders: surroundings.presetFolder.map { [$0] } ?? [], extending: bases, areOwn: true)
    }

    /// Reads the presets; if a needed one extends a preset of the daemon's, requests that.
    static func read(
        _ arguments: Arguments, _ surroundings: Surroundings, _ daemon: DaemonConnection
    ) throws(MediaError) -> OwnPresets {
        let own = OwnPresets(surroundings)
        let needsBases =
            !own.catalogue.unresolved.isEmpty
            || arguments.given(.presetFile).map { own.extends(surroundings.absolute($0)) } ?? false
        guard needsBases else { return own }
        let list: PresetListResult = try daemon.call(.presetList)
        return OwnPresets(surroundings, extending: list.presets)
    }

    private func extends(_ path: String) -> Bool {
        guard let bytes = FileManager.default.contents(atPath: path) else { return false }
        return PresetCatalogue.extends(bytes)
    }

    /// The preset named on the command line; nil if there is none.
    func reference(_ arguments: Arguments) throws(MediaError) -> PresetReference? {
        if let file = arguments.given(.presetFile) { return .preset(try read(surroundings.absolute(file))) }
        guard let id = arguments.given(.preset) else { return nil }
        return try reference(id)
    }

    /// A preset by its ID: in full if it is the user's, else as an ID.
    func reference(_ id: String) throws(MediaError) -> PresetReference {
        let isOwn =
            catalogue.presets.contains { $0.id == id }
            || catalogue.problems.contains { $0.file.hasSuffix("/\(id).json") }
        return isOwn ? .preset(try catalogue.preset(id)) : .id(id)
    }

    private func read(_ path: String) throws(MediaError) -> Preset {
        guard let bytes = FileManager.default.contents(atPath: path) else {
            throw MediaError(.invalidPreset, "the preset file \(path) cannot be read")
        }
        do throws(MediaError) {
            return try PresetCatalogue(catalogue.presets + bases.presets).preset(json: bytes)
        } catch {
            throw MediaError(error.code, "\(path): \(error.message)", remedy: error.remedy)
        }
    }
}
