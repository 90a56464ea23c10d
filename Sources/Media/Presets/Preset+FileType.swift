// Which extension an output gets that its user did not name, as far as the source's name tells it: what the source holds,
// only a worker knows. Pure.

extension Preset {
    /// Every extension that an output may get, each once.
    public var allFileTypes: [String] {
        fileTypes + (audioOnlyFileTypes ?? []).filter { !fileTypes.contains($0) }
    }

    /// The extension that an unnamed output is most likely to get: the source's own where samples are taken over, that of
    /// sound where the source's name says that it holds nothing else.
    public func likelyFileType(of input: String) -> String {
        let name = input.pathNames.last ?? ""
        let own = name.split(separator: ".").dropFirst().last?.lowercased() ?? ""
        let isSound = FileType(rawValue: own)?.isSound ?? false
        let types = isSound && (video != nil || isPassthrough) ? audioOnlyFileTypes ?? fileTypes : fileTypes
        if isPassthrough, types.contains(own) || (isSound && FileType(rawValue: own) != nil) { return own }
        return types.first ?? ""
    }
}
