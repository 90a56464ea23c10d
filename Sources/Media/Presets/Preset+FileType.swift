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
        let own = FileType(ofName: input)
        let isAudio = own?.isAudio ?? false
        let types = isAudio && (video != nil || isPassthrough) ? audioOnlyFileTypes ?? fileTypes : fileTypes
        if isPassthrough, let own, isAudio || types.contains(own.rawValue) { return own.rawValue }
        return types.first ?? ""
    }
}

extension FileType {
    /// The type that the extension of a path says; nil: none.
    public init?(ofName path: String) {
        let name = path.pathNames.last ?? ""
        self.init(rawValue: name.split(separator: ".").dropFirst().last?.lowercased() ?? "")
    }
}
