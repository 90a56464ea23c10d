// Checks whether an asset decodes where an export would begin: decodes one frame and some audio, so that no preset is called
// valid that would give no output. Runs on the caller's thread.
package import Libav
package import Media
package import MediaTime
internal import Source

/// The result of decoding at the in point.
package struct DecodingTrial {
    /// Why the video does not decode; nil if it does, or there is none.
    package let video: Reason?
    /// Why the audio does not decode; nil if some track does, or there is none.
    package let audio: Reason?
    /// When the first frame that decodes is shown, in asset time; nil if none does.
    package let firstFrame: Time?
    /// Set where neither decodes.
    package let nothing: Reason?

    /// Maximum number of audio packets tried.
    private static let packets = 200

    package init(_ asset: Asset, _ source: SourceFile, at start: Time) {
        let tracks = asset.audioTracks.filter(\.isDecodable)
        let hasAudio = tracks.contains { DecodingTrial.decodes($0, source, asset.start, start) }
        let audio = hasAudio || tracks.isEmpty ? nil : DecodingTrial.reason("audio")
        var video: Reason?
        var first: Time?
        if let track = asset.mainVideo, track.isDecodable {
            do throws(MediaError) {
                let (frames, _) = try VideoStart(
                    source: source, track: track, origin: asset.start, start: start,
                    // The first frame comes no sooner from more threads.
                    diagnostics: Diagnostics(), threads: 1
                ).find()
                first = frames.first?.bestEffort.map { track.timebase.time(ofTicks: $0) - asset.start }
            } catch {
                video = Reason(error)
            }
        }
        let hasVideo = asset.mainVideo?.isDecodable == true
        (self.video, self.audio, firstFrame) = (video, audio, first)
        nothing = (hasVideo && video == nil) || hasAudio ? nil : video ?? audio
    }

    private static func reason(_ what: String) -> Reason {
        Reason(
            ErrorCode.undecodableMediaData, "nothing of the \(what) decodes at the in point",
            remedy: "the file is damaged; choose another range")
    }

    private static func decodes(_ track: Track, _ source: SourceFile, _ origin: Time, _ start: Time) -> Bool {
        do throws(MediaError) {
            let reader = try TrackReader.open(
                source, track: track, origin: origin, at: start, back: Time(1, 2))
            return try media(.decodeFailed, track: track.index) { () throws(LibavError) in
                let decoder = try Decoder(
                    try CodecParameters(reader.demuxer, track: track.index), timebase: track.timebase,
                    threads: 1)
                let packet = try Packet()
                let frame = try Frame()
                for _ in 0..<packets {
                    let isPacket = reader.read(into: packet, Diagnostics())
                    _ = try decoder.send(isPacket ? packet : nil)
                    if case .frame = try decoder.receive(into: frame) { return true }
                    if !isPacket { return false }
                }
                return false
            }
        } catch { return false }
    }
}
