// Checks whether a file is exactly a part of another. Decodes both and checks frames, times, audio and errors against the rules
// of an export, whatever program made the file. Trusts only the file's list of tracks.
public import Libav
public import Media
internal import MediaTime
internal import Pictures
internal import Source
internal import Text

/// The comparison of a file with its source.
public struct Comparison {
    let source: SourceFile, output: SourceFile
    private let range: RangeRequest
    private let options: ExportOptions

    /// Compares `output` with a range of `source`.
    /// - Parameter options: the crop, the rotation and the like that the output was made with.
    public init(
        _ source: SourceFile, _ output: SourceFile, _ range: RangeRequest,
        options: ExportOptions = ExportOptions()
    ) {
        self.options = options
        self.source = source
        self.output = output
        self.range = range
    }

    /// Runs the comparison; a requested image is written to a descriptor that is open for writing, from its beginning.
    public func run(
        picture: (descriptor: Int32, type: ImageType)?, preview: PreviewRequest? = nil
    ) throws(MediaError) -> ComparisonReport {
        let whole = try Probe.asset(of: source)
        let made = try Probe.asset(of: output)
        for (asset, name) in [(whole, source.name), (made, output.name)] {
            guard !asset.tracks.contains(where: { $0.isProtected }) else {
                throw MediaError(
                    .contentIsProtected, "\(name) is encrypted",
                    remedy: "only unencrypted files can be compared")
            }
        }
        let diagnostics = Diagnostics()
        let resolved = try TimeResolution(asset: whole, source: source, diagnostics: diagnostics).range(
            range, speed: options.speed ?? Ratio(1))
        let segments = resolved.segments
        let (_, asset) = RangeFormat.of(segments, source, whole)
        var report = ComparisonReport(
            ranges: segments.all.map {
                TimeSpan(start: $0.start, end: $0.end ?? asset.duration ?? $0.start)
            })
        let zero = Comparison.zero(of: made)
        try compareAudio(asset, made, segments, zero, &report, diagnostics)
        let joins = try compareVideo(
            asset, made, resolved, zero, isDrawn: picture != nil, &report, diagnostics)
        if report.decodeErrors > 0 {
            report.findings.append(
                ComparisonReport.Finding(
                    "decodeErrors", "\(quantity(report.decodeErrors, "error")) while the output was decoded"))
        }
        guard report.video != nil || !report.audio.isEmpty || !report.findings.isEmpty else {
            throw MediaError(
                .noSourceTrack, "there is nothing to compare: no track of \(source.name) can be decoded")
        }
        report.exact = report.findings.isEmpty
        report.warnings = diagnostics.warnings
        guard let picture, let joins else { return report }
        let canvas = joins.canvas(report, source: source.name, output: output.name)
        _ = try ImageFile.write(canvas, as: picture.type, to: picture.descriptor)
        (report.pictureWidth, report.pictureHeight) = (canvas.width, canvas.height)
        report.preview = try preview.map { request throws(MediaError) in
            try PicturePreview.make(canvas, request)
        }
        return report
    }

    /// The container time of a file's 0: movies and Matroska define one, other containers begin at any time.
    static func zero(of made: Asset) -> Time { hasZero(made) ? .zero : made.start }

    /// Whether a file defines its 0, so that all its tracks may begin later.
    static func hasZero(_ made: Asset) -> Bool {
        made.container.isISOMedia || made.container.format.contains("matroska")
    }

    /// Whether a file is a GIF: it holds no audio, and all are decoded with an alpha channel, also those that show none.
    private static func isGIF(_ made: Asset) -> Bool { made.container.format == "gif" }

    // MARK: Video

