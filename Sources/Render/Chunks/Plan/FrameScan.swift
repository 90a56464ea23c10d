// Reads when the frames of an output's parts are shown in the source, and where decoding can begin. Decodes nothing; reads the
// packets of one track with demuxers of its own, and of their bytes as few as it needs. Runs on the caller's thread.
internal import Codecs
internal import Libav
internal import Media
internal import MediaTime
internal import Source

/// A frame of the source.
package struct SourceFrame: Hashable, Sendable {
    /// Its first moment and its duration, in asset time.
    var time: Time, duration: Time
    /// Decoding can begin at it.
    var isSync: Bool
}

/// The frames of each part of an output.
struct FrameScan {
    let source: SourceFile
    let track: Track
    /// The container time of asset time 0.
    let origin: Time
    /// Read samples to their ends also where the container's index has their times.
    var readsAll = false

    /// Longer outputs are not divided: their frames take too much memory.
    private static let mostFrames = 4_000_000

    /// The frames of each part in presentation order: from a sync sample before its start to the first ones after its end. Nil if
    /// some have no times, or there are too many.
    func frames(_ segments: Segments) throws(MediaError) -> [[SourceFrame]]? {
        var all: [[SourceFrame]] = []
        var count = 0
        for segment in segments.all {
            guard let frames = try frames(segment) else { return nil }
            count += frames.count
            guard count <= FrameScan.mostFrames else { return nil }
            all.append(frames)
        }
        return all
    }

    private func frames(_ segment: Segment) throws(MediaError) -> [SourceFrame]? {
        for back in LookBack.video {
            let reader = try TrackReader.open(
                source, track: track, origin: origin, at: segment.start, back: back)
            guard let frames = try read(reader, to: segment.end) else { return nil }
            // A wrong index leads past the start.
            let isLed = frames.contains { $0.isSync && $0.time <= segment.start }
            if isLed || reader.isFromBeginning { return frames }
        }
        return nil
    }

    private func read(_ reader: TrackReader, to end: Time?) throws(MediaError) -> [SourceFrame]? {
        let codec = track.videoCodec
        let (kind, packet) = try media(.decodeFailed, track: track.index) { () throws(LibavError) in
            let parameters = try CodecParameters(reader.demuxer, track: track.index)
            return (SampleKind(codec: track.codec, extradata: parameters.extradata), try Packet())
        }
        if !readsAll, needsHeadsOnly(reader) {
            reader.demuxer.omitContents(of: track.index, but: FrameScan.head)
        }
        let quiet = Diagnostics()
        var frames: [SourceFrame] = []
        while reader.read(into: packet, quiet) {
            if packet.isDiscarded || packet.isSecondField || codec.isNonShown(packet) { continue }
            guard let pts = packet.pts else {
                if frames.isEmpty, !reader.isFromBeginning { continue }
                return nil
            }
            // Frames before a sync sample that was sought are not decoded.
            if frames.isEmpty, !packet.isKey, !reader.isFromBeginning { continue }
            var isSync = false
            if packet.isKey {
                let access = kind.access(of: packet)
                isSync = access == .closed || access == .open
            }
            let time = time(pts)
            let stored = packet.duration
            let duration =
                stored > 0 ? track.timebase.time(ofTicks: stored) : track.usualLength(at: time)
            frames.append(SourceFrame(time: time, duration: duration, isSync: isSync))
            guard frames.count <= FrameScan.mostFrames else { return nil }
            if let end, let dts = packet.dts, self.time(dts) > end { break }
        }
        // Stable where two have one time: the first one stored is shown.
        return frames.enumerated().sorted {
            $0.element.time == $1.element.time
                ? $0.offset < $1.offset : $0.element.time < $1.element.time
        }.map(\.element)
    }

    /// The bytes of a sync sample in which its kind is found: parameter sets, messages, and the beginning of its first slice.
    private static let head: Int64 = 16 << 10

    /// Whether nothing here depends on what is in the samples but the kind of sync samples: frames are not stored as fields in samples
    /// of their own, and none is hidden.
    private func needsHeadsOnly(_ reader: TrackReader) -> Bool {
        guard track.videoCodec.isTimedByIndex,
            let parameters = try? CodecParameters(reader.demuxer, track: track.index)
        else { return false }
        return FieldPairing(codec: track.codec, extradata: parameters.extradata) == nil
    }

    private func time(_ ticks: Int64) -> Time { track.timebase.time(ofTicks: ticks) - origin }
}
