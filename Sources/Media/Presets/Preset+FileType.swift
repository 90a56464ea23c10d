// The extension of an unnamed output, guessed from the source's name; only a worker knows the source's content. Pure.
internal import Text

extension Preset {
    /// Every extension an output may have, each once.
    public var allFileTypes: [String] {
        fileTypes + (audioOnlyFileTypes ?? []).filter { !fileTypes.contains($0) }
    }

    /// The most likely extension of an unnamed output: the source's if samples are copied, the audio one if the source's name
    /// indicates audio only.
    public func likelyFileType(of input: String) -> String {
        let name = input.pathNames.last ?? ""
        let own = name.split(separator: ".").dropFirst().last?.lowercased() ?? ""
        let isAudio = FileType(rawValue: own)?.isAudio ?? false
        let types = isAudio && (video != nil || isPassthrough) ? audioOnlyFileTypes ?? fileTypes : fileTypes
        if isPassthrough, types.contains(own) || (isAudio && FileType(rawValue: own) != nil) { return own }
        return types.first ?? ""
    }
}