    /// Returns the image of the joins, if it is to be drawn.
    private func compareVideo(
        _ asset: Asset, _ made: Asset, _ range: ResolvedRange, _ zero: Time, isDrawn: Bool,
        _ report: inout ComparisonReport, _ diagnostics: Diagnostics
    ) throws(MediaError) -> JoinImage? {
        let segments = range.segments
        guard let main = asset.mainVideo, main.isDecodable, shows(main, segments) else {
            if isDrawn { throw undrawn("the source has no video there") }
            return nil
        }
        guard let found = made.mainVideo?.opaque(where: Comparison.isGIF(made)), found.isDecodable else {
            if isDrawn { throw undrawn("\(output.name) has no video") }
            // Only audio was requested where the file type holds nothing else.
            let type = output.name.split(separator: ".").last.flatMap { FileType(rawValue: $0.lowercased()) }
            guard type?.isAudio == true, !report.audio.isEmpty else {
                report.findings.append(
                    ComparisonReport.Finding(
                        "noVideo", "the source has video there, and the output has none"))
                return nil
            }
            diagnostics.warn(
                Warning(.soundOnly, "the output is audio only; only the audio was compared"))
            return nil
        }
        let track = main.compared(with: found)
        // Rounding may cost one tick of each file.
        let slack = track.timebase.time(ofTicks: 1) + found.timebase.time(ofTicks: 1)
        let cadence = try cadence(asset, track, made, found, range, zero: zero, slack: slack, diagnostics)
        let isISOMedia = made.container.isISOMedia
        let usual = found.video?.frameRate?.reciprocal.map {
            Time($0.numerator, Int32(clamping: $0.denominator))
        }
        // Only movies store the duration of the last frame; a lower rate moves the end by less than a frame.
        let endSlack = isISOMedia && cadence == .all ? slack : (usual ?? Time(1, 10)) + slack
        var comparison = VideoComparison(
            ComparisonReport.Video(source: track.index, output: found.index, every: cadence.count),
            slack: slack,
            endSlack: endSlack, storesLastLength: isISOMedia)
        let wanted = FrameStream.expected(
            source, track, origin: asset.start, segments, cadence: cadence, edit: edit,
            splitsFields: options.deinterlace == .field, diagnostics: diagnostics)
        // The edit list defines the end of a movie's last frame, whatever its own duration.
        let ends =
            isISOMedia && found.edits != nil
            ? found.duration.map { made.start + (found.start ?? .zero) + $0 - zero } : nil
        let got = FrameStream.found(output, found, zero: zero, until: ends, diagnostics: Diagnostics())
        defer {
            wanted.abandon()
            got.abandon()
        }
        var joinImage = isDrawn ? JoinImage(source: track, output: found, edit: edit) : nil
        var last: VideoComparison.Pair?
        try comparison.run(wanted, got) { pair throws(MediaError) in
            guard joinImage != nil else { return }
            if pair.fault != nil { try joinImage?.add(fault: pair) }
            if last?.expected.part != pair.expected.part {
                if let last { try joinImage?.add("join: out", last) }
                try joinImage?.add(last == nil ? "first" : "join: in", pair)
            }
            last = pair
        }
        if let last { try joinImage?.add("last", last) }
        report.video = comparison.result
        report.findings += comparison.findings
        report.decodeErrors += got.damaged
        checkShape(track, found, &report)
        return joinImage
    }

    private var edit: FrameEdit { FrameEdit(options) }

    private func undrawn(_ why: String) -> MediaError {
        MediaError(.noSourceTrack, "cannot draw the joins: \(why)", remedy: "leave --picture out")
    }

    /// Whether some frames of the track are in the range.
    private func shows(_ track: Track, _ segments: Segments) -> Bool {
        guard let duration = track.duration else { return true }
        let start = track.start ?? .zero
        return segments.all.contains {
            $0.start < start + duration && $0.end.map { $0 > start } ?? true
        }
    }

    /// Which of the source's frames the output should have: not all, where its rate was lowered.
    private func cadence(
        _ asset: Asset, _ track: Track, _ made: Asset, _ found: Track, _ range: ResolvedRange, zero: Time,
        slack: Time, _ diagnostics: Diagnostics
    ) throws(MediaError) -> FrameCadence {
        // In times of the source.
        let speed = range.segments.speed
        guard let rate = track.video?.frameRate?.multiplied(by: speed), let lower = found.video?.frameRate,
            lower < rate || track.video?.isVariable == true
        else { return .all }
        let reading = TimeResolution(asset: asset, source: source, diagnostics: Diagnostics())
        let times = try reading.ticks(track, range).map { track.timebase.time(ofTicks: $0) }
        let shown = TimeResolution(asset: made, source: output, diagnostics: Diagnostics()).times(found)
            .map { $0 + made.start - zero }
        guard let step = LoweredRate.shortest(of: times),
            let kept = LoweredRate.shortest(
                of: shown, begins: range.segments.all.map(\.at) + shown.prefix(1), slack: slack
            )?.unplayed(at: speed)
        else { return .all }
        let parts = range.segments.all.map { segment in
            let inside = times.map { $0 - asset.start }.filter { time in
                segment.end.map { time < $0 } ?? true
            }
            // The frame on screen at the start of the part is its first one.
            let first = inside.lastIndex { $0 <= segment.start } ?? 0
            return inside.dropFirst(first).map {
                LoweredRate.Place(shown: max(segment.at, segment.output($0)), begin: $0)
            }
        }
        let rounding = min(track.timebase.time(ofTicks: 1), step.multiplied(by: 1, over: 4))
        let cadence = LoweredRate(
            timing: try reading.timing(track, range), step: step, kept: kept,
            slack: (rounding + found.timebase.time(ofTicks: 1)).unplayed(at: speed), parts: parts,
            shown: shown
        ).cadence
        let what =
            switch cadence {
            case .steady(.all): ""
            case .steady(.every(let n)):
                "has one in \(n) of the source's frames (\(lower) of \(rate) a second)"
            case .steady(.intervals):
                "lacks the frames that a cap leaves out (\(lower.rounded) of \(rate.rounded) a second)"
            case .apart(let gap):
                "keeps frames that are at least \(gap.clock()) apart (\(lower) of \(rate) a second)"
            }
        if cadence != .all {
            diagnostics.warn(Warning(.rateLowered, "the output \(what); it was compared with those"))
        }
        return cadence
    }

