// A contact sheet of a range: a heading, thumbnails with their times, the first and last frame of each part marked, and the audio
// waveform below; of audio alone, the waveform. Decodes as little as possible beyond what it shows.
public import Libav
public import Media
internal import MediaTime
internal import Source

/// A contact sheet as an image file.
public struct ContactSheet {
    private let source: SourceFile
    private let range: RangeRequest
    private let options: SheetOptions
    private let type: ImageType
    private let preview: PreviewRequest?

    /// A sheet of a range of a source.
    public init(
        _ source: SourceFile, _ range: RangeRequest, _ options: SheetOptions, type: ImageType,
        preview: PreviewRequest? = nil
    ) {
        self.source = source
        self.range = range
        self.options = options
        self.type = type
        self.preview = preview
    }

    /// Writes the image to a descriptor that is open for writing, from its beginning.
    public func run(output: Int32) throws(MediaError) -> SheetReport {
        let whole = try Probe.asset(of: source)
        let audio = TrackChoice.standard.tracks(of: whole.audioTracks).first { $0.isDecodable }
        // Audio that can be shown does not stand in for video that cannot.
        let main = whole.mainVideo == nil && audio != nil ? nil : try whole.shownVideo(of: source)
        let diagnostics = Diagnostics()
        let parts = try parts(whole, main, diagnostics)
        // Where the size changes, tiles have that of the frame in the middle.
        let middle = main.flatMap { _ in
            parts.first.map { $0.start + ($0.end - $0.start).multiplied(by: 1, over: 2) }
        }
        let (source, asset) = RangeFormat.of(
            middle.map { Segments(start: $0, end: $0 + Time(1, 1000)) }, source, whole)
        let video = try main.map { _ throws(MediaError) in try asset.shownVideo(of: source) }
        let facts = SheetFacts(name: source.name, asset: asset, video: video, audio: audio, parts: parts)
        let renderer = video.map { FrameRenderer(track: $0) }
        let shape = renderer?.size
        let isPortrait = shape.map { $0.height > $0.width } ?? false
        let plan = try video.map { track throws(MediaError) in
            try SheetPlan(
                parts, options, rate: track.video?.frameRate, usual: isPortrait ? .portrait : .landscape)
        }
        let layout = try SheetLayout(
            shape, tiles: plan?.moments.count ?? 0, columns: plan?.columns ?? 1, options,
            hasWave: audio != nil, widest: facts.clock(parts.last?.end ?? .zero), heading: facts.heading)
        var drawing = SheetDrawing(layout, facts)
        var tiles: [SheetReport.Tile] = []
        var decoded: Int64 = 0
        if let video, let plan, let renderer, let shape {
            let thumbnails = Thumbnails(source, video, origin: asset.start, diagnostics: diagnostics)
            let size = layout.size(shape)
            for (index, moment) in plan.moments.enumerated() {
                let shown = try thumbnails.frame(moment)
                let tile = SheetReport.Tile(requested: moment.time, actual: shown.time, mark: moment.mark)
                let image = try renderer.canvas(of: shown.frame, width: size.width, height: size.height)
                drawing.draw(image, tile, part: moment.part, at: index)
                tiles.append(tile)
            }
            decoded = thumbnails.decoded
        }
        let wave = audio.map {
            Waveform(
                parts, columns: layout.width - 2 * SheetLayout.gap, source: source, track: $0,
                origin: asset.start, diagnostics: diagnostics)
        }
        if let wave { drawing.draw(wave) }
        let bytes = try ImageFile.write(drawing.canvas, as: type, to: output)
        var report = SheetReport(
            ranges: parts, tiles: tiles, columns: plan?.columns ?? 1, width: layout.width,
            height: layout.height, hasWaveform: wave != nil, framesDecoded: decoded, bytes: bytes,
            warnings: diagnostics.warnings)
        report.peak = wave?.level
        report.preview = try preview.map { request throws(MediaError) in
            try PicturePreview.make(drawing.canvas, request)
        }
        return report
    }

    /// The range's parts, with known ends.
    private func parts(
        _ asset: Asset, _ video: Track?, _ diagnostics: Diagnostics
    ) throws(MediaError) -> [TimeSpan] {
        let resolved = try TimeResolution(asset: asset, source: source, diagnostics: diagnostics).range(range)
        let end = [asset.duration, video.map { ($0.start ?? .zero) + ($0.duration ?? .zero) }]
            .compactMap(\.self).max()
        return resolved.segments.all.map { segment in
            TimeSpan(
                start: segment.start,
                end: [segment.end, end].compactMap(\.self).filter { $0 > segment.start }.min()
                    ?? segment.start)
        }
    }
}
