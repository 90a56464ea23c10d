// How a track was rendered is said with honest counts.
import Media
import MediaTime
import Testing

@testable import trimctl

@Suite struct RenderTextTests {
    private func track(_ way: RenderMode, _ encoded: Int64, _ copied: Int64, _ reason: String? = nil)
        -> TrackResult
    {
        let span = TimeSpan(start: .zero, end: Time(1, 1))
        var track = TrackResult(index: 0, source: 0, kind: .video, codec: "h264", way: way, actual: span)
        (track.framesEncoded, track.framesCopied, track.reason) = (encoded, copied, reason)
        return track
    }

    @Test(
        arguments: [
            (RenderMode.copy, 0, 90, nil, "copied"), (.encode, 90, 0, nil, "encoded"),
            (.encode, 90, 0, "the codec is vp9, not h264", "encoded (the codec is vp9, not h264)"),
            (.smart, 12, 1488, nil, "copied, 12 of 1500 frames encoded at the cuts"),
            (.smart, 161, 20, nil, "re-encoded 161 of 181 frames: few keyframes"),
            (.smart, 38, 0, nil, "re-encoded all 38 frames: no keyframe in the range"),
        ] as [(RenderMode, Int64, Int64, String?, String)])
    func aTrackSaysHowMuchOfItWasEncoded(
        way: RenderMode, encoded: Int64, copied: Int64, reason: String?, words: String
    ) {
        #expect(RenderText.track(track(way, encoded, copied, reason)) == words)
    }

    @Test(
        arguments: [
            ([], nil), ([(.video, .copy), (.audio, .encode)], "video copied, audio encoded"),
            ([(.video, .copy), (.audio, .copy)], "copied"), ([(.audio, .encode)], "encoded"),
            ([(.video, .smart), (.audio, .copy)], "video copied but for its ends, audio copied"),
            ([(.audio, .copy), (.audio, .encode)], "partly copied, partly encoded"),
        ] as [([(TrackKind, RenderMode)], String?)])
    func theSummaryNamesWhatDiffers(tracks: [(TrackKind, RenderMode)], words: String?) {
        #expect(RenderText.summary(tracks.map { (kind: $0.0, way: $0.1) }) == words)
    }
}
