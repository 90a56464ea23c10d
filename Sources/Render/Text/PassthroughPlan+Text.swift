// Which subtitle tracks are copied or converted. Decided twice: by each track, and by all that the output will hold. Pure: it opens
// nothing, and what it decides is executed by TextLane.
internal import Media

extension PassthroughPlan {
    /// Decides about each subtitle track by itself.
    mutating func decideText(_ asset: Asset, _ options: ExportOptions, _ isJoined: Bool) {
        let selection = TrackSelection(options, of: asset)
        let chosen = selection.subtitles
        // A track that is drawn is not there a second time, unless tracks were asked for.
        let burned = options.subtitles == nil ? selection.burned : nil
        for track in asset.subtitleTracks {
            guard chosen.contains(where: { $0.index == track.index }) else {
                drop(track, "it was not asked for")
                continue
            }
            guard track.index != burned?.index else {
                drop(track, "it is drawn on the frames")
                continue
            }
            switch TextPlan.decide(track, fileType) {
            case .success(let plan) where isJoined && plan.way == .screens:
                drop(track, "parts are joined, and bitmap subtitles and captions stay until the next ones")
            case .success(let plan): text.append(plan)
            case .failure(let why): drop(track, why.text)
            }
        }
    }

    /// Leaves out what the file type cannot hold beside the output's other tracks.
    /// - Parameter codecs: of its video and audio, in FFmpeg's names.
    mutating func settleText(beside codecs: [String]) {
        let all = codecs + text.map(\.codec)
        guard !fileType.isBluRay(all) else { return }
        let lost = text.filter(\.needsBluRay)
        text.removeAll(where: \.needsBluRay)
        let others = Set(all.filter { !fileType.isBluRay([$0]) }).sorted().joined(separator: " and ")
        for plan in lost {
            drop(
                plan.track, ".\(fileType.rawValue) cannot hold \(plan.track.codecWords) beside \(others)")
        }
    }
}
