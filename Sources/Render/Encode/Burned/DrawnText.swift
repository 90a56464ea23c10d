// DrawnText: text subtitles as rectangles for frames. Confined to one thread.
internal import Libass
internal import Libav
internal import Media
internal import Source
internal import Text

/// Text events, drawn.
final class DrawnText: DrawnSubtitles {
    private let decoder: SubtitleDecoder
    private let renderer: TextRenderer
    private let fonts: [FontFile]
    /// The track that the text is of; nil: of a file.
    private let track: Int?
    private let diagnostics: Diagnostics
    private let matrix: String, transfer: String
    private var overlays: [FrameOverlay] = []
    private var missing: Set<Unicode.Scalar> = []
    private var replaced: Set<String> = []

    /// The text of a track or a file on frames of a size.
    init(
        _ decoder: SubtitleDecoder, track: Int?, width: Int, height: Int, colors: VideoFilterChain,
        attached: [FontFile], _ diagnostics: Diagnostics
    ) throws(MediaError) {
        let given = SubtitleFonts.all
        let unusable = SubtitleFonts.unusable
        guard let standard = given.first ?? attached.first else {
            let why = unusable.first.map { ": \($0)" } ?? ""
            throw MediaError(
                .operationNotSupported, "there is no font to draw the subtitles with\(why)",
                track: track,
                remedy: "install fonts-dejavu-core, or name font files under fonts in trimd.json")
        }
        for sentence in unusable {
            diagnostics.warn(
                Warning(.fontMissing, "\(sentence), and is left out; see fonts in trimd.json", track: track))
        }
        // The first is for styles whose fonts are missing.
        fonts = [standard] + attached + given.dropFirst()
        do throws(TextRendererError) {
            renderer = try TextRenderer(width: width, height: height, header: decoder.header, fonts: fonts)
        } catch { throw MediaError(.outOfMemory, "drawing subtitles: \(error)", track: track) }
        (matrix, transfer) = (colors.matrix, colors.transfer)
        (self.decoder, self.track, self.diagnostics) = (decoder, track, diagnostics)
    }

    func add(_ packet: Packet, from start: Int64, to end: Int64) {
        for line in decoder.lines(of: packet) {
            renderer.add(line, start: start, duration: max(1, end - start))
            warn(line)
        }
    }

    func removeAll() { renderer.removeEvents() }

    func overlays(at moment: Int64) -> [FrameOverlay] {
        let masks = renderer.masks(at: moment)
        warn(ofFonts: renderer.takeReplacedFonts())
        if let masks {
            overlays = masks.map { mask in
                FrameOverlay(
                    x: mask.x, y: mask.y, width: mask.width, height: mask.height,
                    opacity: mask.opacity == 255
                        ? mask.coverage
                        : mask.coverage.map { UInt8(Int($0) * Int(mask.opacity) / 255) },
                    colors: [
                        FrameColor(
                            red: mask.red, green: mask.green, blue: mask.blue, matrix: matrix,
                            transfer: transfer)
                    ])
            }
        }
        return overlays
    }

    /// Warns of fonts that another was drawn for, each once.
    private func warn(ofFonts families: [String]) {
        for family in families where replaced.insert(family).inserted {
            // FFmpeg makes styles for texts that have none, and nobody asked for their font.
            guard decoder.hasOwnStyles || !isInHeader(family) else { continue }
            let used = fonts.first?.families.first ?? "another font"
            diagnostics.warn(
                Warning(
                    .fontMissing,
                    "the font '\(family)' of the subtitles is missing, and they are drawn in \(used); name its file under fonts in trimd.json",
                    track: track))
        }
    }

    private func isInHeader(_ family: String) -> Bool {
        String(decoding: decoder.header, as: UTF8.self).contains(",\(family),")
    }

    /// Warns once of characters that no font has.
    private func warn(_ line: String) {
        let new = FontFile.missing(in: StyledLine.plain(line), from: fonts).filter { !missing.contains($0) }
        guard !new.isEmpty else { return }
        let isFirst = missing.isEmpty
        missing.formUnion(new)
        guard isFirst else { return }
        let names = new.prefix(8).map { "'\($0)' (U+\(String($0.value, radix: 16, uppercase: true)))" }
        diagnostics.warn(
            Warning(
                .glyphMissing,
                "no font has \(names.joined(separator: ", ")) of the subtitles, which are drawn as boxes; name a font with them under fonts in trimd.json",
                track: track))
    }
}
