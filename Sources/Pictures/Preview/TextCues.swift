// The events of a subtitle track in a part of an asset, as plain text, for a player that shows them itself. Owns its demuxer and decoder;
// runs on the caller's queue. Styles and positions are left out, and pictures are not read.
public import Libav
public import Media
public import MediaTime
internal import Render
internal import Source

/// Reads a track's text.
public struct TextCues {
    private let source: SourceFile
    private let track: Int
    private let start: TimeSpelling?, end: TimeSpelling?

    /// The most bytes of a report's events as JSON, so that it fits a line of the protocol.
    static let most = 600 << 10
    /// The most characters of an event.
    private static let longest = 4000
    /// Bytes of an event's times as JSON.
    private static let overhead = 240

    /// The text of a track in a part of a source; nil: from the asset's start, to its end.
    public init(_ source: SourceFile, track: Int, from start: TimeSpelling?, to end: TimeSpelling?) {
        self.source = source
        self.track = track
        self.start = start
        self.end = end
    }

    /// Reads.
    public func run() throws(MediaError) -> CuesReport {
        let asset = try Probe.asset(of: source)
        let chosen = try text(of: asset)
        let diagnostics = Diagnostics()
        let resolution = TimeResolution(asset: asset, source: source, diagnostics: diagnostics)
        let from = try start.map { time throws(MediaError) in try resolution.resolve(time, as: "start") }
        let to = try end.map { time throws(MediaError) in try resolution.resolve(time, as: "end") }
        let length = asset.duration ?? .positiveInfinity
        let span = TimeSpan(start: from ?? .zero, end: min(to ?? length, length))
        guard span.start < span.end else {
            throw MediaError(
                .invalidTime, "the start \(span.start.clock()) is not before the end (\(span.end.clock()))",
                time: span.start, remedy: "choose an earlier start")
        }
        return try read(chosen, span, origin: asset.start, diagnostics)
    }

    /// The track, if its events are text that can be read.
    private func text(of asset: Asset) throws(MediaError) -> Track {
        let chosen = try asset.subtitles(track, of: source, named: "text tracks", where: TextPlan.isText)
        guard TextPlan.isText(chosen) else {
            throw MediaError(
                .operationNotSupported,
                "the subtitles of track \(track) are pictures (\(chosen.codec)), not text", track: track,
                remedy: "export with --burn-subtitles \(track) to see them on the frames")
        }
        return chosen
    }

    private func read(
        _ track: Track, _ span: TimeSpan, origin: Time, _ diagnostics: Diagnostics
    ) throws(MediaError) -> CuesReport {
        // A movie's index finds the sample shown at a time.
        let hasIndex = track.codecTag != nil && track.samples != nil
        let reader = try TrackReader.open(
            source, track: track, origin: origin, at: span.start,
            back: hasIndex ? .zero : PreviewSubtitles.lookBack)
        let decoder = try media(.decodeFailed, track: track.index) { () throws(LibavError) in
            try SubtitleDecoder(
                try CodecParameters(reader.demuxer, track: track.index), timebase: track.timebase)
        }
        func time(_ ticks: Int64) -> Time { track.timebase.time(ofTicks: ticks) - origin }
        var report = CuesReport(track: track.index, range: span, cues: [], warnings: [])
        var room = TextCues.most
        /// Adds an event; false: there is no room for it.
        func add(_ start: Time, _ end: Time, _ text: String) -> Bool {
            guard end > span.start, start < span.end, end > start, !text.isEmpty else { return true }
            room -= text.utf8.count * 2 + TextCues.overhead
            if room >= 0 { report.cues.append(CuesReport.Cue(start: start, end: end, text: text)) }
            return room >= 0
        }
        // An event without a duration is shown until the next one.
        var waiting: (start: Time, text: String)?
        while true {
            let packet = try media(.outOfMemory) { () throws(LibavError) in try Packet() }
            guard reader.read(into: packet, diagnostics) else { break }
            guard let pts = packet.pts else { continue }
            let start = time(pts)
            if let known = waiting {
                waiting = nil
                _ = add(known.start, start, known.text)
            }
            if start >= span.end { break }
            let text = decoder.lines(of: packet).map(StyledLine.shown).filter { !$0.isEmpty }
                .joined(separator: "\n")
            let cut = String(text.prefix(TextCues.longest))
            guard packet.duration > 0 else {
                waiting = (start, cut)
                continue
            }
            guard add(start, time(pts &+ packet.duration), cut) else {
                // The caller goes on from here, and gets what is still shown then. Of more at one moment the rest is left out.
                guard start > span.start else { continue }
                report.range.end = start
                break
            }
        }
        if let waiting { _ = add(waiting.start, span.end, waiting.text) }
        report.cues.sort { $0.start < $1.start }
        report.warnings = diagnostics.warnings
        return report
    }
}
