// Checks that an output's audio begins at the in point. Measures it as `verify` does, before an export is reported as completed:
// samples that an encoder or container inserts before the first one show here. Of copied audio, packets and their times tell it
// without decoding. Runs on the exporting thread, on the output's
// descriptor.
package import Libav
package import Media
internal import MediaTime
package import Render
package import Source

/// Checks where an output's audio begins.
package struct AudioStartCheck {
    let source: SourceFile
    let output: ProbedFile
    let plan: ExportPlan
    let asset: Asset

    /// Creates a value of its parts.
    package init(source: SourceFile, output: ProbedFile, plan: ExportPlan, asset: Asset) {
        (self.source, self.output, self.plan, self.asset) = (source, output, plan, asset)
    }

    /// Audio that correlates this well elsewhere, and less than half as well at the expected position, is misplaced; anything
    /// else is inconclusive. White noise in AAC at 192 kbit/s keeps a correlation of 0.55.
    private static let alike = 0.4
    /// No correlation is more than twice this one, so none elsewhere can be evidence against it. A little more than a half, for the
    /// rounding of the search.
    private static let expected = 0.51

    /// Throws if encoded audio begins at another time; warns for copied audio.
    package func run(_ tracks: [TrackResult], _ diagnostics: Diagnostics) throws(MediaError) {
        let audioTracks = tracks.filter { $0.kind == .audio }
        guard !audioTracks.isEmpty else { return }
        let headers = audioTracks.contains { $0.way == .copy } ? try output.headers() : nil
        for result in audioTracks {
            if result.way == .copy, let headers,
                comparison(of: result, in: headers)?.beginsWithSourcePackets == true
            {
                continue
            }
            let made = try result.way == .encode ? output.headers() : output.asset()
            guard let comparison = comparison(of: result, in: made) else { continue }
            let track = comparison.track
            guard let found = try comparison.lagAtStart(unlessExpected: Self.expected),
                abs(found.lag) > found.slack,
                found.likeness > Self.alike, found.likenessExpected < found.likeness / 2
            else { continue }
            let rate = track.audio?.sampleRate ?? 48_000
            let known = plan.fileType.hasAudioTimes ? lead(tracks, of: made) : result.remainder ?? .zero
            let reported = Int((known.seconds * Double(rate)).rounded())
            // Only of audio that seems misplaced are the times looked at.
            let start = plan.segments.start
            let rounding = try AudioTimeRounding(source: source, track: track, origin: asset.start).samples(
                from: start, to: start)
            guard abs(found.lag + reported) > found.slack + rounding else { continue }
            let what =
                "the audio of track \(track.index) is \(abs(found.lag)) samples too \(found.lag > 0 ? "late" : "early") (at \(rate) Hz)"
            guard result.way == .copy else {
                throw MediaError(
                    .verificationFailed, "the output was written, and checking it failed: \(what)",
                    time: plan.segments.start, track: track.index,
                    remedy: "this is a fault of trimd; the output was removed")
            }
            diagnostics.warn(
                Warning(
                    .audioOffset, "\(what); copied unchanged from the source",
                    time: plan.segments.start, track: track.index))
        }
    }

    /// A comparison of one track; nil if the source or the output has none that can be decoded.
    private func comparison(of result: TrackResult, in made: Asset) -> AudioComparison? {
        guard let track = asset.tracks.first(where: { $0.index == result.source }), track.isDecodable,
            let own = made.tracks.first(where: { $0.index == result.index }), own.isDecodable
        else { return nil }
        return AudioComparison(
            source: source, output: output.file, track: track, made: own.placed(in: made),
            origin: asset.start, zero: Comparison.zero(of: made), segments: plan.segments,
            end: asset.end(of: track))
    }

    /// How much later than the in point the output's 0 is. Files without a zero time begin with their earliest track: where that
    /// one begins after the in point, as its result says, the whole file is early by that much.
    private func lead(_ tracks: [TrackResult], of made: Asset) -> Time {
        guard !Comparison.hasZero(made), let first = tracks.map(\.actual.start).min() else { return .zero }
        return max(.zero, first - plan.segments.start)
    }
}
