// Names the way a whole output was made, or will be, for plans and results alike. Pure.
internal import Media

extension RenderMode {
    /// The way an output was made, or will be, from its tracks: that of the video; of audio alone the one that loses most.
    init(of tracks: [(kind: TrackKind, way: RenderMode)]) {
        let video = tracks.filter { $0.kind == .video }.map(\.way)
        let audio = tracks.filter { $0.kind == .audio }.map(\.way)
        if (video + audio).contains(.smart) {
            self = .smart
        } else {
            self = video.first ?? (audio.contains(.encode) ? .encode : audio.first) ?? .encode
        }
    }
}
