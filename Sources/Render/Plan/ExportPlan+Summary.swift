// A plan in one line, for a job's log. Pure.
internal import Media
internal import MediaTime
internal import Source

extension ExportPlan {
    /// The treatment of each track.
    package var summary: String {
        var parts = [
            "plan: "
                + segments.all.map { "[\($0.start), \($0.end.map { "\($0)" } ?? "end"))" }
                .joined(separator: ", ") + " to \(fileType.rawValue)"
        ]
        parts.append("movie timescale \(movieTimescale)")
        if let video {
            parts.append(
                "track \(video.track.index) \(video.track.codec) to \(video.settings.codec) \(video.width)x\(video.height)"
                    + " at \(video.frameRate)\(video.isConstant ? "" : " (variable)"), ticks \(video.timebase)"
                    + ", cadence \(video.cadence)")
        }
        if let smartTrim { parts.append(smartTrim.summary) }
        for audio in audio {
            switch audio {
            case .encode(let plan):
                parts.append("track \(plan.track.index) \(plan.track.codec) to \(plan.settings.codec)")
            case .copy(let track): parts.append("track \(track.index) \(track.codec) copied")
            }
        }
        return parts.joined(separator: "; ")
    }
}
