// asset.verify: compares an output with its source.
internal import Media
internal import Platform
internal import Wire

extension AssetService {
    /// `asset.verify`
    func verify(
        _ params: VerifyParams, _ access: CallerAccess, for client: ObjectIdentifier,
        then: @escaping Then<ComparisonReport>
    ) throws(MediaError) {
        try params.range.check()
        let source = try access.source(params.path)
        let compared = try access.compared(params.output)
        var picture: ImageOutput?
        var type: ImageType?
        if let path = params.picture {
            let (target, kind) = try AssetService.target(
                path, beside: params.path, "", overwrite: params.overwrite)
            type = kind
            picture = try self.picture(
                target, kind, source: source.identity, access, sparing: compared.identity)
        }
        var question = WorkerComparison(
            source: AssetService.name(of: params.path), output: AssetService.name(of: params.output),
            range: params.range, type: type)
        question.preview = params.preview
        question.options = params.options
        var work = ShortRequests.Work(
            method: .compare, params: question, file: source, path: params.path, user: access.peer.uid,
            client: client)
        work.companions = [compared]
        work.beside = picture.map { [$0.descriptor] } ?? []
        drawing.ask(work) { [picture] outcome in
            let report = outcome.read(as: ComparisonReport.self)
            guard let picture else { return then(report) }
            picture.conclude(report) { result in
                then(
                    result.map { report, written in
                        var report = report
                        report.picture = written.path
                        return report
                    })
            }
        }
    }
}
