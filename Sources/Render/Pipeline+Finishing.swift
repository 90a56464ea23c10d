// Decisions that need all tracks of an output, and data written when its media is complete.
internal import Codecs
internal import Libav
internal import Media
internal import MediaTime
internal import Source

extension Pipeline {
    /// The size of an output, by kind of track.
    package func outcome(size: Int64) -> SizeLimit.Outcome {
        SizeLimit.Outcome(size: size, video: bytes[.video] ?? 0, audio: bytes[.audio] ?? 0)
    }

    /// Why there is no output: no lane has anything in the range.
    var nothing: MediaError {
        if plan.video == nil, plan.smartTrim == nil, plan.audio.contains(where: \.isCopied) {
            return MediaError(
                .operationNotSupported,
                "no audio packet begins in the range from \(plan.segments.start), and .\(plan.fileType.rawValue) can only be cut between packets",
                time: plan.segments.start,
                remedy: "choose a longer range, or a preset that encodes, such as m4a or flac")
        }
        return MediaError(
            .undecodableMediaData,
            "nothing in the range from \(plan.segments.start) to \(plan.segments.end.map { "\($0)" } ?? "the end") decodes",
            time: plan.segments.start,
            remedy: "choose another range; `trimctl probe` shows what the file holds")
    }

    /// Whether all that was written is audio that nobody hears, such as the packet that the next one needs.
    func holdsNothing(_ heads: [Head]) -> Bool {
        heads.allSatisfy { $0.result.kind == .audio && $0.end <= 0 }
    }

    /// Adds to the file what is known when all packets and the trailer are written.
    /// - Returns: what of the source was left out.
    func complete(
        _ heads: [Head], _ tracks: [TrackResult], _ descriptor: Int32
    ) throws(MediaError) -> [DroppedItem] {
        if plan.smartTrim?.hides == true, let length = plan.smartTrim?.outputEnd {
            // The muxer's edit list ends with the last sample; samples after the out point must stay hidden.
            let movie = EditListPatch(descriptor: descriptor)
            for head in heads where head.opening.track.kind == .video {
                let shown = min(length, head.timebase.time(ofTicks: head.end))
                try movie.setLength(ofTrack: head.output, to: shown)
            }
        }
        for head in heads where head.hidesEnd && head.result.kind == .audio {
            let shown = head.opening.timebase.time(ofTicks: head.end)
            try EditListPatch(descriptor: descriptor).setLength(
                ofTrack: head.output, to: shown, setsTimecode: false)
        }
        if plan.fileType.isMatroska { try finishMatroska(descriptor, heads) }
        let said = heads.reduce(into: [:]) {
            $0[$1.output] = labels(of: $1.opening, among: heads.map(\.opening))
        }
        return try plan.passthrough.finish(
            output: descriptor, tracks: tracks, labels: said, gapless: gapless(heads), clones: clones)
    }

    /// The playable range of an .m4a's audio.
    func gapless(_ heads: [Head]) -> GaplessNote? {
        guard plan.fileType.isAudio, plan.fileType.hasEditLists, heads.count == 1, let head = heads.first,
            AudioCodecs.named(head.result.codec).hasGaplessNote,
            case .encoded(let format) = head.opening.coding, format.frameSize > 0
        else { return nil }
        let coded = head.result.framesEncoded * Int64(format.frameSize)
        let priming = Int64(format.priming)
        return GaplessNote(priming: priming, padding: max(0, coded - priming - head.end), length: head.end)
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
        for head in delayed where head.hidesPriming { try edit.hidePriming(of: head.output) }
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

    /// Where the container stores no duration, readers assume that a frame is shown no longer than this.
    private static let usual = Time(1, 2)

    /// The result of a lane, with the end of its track.
    func result(_ head: Head) -> TrackResult {
        var result = head.result
        let end = head.opening.timebase.time(ofTicks: head.end)
        if result.kind == .video, !plan.fileType.hasEditLists {
            let last = head.opening.timebase.time(ofTicks: head.last)
            result.lastPicture = last
            if plan.fileType.isTransport, end - last > Pipeline.usual {
                diagnostics.warn(
                    Warning(
                        .lastPictureLength,
                        "the last frame is shown for \((end - last).seconds) s, which .\(plan.fileType.rawValue) cannot express",
                        time: plan.segments.source(last), track: result.source))
            }
        }
        let speed = plan.segments.speed
        if speed != Ratio(1) { result.speed = speed }
        guard plan.segments.all.count > 1 else {
            // Of several tracks, one that begins late has its place; one alone begins with its first sample.
            let isPlaced = plan.fileType.hasAudioTimes && !plan.fileType.holdsOneTrack
            let zero = isPlaced ? plan.segments.start : result.actual.start
            result.actual.end = zero + end.unplayed(at: speed)
            if result.kind == .video, let last = plan.smartTrim?.outputEnd, end > last {
                result.actual.end = result.actual.start + last
            }
            if let end = plan.segments.end, result.kind == .video, result.actual.end > end {
                result.actual.end = end
            }
            return result
        }
        let spans = plan.segments.all.filter { $0.at < end }.map { segment in
            let reached = segment.source(end)
            return TimeSpan(start: segment.start, end: segment.end.map { min($0, reached) } ?? reached)
        }
        result.ranges = spans
        // Parts may be in any order.
        result.actual.start = spans.dropFirst().map(\.start).reduce(result.actual.start, min)
        result.actual.end = spans.map(\.end).max() ?? result.actual.start
        return result
    }
}
