// Where samples lie, by a container's index. Reads no sample.
internal import CFFmpeg

/// A sample of a track, as an index lists it.
public struct IndexedSample: Hashable, Sendable {
    /// Where its bytes lie.
    public var bytes: Range<Int64>
    /// When it is decoded, in ticks of its track.
    public var ticks: Int64
    /// Decoding can begin with it.
    public var isKey: Bool

    /// Creates a sample.
    public init(bytes: Range<Int64>, ticks: Int64, isKey: Bool) {
        (self.bytes, self.ticks, self.isKey) = (bytes, ticks, isKey)
    }
}

extension Demuxer {
    /// All samples of a track, in the order of decoding; nil: the index does not tell.
    public func samples(of track: Int) -> [IndexedSample]? {
        guard hasIndex, !isEdited(track), companions.entries.isEmpty, let stream = unsafe ownStream(track)
        else { return nil }
        var samples: [IndexedSample] = []
        for index in 0..<(unsafe avformat_index_get_entries_count(stream)) {
            guard let entry = unsafe avformat_index_get_entry(stream, index)?.pointee, entry.size > 0,
                entry.pos >= 0
            else { return nil }
            let (end, isTooFar) = entry.pos.addingReportingOverflow(Int64(entry.size))
            guard !isTooFar else { return nil }
            samples.append(
                IndexedSample(
                    bytes: entry.pos..<end, ticks: entry.timestamp,
                    isKey: entry.flags & AVINDEX_KEYFRAME != 0))
        }
        return samples.isEmpty ? nil : samples
    }

    /// Where the samples of a track lie that are decoded in a time, in seconds of the container; nil: the index does not tell. The
    /// index of a fragmented movie lists only what was read.
    public func places(of track: Int, from: Double, to: Double) -> [StoredPlace]? {
        guard hasIndex, !isEdited(track), let stream = unsafe stream(track) else { return nil }
        let base = unsafe stream.pointee.time_base
        guard base.den > 0 else { return nil }
        let tick = Double(base.num) / Double(base.den)
        var places: [StoredPlace] = []
        for index in 0..<(unsafe avformat_index_get_entries_count(stream)) {
            guard let entry = unsafe avformat_index_get_entry(stream, index)?.pointee else { return nil }
            let time = Double(entry.timestamp) * tick
            guard time >= from, time < to, entry.size > 0 else { continue }
            let (end, isTooFar) = entry.pos.addingReportingOverflow(Int64(entry.size))
            guard entry.pos >= 0, !isTooFar else { return nil }
            places.append(StoredPlace(bytes: entry.pos..<end, time: time))
        }
        return places
    }
}

extension Muxer {
    /// Codecs whose packets movies store as they are: neither FFmpeg's demuxer nor its muxer changes a byte of them, and no packet is
    /// divided or joined.
    private static let unchanged: Set<String> = [
        "h264", "hevc", "prores", "dnxhd", "mjpeg", "aac", "alac", "flac", "opus", "pcm_s16le", "pcm_s16be",
        "pcm_s24le", "pcm_s24be", "pcm_s32le", "pcm_s32be", "pcm_f32le", "pcm_f32be",
    ]

    /// Whether movies store the packets of a codec as they are.
    public static func keepsBytes(of codec: String) -> Bool { unchanged.contains(codec) }
}
