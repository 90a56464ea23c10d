// Formats how tracks were rendered, with honest counts: a smart trim that had to encode most frames says so. Text only.
internal import Media

/// Formats render modes.
enum RenderText {
    /// Which kinds of track are copied and which encoded: `copied`, or `video copied, audio encoded`; nil without tracks.
    static func summary(_ tracks: [(kind: TrackKind, way: RenderMode)]) -> String? {
        let kinds = [TrackKind.video, .audio].compactMap { kind -> (TrackKind, String)? in
            let ways = tracks.filter { $0.kind == kind }.map { word($0.way) }
            guard let first = ways.first else { return nil }
            let others = ways.contains { $0 != first }
            return (kind, others ? "partly copied, partly encoded" : first)
        }
        guard let first = kinds.first else { return nil }
        if kinds.allSatisfy({ $0.1 == first.1 }) { return first.1 }
        return kinds.map { "\($0.0.rawValue) \($0.1)" }.joined(separator: ", ")
    }

    /// How a track was rendered, with the reason where it was not copied.
    static func track(_ track: TrackResult) -> String {
        let reason = track.reason.map { " (\($0))" } ?? ""
        switch track.way {
        case .copy: return "copied" + reason
        case .encode: return (track.passes == 2 ? "encoded in two passes" : "encoded") + reason
        case .auto: return "as needed" + reason
        case .smart:
            let all = track.framesEncoded + track.framesCopied
            guard track.framesEncoded * 2 >= all else {
                return "copied, \(track.framesEncoded) of \(Units.count(all, "frame")) encoded at the cuts"
                    + reason
            }
            let why =
                track.reason ?? (track.framesEncoded < all ? "few keyframes" : "no keyframe in the range")
            let share = track.framesEncoded == all ? "all" : "\(track.framesEncoded) of"
            return "re-encoded \(share) \(Units.count(all, "frame")): \(why)"
        }
    }

    private static func word(_ way: RenderMode) -> String {
        switch way {
        case .copy: "copied"
        case .smart: "copied but for its ends"
        case .encode: "encoded"
        case .auto: "as needed"
        }
    }
}
