// asset.check: which presets can export a file.
internal import Media
internal import Wire

extension AssetService {
    /// `asset.check`
    func check(
        _ params: CheckParams, _ access: CallerAccess, for client: ObjectIdentifier,
        then: @escaping ShortRequests.Then
    ) throws(MediaError) {
        let name = try AssetService.checkedName(of: params.path)
        try params.range.check()
        var presets: [Preset]
        if let reference = params.preset {
            presets = [try validator.resolve(reference)]
        } else {
            presets = validator.presets.presets
            for own in params.presets ?? [] {
                presets.removeAll { $0.id == own.id }
                presets.append(own)
            }
        }
        if let type = params.type, FileType(rawValue: type) == nil {
            let known = FileType.allCases.map(\.rawValue).joined(separator: ", ")
            throw MediaError(
                .outputTypeNotValid, "there is no file type '\(type)'", remedy: "known are \(known)")
        }
        var question = WorkerCheck(name: name, presets: presets, fileType: params.type)
        question.range = params.range
        question.options = params.options
        try look(.check, question, at: params.path, access, for: client, then: then)
    }
}
