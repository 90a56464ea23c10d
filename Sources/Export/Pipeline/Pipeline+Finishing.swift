// What of an output is decided with all its tracks in hand, and what is written when its media is complete.
internal import Libav
internal import Media
internal import MediaTime

extension Pipeline {
    /// How large an output came out, and what of it is of which kind.
    func outcome(size: Int64) -> SizeLimit.Outcome {
        SizeLimit.Outcome(size: size, video: bytes[.video] ?? 0, sound: bytes[.audio] ?? 0)
    }

    /// The labels of a track among the others. Of pictures and sound one is played where nobody chooses: the first that the
    /// source has so, else the first; of text there are as many as the source has.
    func labels(of opening: LaneOpening, among openings: [LaneOpening]) -> TrackLabels {
        var labels = plan.passthrough.labels(of: opening.track)
        let alike = openings.filter { $0.track.kind == opening.track.kind }.map(\.track)
        let one = alike.first { $0.dispositions.contains("default") } ?? alike.first
        labels.isDefault =
            opening.track.kind == .subtitle
            ? opening.track.dispositions.contains("default") : one?.index == opening.track.index
        return labels
    }

    /// Puts into a Matroska file what the muxer does not write: how long the codecs' delays are, and the index before the media.
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
            // FFmpeg's muxer writes it of Opus alone, and as if all of it were of 48 kHz; it counts it into the length of all.
            edit.setCodecDelay(UInt64(delay), of: head.output)
            edit.setLength(end, of: head.output)
        }
        if !delayed.isEmpty, let last = ends.max() { edit.setLength(last) }
        for (tag, output) in tags { edit.setLanguage(tag, of: output) }
        try edit.write()
    }
}
