// The timecode of an output: whether it has one, and what of the source's is not in it. Decided before anything is written.
internal import Media
internal import MediaTime

extension PassthroughPlan {
    /// Items of the source that the output will not have, at a given frame rate.
    func dropped(_ asset: Asset, _ rate: Ratio?) -> [DroppedItem] {
        let plan = timecode(rate: rate)
        var items = dropped
        if let timecode = asset.timecode, plan == nil {
            let track = asset.tracks.first { $0.role == .timecode }
            items.append(
                DroppedItem(
                    what: track.map(ExportPlan.name) ?? "start timecode \(timecode)",
                    reason: whyNoTimecode(rate), track: track?.index))
        }
        return items + partTimecodes(plan)
    }

    /// Why an output with this frame rate has no timecode.
    private func whyNoTimecode(_ rate: Ratio?) -> String {
        guard let rate else { return "there are no frames to count" }
        guard timed != nil else { return "the speed is changed" }
        guard holdsTimecode else { return "the container cannot store it" }
        return "timecode of its kind is not counted at \(rate) frames a second"
    }

    private var holdsTimecode: Bool { ["mp4", "ipod", "mov", "matroska", "mxf"].contains(fileType.muxer) }

    /// The timecodes at which joined parts begin, of which an output has at most the first.
    private func partTimecodes(_ plan: TimecodePlan?) -> [DroppedItem] {
        guard starts.count > 1, let timed, let rate = timed.mainVideo?.video?.frameRate else { return [] }
        let codes = starts.compactMap { TimecodePlan(timed, start: $0, rate: rate)?.timecode }
        guard codes.count == starts.count else { return [] }
        let most = 4
        let shown = codes.prefix(most).map { "\($0)" }.joined(separator: ", ")
        let more = codes.count > most ? " and \(codes.count - most) more" : ""
        let why =
            plan.map { "they are joined, and the output counts on from \($0.timecode)" }
            ?? "they are joined, and the output has no timecode"
        return [DroppedItem(what: "start timecodes of the parts \(shown)\(more)", reason: why)]
    }

    /// The timecode of an output with this frame rate; nil if there is none, or the container cannot hold one.
    func timecode(rate: Ratio?) -> TimecodePlan? {
        guard let timed, let rate, holdsTimecode else { return nil }
        return TimecodePlan(timed, start: start, rate: rate)
    }
}
