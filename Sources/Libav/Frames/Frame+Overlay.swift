// Lays rectangles of colour over a frame: the picture of subtitles. Works in the frame's own planar or semi-planar YUV, of 8 to 16
// bits, so that what is not covered keeps its bits.
internal import CFFmpeg

/// A colour as a frame stores it, in 8-bit codes of limited range with fractions: luma 16 to 235, chroma 16 to 240.
public struct FrameColor: Hashable, Sendable {
    /// Luma, and blue and red difference.
    public var luma: Double, blue: Double, red: Double

    /// A colour from its codes.
    public init(luma: Double, blue: Double, red: Double) {
        (self.luma, self.blue, self.red) = (luma, blue, red)
    }
}

/// A rectangle to lay over a frame.
public struct FrameOverlay: Hashable, Sendable {
    /// The place in the frame, in pixels.
    public var x: Int, y: Int, width: Int, height: Int
    /// How much of each pixel is hidden, row by row, 0 to 255.
    public var opacity: [UInt8]
    /// Its colours.
    public var colors: [FrameColor]
    /// The number of each pixel's colour, row by row; empty: all have the first.
    public var indexes: [UInt8]

    /// A rectangle.
    public init(
        x: Int, y: Int, width: Int, height: Int, opacity: [UInt8], colors: [FrameColor], indexes: [UInt8] = []
    ) {
        (self.x, self.y, self.width, self.height) = (x, y, width, height)
        (self.opacity, self.colors, self.indexes) = (opacity, colors, indexes)
    }

    /// Whether all of it is described, and in a frame of this size.
    fileprivate func fits(_ wide: Int, _ high: Int) -> Bool {
        width > 0 && height > 0 && x >= 0 && y >= 0 && x + width <= wide && y + height <= high
            && opacity.count == width * height && (indexes.isEmpty || indexes.count == opacity.count)
            && Int(indexes.max() ?? 0) < colors.count
    }

}

extension Frame {
    /// Whether frames of a pixel format, by FFmpeg's name, can be drawn on.
    public static func canDraw(on pixelFormat: String) -> Bool {
        guard let layout = unsafe av_pix_fmt_desc_get(av_get_pix_fmt(pixelFormat)) else { return false }
        return unsafe isDrawable(layout.pointee)
    }

    private static func isDrawable(_ layout: AVPixFmtDescriptor) -> Bool {
        let refused = UInt64(
            AV_PIX_FMT_FLAG_RGB | AV_PIX_FMT_FLAG_PAL | AV_PIX_FMT_FLAG_BE | AV_PIX_FMT_FLAG_FLOAT
                | AV_PIX_FMT_FLAG_HWACCEL | AV_PIX_FMT_FLAG_BITSTREAM)
        return unsafe layout.flags & refused == 0 && layout.nb_components >= 3
            && (8...16).contains(layout.comp.0.depth)
    }

    /// Lays rectangles over the frame, one after another. A rectangle beyond the frame is an error.
    public func draw(_ overlays: [FrameOverlay]) throws(LibavError) {
        guard !overlays.isEmpty else { return }
        guard let layout = unsafe av_pix_fmt_desc_get(AVPixelFormat(rawValue: format)),
            unsafe Frame.isDrawable(layout.pointee), overlays.allSatisfy({ $0.fits(width, height) })
        else { throw LibavError("drawing on a frame", cause: "it has another layout, or another size") }
        try LibavError.check(unsafe av_frame_make_writable(pointer), "copying a frame")
        let (across, down) = unsafe (Int(layout.pointee.log2_chroma_w), Int(layout.pointee.log2_chroma_h))
        let (luma, blue, red, alpha) = unsafe layout.pointee.comp
        let hasAlpha = unsafe layout.pointee.nb_components == 4
        for overlay in overlays {
            blend(overlay, luma, 0, 0) { $0.luma }
            blend(overlay, blue, across, down) { $0.blue }
            blend(overlay, red, across, down) { $0.red }
            // 256 is more than the highest code.
            if hasAlpha { blend(overlay, alpha, 0, 0) { _ in 255.999 } }
        }
    }

    /// Blends one component: the value of a subsampled one is that of all pixels it stands for.
    private func blend(
        _ overlay: FrameOverlay, _ component: AVComponentDescriptor, _ across: Int, _ down: Int,
        _ value: (FrameColor) -> Double
    ) {
        let planes = unsafe [
            pointer.pointee.data.0, pointer.pointee.data.1, pointer.pointee.data.2, pointer.pointee.data.3,
        ]
        let strides = unsafe [
            pointer.pointee.linesize.0, pointer.pointee.linesize.1, pointer.pointee.linesize.2,
            pointer.pointee.linesize.3,
        ]
        guard let base = unsafe planes[Int(component.plane)] else { return }
        let stride = Int(strides[Int(component.plane)]), step = Int(component.step)
        let scale = Double(1 << (Int(component.depth) - 8)), shift = Int(component.shift)
        let isWide = component.depth > 8
        let most = Double((1 << Int(component.depth)) - 1)
        let codes = overlay.colors.map { min(most, value($0) * scale) }
        let whole = Double(255 << (across + down))
        for row in (overlay.y >> down)...((overlay.y + overlay.height - 1) >> down) {
            for column in (overlay.x >> across)...((overlay.x + overlay.width - 1) >> across) {
                var hidden = 0.0, sum = 0.0
                for y in max(row << down, overlay.y)..<min((row + 1) << down, overlay.y + overlay.height) {
                    for x in max(
                        column << across, overlay.x)..<min((column + 1) << across, overlay.x + overlay.width)
                    {
                        let pixel = (y - overlay.y) * overlay.width + x - overlay.x
                        let opacity = Double(overlay.opacity[pixel])
                        hidden += opacity
                        sum += opacity * codes[overlay.indexes.isEmpty ? 0 : Int(overlay.indexes[pixel])]
                    }
                }
                guard hidden > 0 else { continue }
                let place = unsafe base + row * stride + column * step + Int(component.offset)
                if isWide {
                    unsafe place.withMemoryRebound(to: UInt16.self, capacity: 1) { sample in
                        let old = unsafe Double(sample.pointee >> shift)
                        let new = (old * (whole - hidden) + sum) / whole
                        unsafe sample.pointee = UInt16(new.rounded()) << shift
                    }
                } else {
                    let new = unsafe (Double(place.pointee) * (whole - hidden) + sum) / whole
                    unsafe place.pointee = UInt8(new.rounded())
                }
            }
        }
    }
}
