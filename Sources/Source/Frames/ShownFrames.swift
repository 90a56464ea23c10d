// Which samples of a video track are frames that are shown: the ones that frame numbers count, as a decode from the beginning shows them.
// Decodes the frames up to the first keyframe, and only where the track does not begin with a sample that decodes by itself.
internal import Codecs
package import Libav
package import Media
package import MediaTime

/// Tells the samples of a track that are shown from those that are not.
package struct ShownFrames {
    /// The frames up to the first keyframe that a decode from the beginning shows: some refer to frames before the track's first.
    private struct Beginning {
        /// Their times, in the track's ticks.
        var shown: Set<Int64> = []
        /// The first keyframe's.
        var last: Int64
    }

    private let codec: any VideoCodec.Type
    /// Nil: all frames are shown.
    private let beginning: Beginning?

    /// More packets before the first keyframe are not looked at.
    private static let mostLeading = 2000
    /// No more follow the first keyframe and are shown before it.
    private static let mostReordered = 64

    /// - Parameter origin: the container time of asset time 0.
    package init(_ source: SourceFile, _ track: Track, origin: Time) {
        codec = track.videoCodec
        beginning = ShownFrames.beginning(source, track, origin: origin)
    }

    /// Whether some frames at the beginning do not decode.
    package var isPartial: Bool { beginning != nil }

    /// When the first frame that decodes is shown, in the track's ticks, where not all do.
    package var first: Int64? { beginning?.shown.min() }

    /// Whether a sample is a frame of its own that is shown. Hidden frames are only references, or lie before an edit list's begin;
    /// second fields belong to the frame before; nothing decodes what refers to frames before the track's first sync sample.
    package func contains(_ packet: Packet) -> Bool {
        guard !packet.isDiscarded, !packet.isSecondField, !codec.isNonShown(packet) else { return false }
        guard let beginning, let pts = packet.pts, pts <= beginning.last else { return true }
        return beginning.shown.contains(pts)
    }

    private static func beginning(_ source: SourceFile, _ track: Track, origin: Time) -> Beginning? {
        guard track.isDecodable, let samples = try? SampleReader(source, quick: true),
            let parameters = try? CodecParameters(samples.demuxer, track: track.index),
            let packet = try? Packet()
        else { return nil }
        samples.select(track: track.index)
        let kind = SampleKind(codec: track.codec, extradata: parameters.extradata)
        var (count, most, last): (Int, Int, Int64?) = (0, mostLeading, nil)
        var stored: Set<Int64> = []
        while count < most, case .packet = samples.read(into: packet) {
            guard packet.track == track.index else { continue }
            if count == 0, packet.isKey, kind.access(of: packet) == .closed { return nil }
            count += 1
            if !packet.isDiscarded, !packet.isSecondField, !track.videoCodec.isNonShown(packet),
                let pts = packet.pts
            {
                stored.insert(pts)
            }
            if last == nil, packet.isKey, let pts = packet.pts { (last, most) = (pts, count + mostReordered) }
        }
        guard let last,
            let reader = try? FrameReader(
                source, track, origin: origin, at: .zero, diagnostics: Diagnostics(), threads: 1)
        else { return nil }
        var beginning = Beginning(last: last)
        while let shown = try? reader.next() {
            let ticks = track.timebase.ticks(of: shown.time + origin, rounding: .halfAwayFromZero).ticks
            guard ticks <= last else { break }
            beginning.shown.insert(ticks)
        }
        return stored.contains { $0 <= last && !beginning.shown.contains($0) } ? beginning : nil
    }
}
