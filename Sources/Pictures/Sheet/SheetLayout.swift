// Where everything on a contact sheet is. Pure.
internal import Media

/// The layout of a contact sheet, in pixels.
struct SheetLayout {
    /// Between thumbnails and around the sheet.
    static let gap = 8
    /// The size of the whole sheet, of its thumbnails, and the height of the waveform.
    let width: Int, height: Int
    let cell: (width: Int, height: Int)
    let wave: Int
    let columns: Int, rows: Int
    let heading: PictureHeading
    /// The size of labels, in pixels per em.
    let label: Double

    /// Thumbnails are at most so many times as high as wide, and sheets have at most so many pixels: they are drawn in memory.
    private static let slimmest = 4, mostPixels = 120_000_000
    /// The longer side of a thumbnail where nobody asks for another, and the smallest width that is drawn.
    private static let usual = 240, least = 32
    /// Height of the waveform below thumbnails, and by itself.
    private static let waves = (below: 72, alone: 240)

    /// - Parameters:
    ///   - shape: the film's displayed size; nil: there is audio alone.
    ///   - widest: the widest label, which must fit a thumbnail.
    ///   - heading: the heading for a width.
    init(
        _ shape: (width: Int, height: Int)?, tiles: Int, columns: Int, _ options: SheetOptions, hasWave: Bool,
        widest: String, heading: (_ width: Int) -> PictureHeading
    ) throws(MediaError) {
        let gap = SheetLayout.gap
        let columns = shape == nil ? SheetPlan.Grid.landscape.columns : columns
        let usual = shape.map { SheetLayout.usual(width: $0.width, height: $0.height) } ?? SheetLayout.usual
        let room = options.sheetWidth.map { ($0 - gap) / columns - gap }
        let widest = Widest(text: widest)
        func made(_ width: Int) -> SheetLayout {
            // A sheet is as wide as it was asked for, unless its height decides.
            let isAsked = width == room
            return SheetLayout(
                shape, tiles: tiles, columns: columns, cell: width,
                sheet: isAsked ? options.sheetWidth : nil, hasWave: hasWave, widest: widest, heading: heading)
        }
        var width = options.width ?? room ?? usual
        if let most = options.sheetHeight {
            var (low, high) = (0, width)
            while low < high {
                let middle = (low + high + 1) / 2
                if made(middle).height <= most { low = middle } else { high = middle - 1 }
            }
            width = low
        }
        guard width >= SheetLayout.least else {
            let size = "\(options.sheetWidth ?? 0)" + (options.sheetHeight.map { "x\($0)" } ?? "")
            throw MediaError(
                .invalidRequest, "\(tiles) thumbnails do not fit on a sheet of \(size)",
                remedy: "give a larger --size, or fewer --columns or --rows")
        }
        self = made(width)
        guard self.width * height <= SheetLayout.mostPixels else {
            throw MediaError(
                .limitReached,
                "the sheet would have \(self.width)x\(height) pixels: at most \(SheetLayout.mostPixels / 1_000_000) million are drawn",
                remedy: "give a smaller --width or --size, or fewer --rows")
        }
    }

    /// A text that every thumbnail must have room for.
    private struct Widest {
        let text: String

        /// The size at which it fits: at most what suits the thumbnail.
        func size(_ width: Int) -> Double {
            var size = min(16, max(11, Double(width) / 17))
            while size > 6, Typeface.width(of: text, size: size) > width { size -= 0.5 }
            return size
        }
    }

    private init(
        _ shape: (width: Int, height: Int)?, tiles: Int, columns: Int, cell width: Int, sheet: Int?,
        hasWave: Bool, widest: Widest, heading: (_ width: Int) -> PictureHeading
    ) {
        let gap = SheetLayout.gap
        self.columns = columns
        rows = (tiles + columns - 1) / columns
        cell = (
            width, shape.map { SheetLayout.height(width: width, shape: $0) } ?? 0
        )
        self.width = sheet ?? columns * (width + gap) + gap
        label = shape == nil ? 13 : widest.size(width)
        self.heading = heading(self.width - 2 * gap)
        wave = hasWave ? shape == nil ? SheetLayout.waves.alone : SheetLayout.waves.below : 0
        let line = Typeface.height(label)
        height =
            gap + self.heading.height + gap + rows * (cell.height + line + gap)
            + (hasWave ? 2 * line + wave + gap : 0)
    }

    /// The usual width of a thumbnail of this shape.
    private static func usual(width: Int, height: Int) -> Int {
        height <= width ? usual : max(96, usual * width / height)
    }

    private static func height(width: Int, shape: (width: Int, height: Int)) -> Int {
        let height = Double(width) * Double(shape.height) / Double(max(1, shape.width))
        return max(1, min(width * slimmest, Int(height.rounded())))
    }

    /// Between the left edge and the first column.
    var left: Int {
        (width - columns * (cell.width + SheetLayout.gap) + SheetLayout.gap) / 2
    }

    /// The upper left corner of a thumbnail.
    func corner(_ index: Int) -> (left: Int, top: Int) {
        let gap = SheetLayout.gap
        let high = cell.height + Typeface.height(label) + gap
        return (
            left + index % columns * (cell.width + gap), 2 * gap + heading.height + index / columns * high
        )
    }

    /// The top of the line above the waveform.
    var caption: Int {
        2 * SheetLayout.gap + heading.height + rows * (cell.height + Typeface.height(label) + SheetLayout.gap)
    }

    /// The size of a picture in a thumbnail.
    func size(_ shape: (width: Int, height: Int)) -> (width: Int, height: Int) {
        let high = Double(cell.width) * Double(shape.height) / Double(max(1, shape.width))
        guard high > Double(cell.height) + 0.5 else { return cell }
        return (max(1, cell.height * shape.width / max(1, shape.height)), cell.height)
    }
}
