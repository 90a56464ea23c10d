// asset.frame: draws one frame as an image.
internal import Media
internal import Wire

extension AssetService {
    /// `asset.frame`
    func frame(
        _ params: FrameParams, _ access: CallerAccess, for client: ObjectIdentifier,
        then: @escaping Then<FrameReport>
    ) throws(MediaError) {
        try draw(.frame, params, suffix: "-frame", access, for: client, then: then) { name, type in
            var question = WorkerFrame(name: name, at: params.at, width: params.width, type: type)
            question.preview = params.preview
            question.variant = params.variant
            return question
        }
    }
}
