// Compares the audio tracks of a file with its source's: which belong to which, and whether there are any. Runs on
// the caller's queue; what two tracks have in common is AudioComparison's.
internal import Libav
internal import Media
internal import MediaTime
internal import Source

extension Comparison {
    func compareAudio(
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
