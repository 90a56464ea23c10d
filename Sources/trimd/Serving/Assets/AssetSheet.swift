// asset.sheet: draws many frames on one image.
internal import Media
internal import Wire

extension AssetService {
    /// `asset.sheet`
    func sheet(
        _ params: SheetParams, _ access: CallerAccess, for client: ObjectIdentifier,
        then: @escaping Then<SheetReport>
    ) throws(MediaError) {
        try params.range.check()
        try draw(.sheet, params, suffix: "-sheet", access, for: client, then: then) { name, type in
            var question = WorkerSheet(
                name: name, range: params.range, options: params.options, type: type)
            question.preview = params.preview
            question.variant = params.variant
            return question
        }
    }
}
