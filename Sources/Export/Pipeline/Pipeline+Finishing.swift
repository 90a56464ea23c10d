// Decisions that need all tracks of an output, and data written when its media is complete.
internal import Libav
internal import Media
internal import MediaTime

extension Pipeline {
    /// The size of an output, by kind of track.
    func outcome(size: Int64) -> SizeLimit.Outcome {
        SizeLimit.Outcome(size: size, video: bytes[.video] ?? 0, sound: bytes[.audio] ?? 0)
    }

    /// The labels of a track among the others. One video and one audio track play by default: the source's first default,
    /// otherwise the first track; of text there are as many defaults as in the source.
    func labels(of opening: LaneOpening, among openings: [LaneOpening]) -> TrackLabels {
        var labels = plan.passthrough.labels(of: opening.track)
        let alike = openings.filter { $0.track.kind == opening.track.kind }.map(\.track)
        let one = alike.first { $0.dispositions.contains("default") } ?? alike.first
        labels.isDefault =
            opening.track.kind == .subtitle
            ? opening.track.dispositions.contains("default") : one?.index == opening.track.index
        return labels
    }

    /// Adds to a Matroska file what the muxer does not write: codec delays, and the index before the media.
    func finishMatroska(_ descriptor: Int32, _ heads: [Head]) throws(MediaError) {
        let delayed = heads.filter { $0.delay > 0 }
        let tags = heads.compactMap { head in
            plan.passthrough.labels(of: head.opening.track).languageTag.map { ($0, head.output) }
        }
        guard plan.putsIndexFirst || !delayed.isEmpty || !tags.isEmpty else { return }
        guard var edit = MatroskaEdit(SourceFile(descriptor: descriptor, name: "the output")) else {
            throw MediaError(.encodeFailed, "the Matroska file that was written has no head that can be read")
        }
        edit.putsIndexFirst = plan.putsIndexFirst
        let ends = heads.map { $0.opening.timebase.time(ofTicks: $0.end) }
        for (head, end) in zip(heads, ends) where head.delay > 0 {
            let delay = head.opening.timebase.rescale(
                head.delay, to: .nanoseconds, rounding: .halfAwayFromZero)
            // FFmpeg's muxer writes it only for Opus, always as if at 48 kHz, and counts it into the duration of the file.
            edit.setCodecDelay(UInt64(delay), of: head.output)
            edit.setLength(end, of: head.output)
        }
        if !delayed.isEmpty, let last = ends.max() { edit.setLength(last) }
        for (tag, output) in tags { edit.setLanguage(tag, of: output) }
        try edit.write()
    }
}
