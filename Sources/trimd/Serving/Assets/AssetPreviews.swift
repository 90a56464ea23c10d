// asset.thumbnails, asset.waveform, asset.segment and asset.cues: what a person needs to find the points of a cut. Pictures and segments are
// written to a file in memory, which goes to the client as a descriptor: no path of the caller's is written to.
internal import Media
internal import Platform
internal import Wire

/// The report on a file in memory.
protocol PreviewReport: Codable, Sendable {
    /// The size of the file, in bytes.
    var bytes: Int64 { get }
}

extension ThumbnailsReport: PreviewReport {}
extension SegmentReport: PreviewReport {}

extension AssetService {
    /// `asset.thumbnails`
    func thumbnails(
        _ params: ThumbnailsParams, _ access: CallerAccess, for client: ObjectIdentifier,
        then: @escaping Then<(ThumbnailsReport, MemoryFile)>
    ) throws(MediaError) {
        let question = WorkerPreview(name: try AssetService.checkedName(of: params.path), params: params)
        try make(.thumbnails, question, at: params.path, access, for: client, then: then)
    }

    /// `asset.waveform`
    func waveform(
        _ params: WaveformParams, _ access: CallerAccess, for client: ObjectIdentifier,
        then: @escaping ShortRequests.Then
    ) throws(MediaError) {
        let question = WorkerPreview(name: try AssetService.checkedName(of: params.path), params: params)
        drawing.ask(
            ShortRequests.Work(
                method: .waveform, params: question, file: try access.source(params.path), path: params.path,
                user: access.peer.uid, client: client), then: then)
    }

    /// `asset.segment`
    func segment(
        _ params: SegmentParams, _ access: CallerAccess, for client: ObjectIdentifier,
        then: @escaping Then<(SegmentReport, MemoryFile)>
    ) throws(MediaError) {
        let question = WorkerPreview(name: try AssetService.checkedName(of: params.path), params: params)
        try make(.segment, question, at: params.path, access, for: client, then: then)
    }

    /// `asset.cues`
    func cues(
        _ params: CuesParams, _ access: CallerAccess, for client: ObjectIdentifier,
        then: @escaping ShortRequests.Then
    ) throws(MediaError) {
        let question = WorkerPreview(name: try AssetService.checkedName(of: params.path), params: params)
        drawing.ask(
            ShortRequests.Work(
                method: .cues, params: question, file: try access.source(params.path), path: params.path,
                user: access.peer.uid, client: client), then: then)
    }

    /// Has a worker write a file in memory.
    private func make<Report: PreviewReport>(
        _ method: WorkerMethod, _ question: some Encodable & Sendable, at path: String,
        _ access: CallerAccess, for client: ObjectIdentifier,
        then: @escaping Then<(Report, MemoryFile)>
    ) throws(MediaError) {
        let file = try MemoryFile()
        var work = ShortRequests.Work(
            method: method, params: question, file: try access.source(path), path: path,
            user: access.peer.uid, client: client)
        work.beside = [file.descriptor]
        drawing.ask(work) { outcome in
            then(
                outcome.read(as: Report.self).flatMap { report in
                    do throws(MediaError) {
                        try file.seal(bytes: report.bytes)
                        return .success((report, file))
                    } catch { return .failure(error) }
                })
        }
    }
}
