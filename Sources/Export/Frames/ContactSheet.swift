// A contact sheet of a range: thumbnails with their times, the first and last frame of each part marked, and the audio waveform
// below. Decodes as little as possible beyond what it shows.
public import Libav
public import Media
internal import MediaTime

/// A contact sheet as an image file.
public struct ContactSheet {
    private let source: SourceFile
    private let range: RangeRequest
    private let columns: Int?, rows: Int?
    private let width: Int
    private let type: ImageType

    /// Pixels between thumbnails and around the sheet.
    private static let gap = 8
    /// Height of the waveform in pixels.
    private static let wave = 72

    /// A sheet of a range of a source; columns, rows and thumbnail width in pixels are optional.
    public init(
        _ source: SourceFile, _ range: RangeRequest, columns: Int?, rows: Int?, width: Int?, type: ImageType
    ) {
        self.source = source
        self.range = range
        self.columns = columns
        self.rows = rows
        self.width = width ?? 240
        self.type = type
    }

    /// Writes the image to a descriptor that is open for writing, from its beginning.
    public func run(output: Int32) throws(MediaError) -> SheetReport {
        let asset = try Probe.asset(of: source)
        let track = try asset.shownVideo(of: source)
        let diagnostics = Diagnostics()
        let resolved = try TimeResolution(asset: asset, source: source, diagnostics: diagnostics).range(range)
        let end = [asset.duration, (track.start ?? .zero) + (track.duration ?? .zero)].compactMap(\.self)
            .max()
        let parts = resolved.segments.all.map { segment in
            TimeSpan(
                start: segment.start,
                end: [segment.end, end].compactMap(\.self).filter { $0 > segment.start }.min()
                    ?? segment.start)
        }
        let plan = try SheetPlan(parts, columns: columns, rows: rows, rate: track.video?.frameRate)
        let renderer = FrameRenderer(track: track)
        let whole = renderer.size
        let height = max(1, Int((Double(width) * Double(whole.height) / Double(whole.width)).rounded()))
        // Portrait video gets square boxes.
        let size = height <= width ? (width, height) : (max(1, width * width / height), width)
        let thumbnails = Thumbnails(source, track, origin: asset.start, diagnostics: diagnostics)
        var tiles: [SheetReport.Tile] = []
        var images: [Canvas] = []
        for moment in plan.moments {
            let shown = try thumbnails.frame(moment)
            images.append(try renderer.canvas(of: shown.frame, width: size.0, height: size.1))
            tiles.append(
                SheetReport.Tile(requested: moment.time, actual: shown.time, mark: moment.mark))
        }
        let audio = TrackChoice.standard.tracks(of: asset.audioTracks).first { $0.isDecodable }
        let inner = plan.columns * (width + ContactSheet.gap) - ContactSheet.gap
        let wave = audio.map {
            Waveform(
                parts, columns: inner, source: source, track: $0, origin: asset.start,
                diagnostics: diagnostics)
        }
        let sheet = draw(tiles, images, plan, parts, wave)
        let bytes = try ImageFile.write(sheet, as: type, to: output)
        return SheetReport(
            ranges: parts, tiles: tiles, columns: plan.columns, width: sheet.width, height: sheet.height,
            hasWaveform: wave != nil, framesDecoded: thumbnails.decoded, bytes: bytes,
            warnings: diagnostics.warnings)
    }

    // MARK: Drawing

    private func draw(
        _ tiles: [SheetReport.Tile], _ images: [Canvas], _ plan: SheetPlan, _ parts: [TimeSpan],
        _ wave: Waveform?
    ) -> Canvas {
        let gap = ContactSheet.gap
        let box = images.map(\.height).max() ?? width
        let letters = width >= 160 ? 2 : 1
        let label = Lettering.height * letters + gap
        let rows = (tiles.count + plan.columns - 1) / plan.columns
        let inner = plan.columns * (width + gap) - gap
        let top = gap + rows * (box + label + gap)
        var sheet = Canvas(
            width: inner + 2 * gap, height: top + (wave == nil ? 0 : ContactSheet.wave + label + gap))
        for (index, (tile, image)) in zip(tiles, images).enumerated() {
            let left = gap + index % plan.columns * (width + gap)
            let above = gap + index / plan.columns * (box + label + gap)
            let (x, y) = (left + (width - image.width) / 2, above + (box - image.height) / 2)
            sheet.draw(image, left: x, top: y)
            let words = tile.actual.clock()
            let color = tile.mark.map(ContactSheet.color) ?? .quiet
            sheet.write(
                words, left: left + (width - Lettering.width(of: words, size: letters)) / 2,
                top: above + box + gap / 2 + 1, size: letters, color)
            guard let mark = tile.mark else { continue }
            sheet.frame(x, y, image.width, image.height, thick: 3, color)
            let name = mark.rawValue
            // At the bottom: burned-in text is often at the top.
            let tab = Lettering.height * letters + 8
            let foot = y + image.height - tab
            sheet.fill(x, foot, Lettering.width(of: name, size: letters) + 10, tab, color)
            sheet.write(name, left: x + 5, top: foot + 4, size: letters, .black)
        }
        if let wave { draw(wave, parts, on: &sheet, top: top, letters: letters) }
        return sheet
    }

    private func draw(
        _ wave: Waveform, _ parts: [TimeSpan], on sheet: inout Canvas, top: Int, letters: Int
    ) {
        let (gap, high) = (ContactSheet.gap, ContactSheet.wave)
        let inner = sheet.width - 2 * gap
        sheet.fill(gap, top, inner, high, .black)
        for (column, peak) in wave.peaks.enumerated() {
            let length = max(1, Int(Double(min(1, peak)) * Double(high)))
            sheet.fill(gap + column, top + (high - length) / 2, 1, length, .wave)
        }
        let total = parts.reduce(0.0) { $0 + ($1.end - $1.start).seconds }
        var before = 0.0
        for part in parts {
            let length = (part.end - part.start).seconds
            let left = gap + Int(before / max(total, 1e-9) * Double(inner))
            before += length
            let right = gap + Int(before / max(total, 1e-9) * Double(inner))
            sheet.fill(left, top, 2, high, ContactSheet.color(.start))
            sheet.fill(right - 2, top, 2, high, ContactSheet.color(.end))
            let (first, last) = (part.start.clock(), part.end.clock())
            let room = right - left
            let wide = { (text: String) in Lettering.width(of: text, size: letters) }
            let below = top + high + gap / 2 + 1
            if wide(first) + wide(last) + 12 <= room {
                sheet.write(last, left: right - wide(last), top: below, size: letters, .quiet)
            }
            if wide(first) <= room { sheet.write(first, left: left, top: below, size: letters, .quiet) }
        }
    }

    private static func color(_ mark: SheetReport.Tile.Mark) -> Canvas.Color {
        mark == .start ? .green : .red
    }
}
