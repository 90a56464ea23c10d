// The geometry that options ask for: a rectangle of the displayed frame, then a rotation. Maps it to stored frames, exactly. Pure.
internal import MediaTime

/// A crop of the displayed frame, and a rotation after it.
public struct FrameEdit: Hashable, Codable, Sendable {
    /// The rectangle to keep, in pixels as displayed; nil: the whole frame.
    public var crop: FrameCrop?
    /// Degrees clockwise: 0, 90, 180 or 270.
    public var rotation = 0

    /// No change.
    public init() {}

    /// The changes that options ask for.
    public init(_ options: ExportOptions) {
        crop = options.crop
        rotation = options.rotate ?? 0
    }

    /// A rectangle in pixels.
    public struct Rectangle: Hashable, Sendable {
        public var left: Int, top: Int, width: Int, height: Int
    }

    /// The size in square pixels of stored frames before their rotation for display.
    public static func squareSize(_ format: VideoFormat) -> (width: Int, height: Int) {
        let width = Double(format.crop?.width ?? format.width) * format.sampleAspect.value
        return (max(1, Int(width.rounded())), max(1, format.crop?.height ?? format.height))
    }

    /// The size in square pixels in which players show the frames.
    public static func shownSize(_ format: VideoFormat) -> (width: Int, height: Int) {
        let (width, height) = squareSize(format)
        return format.rotation % 180 == 0 ? (width, height) : (height, width)
    }

    /// The size of the result, in square pixels.
    public func size(_ format: VideoFormat) -> (width: Int, height: Int) {
        let shown = FrameEdit.shownSize(format)
        let (width, height) = (crop?.width ?? shown.width, crop?.height ?? shown.height)
        return rotation % 180 == 0 ? (width, height) : (height, width)
    }

    /// Throws if the rectangle is not in the frame.
    public func check(_ track: Track) throws(MediaError) {
        guard let crop, let format = track.video else { return }
        let (width, height) = FrameEdit.shownSize(format)
        guard let place = shown(format), place.left + place.width <= width, place.top + place.height <= height
        else {
            throw MediaError(
                .invalidRequest, "--crop \(crop) goes beyond the frame, which is shown as \(width)x\(height)",
                track: track.index,
                remedy: "choose a rectangle W:H:X:Y with W + X up to \(width) and H + Y up to \(height)")
        }
    }

    private func shown(_ format: VideoFormat) -> Rectangle? {
        guard let crop else { return nil }
        let (width, height) = FrameEdit.shownSize(format)
        guard crop.width <= width, crop.height <= height else { return nil }
        return Rectangle(
            left: crop.left ?? (width - crop.width) / 2, top: crop.top ?? (height - crop.height) / 2,
            width: crop.width, height: crop.height)
    }

    /// The rectangle in stored frames made of square pixels, which players rotate and then mirror; nil: the whole frame.
    public func stored(_ format: VideoFormat) -> Rectangle? {
        guard var place = shown(format) else { return nil }
        let (width, height) = FrameEdit.shownSize(format)
        if format.isMirrored { place.left = width - place.left - place.width }
        return switch format.rotation {
        case 90:
            Rectangle(
                left: place.top, top: width - place.left - place.width, width: place.height,
                height: place.width)
        case 180:
            Rectangle(
                left: width - place.left - place.width, top: height - place.top - place.height,
                width: place.width, height: place.height)
        case 270:
            Rectangle(
                left: height - place.top - place.height, top: place.left, width: place.height,
                height: place.width)
        default: place
        }
    }
}
