// asset.frame: draws one frame as an image.
internal import Media
internal import Wire

extension AssetService {
    /// `asset.frame`
    func frame(
        _ params: FrameParams, _ access: CallerAccess, for client: ObjectIdentifier,
        then: @escaping Then<FrameReport>
    ) throws(MediaError) {
        let wanted = (output: params.output, suffix: "-frame", overwrite: params.overwrite)
        try draw(.frame, of: params.path, to: wanted, access, for: client, then: then) { name, type in
            WorkerFrame(name: name, at: params.at, width: params.width, type: type)
        }
    }
}