    private func checkShape(_ track: Track, _ found: Track, _ report: inout ComparisonReport) {
        let (wanted, has) = (FrameRenderer(track: track, edit: edit).size, FrameRenderer(track: found).size)
        let ratio =
            Double(has.width) / Double(has.height) / (Double(wanted.width) / Double(wanted.height))
        guard abs(ratio - 1) > 0.02 else { return }
        report.findings.append(
            ComparisonReport.Finding(
                "shape",
                "the video is shown as \(wanted.width)x\(wanted.height), and the output's as \(has.width)x\(has.height)",
                track: found.index))
    }
}

extension Track {
    /// This track without its alpha channel, if so.
    func opaque(where isOpaque: Bool) -> Track {
        guard isOpaque else { return self }
        var opaque = self
        opaque.video?.hasAlpha = false
        return opaque
    }

    /// This track, without its clean aperture if the output stores whole frames: copied frames are not cropped.
    fileprivate func compared(with output: Track) -> Track {
        guard let shape = video, shape.crop != nil, let stored = output.video, stored.crop == nil,
            stored.width == shape.width, stored.height == shape.height
        else { return self }
        var whole = self
        whole.video?.crop = nil
        return whole
    }
}

extension Asset {
    /// Where a track ends, in asset time: from the track, otherwise from the asset; nil if neither says.
    func end(of track: Track) -> Time? {
        track.duration.map { (track.start ?? .zero) + $0 } ?? duration
    }
}

// Compares the audio tracks of a file with its source's: which belong to which, and whether there are any. Runs on
// the caller's queue; what two tracks have in common is AudioComparison's.
extension Comparison {
    private func compareAudio(
        _ asset: Asset, _ made: Asset, _ segments: Segments, _ zero: Time, _ report: inout ComparisonReport,
        _ diagnostics: Diagnostics
    ) throws(MediaError) {
        let found = made.audioTracks.filter(\.isDecodable)
        let all = asset.audioTracks.filter(\.isDecodable)
        let mainTracks = TrackChoice.standard.tracks(of: asset.audioTracks).filter(\.isDecodable)
        // With as many tracks, they are in the same order; with fewer, their identity is unknown.
        let pairs = found.count == all.count ? zip(all, found) : zip(mainTracks, Array(found.prefix(1)))
        if found.count != all.count, found.count > 1 || all.count > 1, !found.isEmpty {
            diagnostics.warn(
                Warning(
                    .audioTracks,
                    "the source has \(all.count) audio tracks and the output \(found.count); only the main ones were compared"
                ))
        }
        for (track, own) in pairs {
            let comparison = AudioComparison(
                source: source, output: output, track: track, made: own.placed(in: made),
                origin: asset.start, zero: zero, segments: segments, end: end(of: track, in: asset))
            var outcome = try comparison.run()
            // Audio at another place, or other audio, is wrong in every channel.
            if outcome.findings.isEmpty { try comparison.compareChannels(&outcome, diagnostics) }
            report.audio.append(outcome.result)
            report.findings += outcome.findings
            report.decodeErrors += outcome.damaged
        }
        // A GIF holds none.
        if found.isEmpty, !Comparison.isGIF(made), let track = mainTracks.first,
            hasAudio(track, segments, asset)
        {
            report.findings.append(
                ComparisonReport.Finding("noAudio", "the source has audio there, and the output has none"))
        }
    }

    /// Where the source's track ends. A container that says only when all of it ends may hold text that outlasts the audio.
    private func end(of track: Track, in asset: Asset) -> Time? {
        MediaEnd.of(track, asset, source) ?? asset.duration
    }

    /// Whether more than a packet or two of the track is in the range.
    private func hasAudio(_ track: Track, _ segments: Segments, _ asset: Asset) -> Bool {
        let last = end(of: track, in: asset)
        return segments.all.contains { part in
            [part.end, last].compactMap(\.self).min().map { $0 - part.start > Time(1, 20) } ?? true
        }
    }
}

extension Track {
    /// The track with its start counted from the file's 0, and not from the first moment of the file's tracks.
    func placed(in made: Asset) -> Track {
        var placed = self
        placed.start = (start ?? .zero) + made.start - Comparison.zero(of: made)
        return placed
    }
}
