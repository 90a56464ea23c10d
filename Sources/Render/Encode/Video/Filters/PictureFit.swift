// How frames of another shape than their track, as an advertisement has them, are shown in its frames: as large as they fit, with bars
// beside them, like players show them. Pure.
internal import Libav
internal import Media
internal import MediaTime

/// The place of a frame in a larger one.
struct PictureFit: Hashable {
    /// The size of the frame after scaling, in pixels; even.
    let width: Int, height: Int
    /// The bars to its left and above it, in pixels; even.
    let left: Int, top: Int
    /// The size with the bars.
    let wholeWidth: Int, wholeHeight: Int

    /// Shapes that differ by less are one: sizes are rounded, to 16 pixels at most.
    private static let tolerance = 0.01

    /// The place of a frame in the frames of its track, or in their clean aperture; nil: it has their shape.
    init?(_ shape: FrameShape, in format: VideoFormat) {
        let isOwnSize = shape.width == format.width && shape.height == format.height
        // The container's word on the shape of pixels goes before that of frames of the same size.
        guard !isOwnSize || format.aspectByFrames == true, shape.width > 0, shape.height > 0 else {
            return nil
        }
        let (wide, high) =
            isOwnSize
            ? (format.width, format.height) : PictureFit.shown(format)
        guard wide > 0, high > 0 else { return nil }
        let own = Double(shape.width) * shape.sampleAspect.value / Double(shape.height)
        let relative = own / (Double(wide) * format.sampleAspect.value / Double(high))
        guard relative.isFinite, relative > 0, abs(relative - 1) >= PictureFit.tolerance else { return nil }
        func even(_ size: Double, _ most: Int) -> Int { min(most, max(2, Int((size / 2).rounded()) * 2)) }
        width = relative < 1 ? even(Double(wide) * relative, wide) : wide
        height = relative > 1 ? even(Double(high) / relative, high) : high
        (wholeWidth, wholeHeight) = (wide, high)
        (left, top) = ((wide - width) / 4 * 2, (high - height) / 4 * 2)
    }

    /// The size that the frames of a track are shown in.
    static func shown(_ format: VideoFormat) -> (width: Int, height: Int) {
        (format.crop?.width ?? format.width, format.crop?.height ?? format.height)
    }

    /// The filter that adds the bars to the scaled frame.
    var bars: String { "pad=\(wholeWidth):\(wholeHeight):\(left):\(top):color=black" }
}
