// DrawnPictures: picture subtitles as rectangles for frames, scaled from their screen to the frame. Confined to one thread.
internal import Libav
internal import Media

/// The screens of a track, drawn.
final class DrawnPictures: DrawnSubtitles {
    private struct Shown {
        var start: Int64, end: Int64
        var overlays: [FrameOverlay]
    }

    private let decoder: SubtitleDecoder
    private let width: Int, height: Int
    /// The size of the screen where the track names none: that of the video.
    private let screen: (width: Int, height: Int)
    private let matrix: String, transfer: String
    private var shown: [Shown] = []

    /// The pictures of a track on frames of a size.
    init(
        _ decoder: SubtitleDecoder, width: Int, height: Int, video: (width: Int, height: Int),
        colors: VideoFilterChain
    ) {
        self.decoder = decoder
        (self.width, self.height, screen) = (width, height, video)
        (matrix, transfer) = (colors.matrix, colors.transfer)
    }

    func add(_ packet: Packet, from start: Int64, to end: Int64) {
        guard let screen = decoder.screen(of: packet) else { return }
        // A screen replaces those before it.
        for index in shown.indices where shown[index].end > start { shown[index].end = start }
        shown.removeAll { $0.end <= $0.start }
        let end = screen.duration.map { start + $0 } ?? .max
        guard !screen.pictures.isEmpty, end > start else { return }
        shown.append(
            Shown(start: start, end: end, overlays: screen.pictures.compactMap { overlay($0, on: screen) }))
    }

    func removeAll() { shown = [] }

    func overlays(at moment: Int64) -> [FrameOverlay] {
        shown.removeAll { $0.end <= moment }
        return shown.filter { $0.start <= moment }.flatMap(\.overlays)
    }

    /// A picture in the frame: the opacity is averaged, so that edges are smooth, and the colour is that of the most opaque pixel.
    private func overlay(_ picture: SubtitleScreen.Picture, on screen: SubtitleScreen) -> FrameOverlay? {
        let whole = screen.size ?? self.screen
        guard whole.width > 0, whole.height > 0 else { return nil }
        let across = Double(width) / Double(whole.width), down = Double(height) / Double(whole.height)
        let left = max(0, Int((Double(picture.x) * across).rounded(.down)))
        let top = max(0, Int((Double(picture.y) * down).rounded(.down)))
        let right = min(width, Int((Double(picture.x + picture.width) * across).rounded(.up)))
        let bottom = min(height, Int((Double(picture.y + picture.height) * down).rounded(.up)))
        guard right > left, bottom > top else { return nil }
        let colors = picture.palette.map { color in
            FrameColor(
                red: UInt8(truncatingIfNeeded: color >> 16), green: UInt8(truncatingIfNeeded: color >> 8),
                blue: UInt8(truncatingIfNeeded: color), matrix: matrix, transfer: transfer)
        }
        func span(_ at: Int, _ scale: Double, _ first: Int, _ count: Int) -> ClosedRange<Int> {
            let start = Int((Double(at) / scale).rounded(.down)) - first
            let end = Int((Double(at + 1) / scale).rounded(.up)) - first - 1
            let low = min(max(start, 0), count - 1)
            return low...max(low, min(end, count - 1))
        }
        let columns = (left..<right).map { span($0, across, picture.x, picture.width) }
        var opacity: [UInt8] = [], indexes: [UInt8] = []
        opacity.reserveCapacity((right - left) * (bottom - top))
        indexes.reserveCapacity((right - left) * (bottom - top))
        for y in top..<bottom {
            let rows = span(y, down, picture.y, picture.height)
            for column in columns {
                var sum = 0, most = -1, index: UInt8 = 0
                for row in rows {
                    for x in column {
                        let pixel = picture.indexes[row * picture.width + x]
                        let alpha = Int(picture.palette[Int(pixel)] >> 24)
                        sum += alpha
                        if alpha > most { (most, index) = (alpha, pixel) }
                    }
                }
                opacity.append(UInt8(sum / (rows.count * column.count)))
                indexes.append(index)
            }
        }
        return FrameOverlay(
            x: left, y: top, width: right - left, height: bottom - top, opacity: opacity, colors: colors,
            indexes: indexes)
    }
}
