// asset.probe: reports the contents of a file.
internal import Media
internal import Wire

extension AssetService {
    /// `asset.probe`
    func probe(
        _ params: ProbeParams, _ access: CallerAccess, for client: ObjectIdentifier,
        then: @escaping ShortRequests.Then
    ) throws(MediaError) {
        var question = WorkerProbe(
            name: try AssetService.checkedName(of: params.path), keyframes: params.keyframes ?? false,
            properties: params.properties)
        question.variant = params.variant
        try look(.probe, question, at: params.path, access, for: client, then: then)
    }
}
