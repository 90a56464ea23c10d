// Loads the presets: the JSON files of some folders, each decoded and checked separately. A wrong file is skipped and reported;
// it does not affect the others. The only I/O of this module.
public import FoundationEssentials
internal import MediaTime
internal import Synchronization
internal import Text

/// A preset file that could not be loaded.
public struct PresetProblem: Hashable, Codable, Sendable {
    /// The file's path.
    public var file: String
    /// The error, with its key or line.
    public var message: String

    /// Creates a problem.
    public init(file: String, message: String) {
        self.file = file
        self.message = message
    }
}

/// The available presets, and the files that could not be loaded.
public struct PresetCatalogue: Sendable {
    /// The presets, by ID.
    public private(set) var presets: [Preset]
    /// The files that could not be loaded.
    public private(set) var problems: [PresetProblem]

    /// Creates a catalogue of these presets.
    public init(_ presets: [Preset], problems: [PresetProblem] = []) {
        self.presets = presets.sorted { $0.id < $1.id }
        self.problems = problems
    }

    /// Reads all `*.json` files of the folders that exist; a later folder's preset replaces an earlier one's.
    /// - Parameters:
    ///   - bases: other presets that the files may extend.
    ///   - areOwn: the files are somebody's own: those that say how video is encoded have it encoded always.
    public init(folders: [String], extending bases: [Preset] = [], areOwn: Bool = false) {
        var reading = PresetReading(bases: bases, areOwn: areOwn)
        for folder in folders { reading.read(folder) }
        let (found, problems) = reading.presets()
        self.init(found, problems: problems)
        unresolved = reading.unresolved
    }

    /// IDs of extended presets that were not found.
    public private(set) var unresolved: Set<String> = []

    /// The alternatives that were asked for, encoded, by the file type of the output's name; "": it has none.
    private let encoded = EncodedAlternatives()

    /// The preset of an ID, of another name that means one preset, or of AVFoundation's name; nil: there is none.
    public func known(_ id: String) -> Preset? {
        let alias = PresetAlias.row(of: id)?.id
        return presets.first { $0.id == id } ?? presets.first { $0.id == alias }
            ?? presets.first { $0.appleName == id }
    }

    /// The preset with an ID or another name; if there is none, the error says which may be meant.
    public func preset(_ id: String) throws(MediaError) -> Preset {
        if let preset = known(id) { return preset }
        if let problem = problems.first(where: { $0.file.hasSuffix("/\(id).json") }) {
            throw MediaError(
                .invalidPreset, "the preset '\(id)' cannot be used: \(problem.file): \(problem.message)")
        }
        if let hint = PresetAlias.row(of: id)?.hint ?? PresetAlias.handBrake(id) {
            throw MediaError(.presetNotFound, "there is no preset '\(id)'", remedy: hint)
        }
        let ids = nearestNames(to: id, in: presets.map(\.id))
        let near = ids.isEmpty ? nearestNames(to: id, in: presets.compactMap(\.appleName)) : ids
        let remedy =
            near.isEmpty
            ? "`trimctl presets` lists them all"
            : "did you mean \(near.prefix(4).map { "'\($0)'" }.joined(separator: " or "))?"
        throw MediaError(.presetNotFound, "there is no preset '\(id)'", remedy: remedy)
    }

    /// The presets that encode to a file type, for the kind of media of a preset and of a source, as far as their names tell.
    public func writers(of type: String, in place: Preset, for input: String) -> [Preset] {
        let types = [FileType(rawValue: type), FileType(ofName: input)].compactMap(\.self)
        let isAudio = (place.video == nil && !place.isPassthrough) || types.contains(where: \.isAudio)
        return presets.filter {
            !$0.isPassthrough && $0.fileTypes.contains(type) && ($0.video == nil) == isAudio
        }
    }

    /// The number of presets to try beside the usual one.
    private static let mostAlternatives = 6

    /// Presets to try where a request's preset, which copies samples, cannot be used: those that write the named file type, and
    /// the usual one, for films and for audio; none for a preset that encodes.
    public func alternatives(to request: ExportRequest) -> EncodedPresets {
        guard request.preset.isPassthrough else { return .none }
        let type = request.output.fileExtension
        return encoded.value(of: type ?? "") { EncodedPresets(alternatives(writing: type)) }
    }

    private func alternatives(writing type: String?) -> [Preset] {
        let usual = presets.filter { $0.id == Preset.unnamedFallback }
        let audio = presets.filter { $0.id == "m4a" }
        guard let type else { return usual + audio }
        let writers = presets.filter {
            $0.allFileTypes.contains(type) && !$0.isPassthrough && !(usual + audio).contains($0)
        }
        return usual + writers.prefix(PresetCatalogue.mostAlternatives) + audio
    }

    /// Decodes one preset that may extend one of these; the error names the key or the line.
    public func preset(json: Data) throws(MediaError) -> Preset {
        let source = try PresetSource(json)
        guard let base = try source.extended else { return try source.ownPreset() }
        return try PresetCatalogue.preset(source, extending: try preset(base))
    }

    /// Whether a file extends another preset.
    public static func extends(_ json: Data) -> Bool {
        guard let source = try? PresetSource(json) else { return false }
        return (try? source.extended) != nil
    }

    /// The preset of a file that extends another.
    static func preset(_ source: PresetSource, extending base: Preset) throws(MediaError) -> Preset {
        guard let whole = source.extending(base) else {
            throw MediaError(.invalidPreset, "is not a JSON object")
        }
        var preset = try whole.preset()
        if source.saysEncoding { preset.alwaysEncodes = true }
        return preset
    }

    /// Decodes one preset that extends none; the error names the key or the line.
    public static func preset(json: Data) throws(MediaError) -> Preset { try PresetSource(json).preset() }
}

/// Values that are made once for each of a few keys. Any thread.
private final class EncodedAlternatives: Sendable {
    private let values = Mutex<[String: EncodedPresets]>([:])
    /// Names of files have any ending: so many are kept.
    private static let most = 64

    func value(of type: String, _ make: () -> EncodedPresets) -> EncodedPresets {
        if let known = values.withLock({ $0[type] }) { return known }
        let made = make()
        values.withLock { values in
            if values.count < EncodedAlternatives.most { values[type] = made }
        }
        return made
    }
}
