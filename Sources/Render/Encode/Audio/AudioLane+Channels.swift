// Tells where audio is mixed down that is not so at the track's beginning. On the lane's queue.
internal import Libav
internal import Media
internal import Source

extension AudioLane {
    /// Warns where a part of the track has more channels than its beginning, which the output has: broadcasts change between programs.
    func warn(ofChannelsIn frame: Frame, _ encoder: AudioEncoder, _ out: inout Output) {
        guard !out.isDownmixed, frame.channels > encoder.channels,
            track.audio.map({ $0.channels <= encoder.channels }) ?? true
        else { return }
        out.isDownmixed = true
        diagnostics.warn(
            Warning(
                .downmixed,
                "a part of track \(track.index) has \(frame.channels) channels, which are mixed down to the \(encoder.channels) of others",
                track: track.index))
    }
}
