// The cover of a file without video, as a frame: a preview of music shows it. Decodes the one image that the container holds.
internal import Libav
internal import Media
internal import Source

/// Decodes a cover.
struct CoverFrame {
    let source: SourceFile
    /// The track of the cover.
    let track: Track

    /// The decoded image.
    func frame() throws(MediaError) -> Frame {
        let demuxer: Demuxer
        do { demuxer = try Demuxer(source) } catch { throw MediaError(error, source: source) }
        let found = try media(.decodeFailed, track: track.index) { () throws(LibavError) -> Frame? in
            guard let bytes = demuxer.attachedPicture(track.index) else { return nil }
            let decoder = try Decoder(
                CodecParameters(demuxer, track: track.index), timebase: track.timebase, threads: 1)
            _ = try decoder.send(Packet(bytes: bytes, flags: 0, sideData: []))
            _ = try decoder.send(nil)
            let frame = try Frame()
            guard case .frame = try decoder.receive(into: frame) else { return nil }
            return frame
        }
        guard let found else {
            throw MediaError(
                .undecodableMediaData, "the cover of \(source.name) does not decode", track: track.index)
        }
        return found
    }
}

extension Asset {
    /// The cover that stands for the asset where it has no video.
    var cover: Track? { videoTracks.isEmpty ? tracks.first { $0.isPicture && $0.isDecodable } : nil }
}
