// The output's frame size: never upscaled, within the box, display aspect kept, even, square pixels. Pure.
public import MediaTime

/// Computes frame sizes.
public enum FrameSize {
    /// The size of the upright output frame.
    /// - Parameters:
    ///   - isTurned: a quarter turn applies, so width and height are swapped.
    ///   - maxWidth: the box's width; the box rotates for portrait sources; nil: no box.
    public static func fit(
        width: Int, height: Int, sampleAspect: Ratio, isTurned: Bool, maxWidth: Int?, maxHeight: Int?
    ) -> (width: Int, height: Int) {
        var shownWidth = Double(width) * sampleAspect.value
        var shownHeight = Double(height)
        if isTurned { swap(&shownWidth, &shownHeight) }
        var (boxWidth, boxHeight) = (
            maxWidth.map(Double.init) ?? .infinity, maxHeight.map(Double.init) ?? .infinity
        )
        if shownHeight > shownWidth { swap(&boxWidth, &boxHeight) }
        let scale = min(1, boxWidth / shownWidth, boxHeight / shownHeight)
        return (
            even(shownWidth * scale, limit: min(boxWidth, shownWidth)),
            even(shownHeight * scale, limit: min(boxHeight, shownHeight))
        )
    }

    /// The nearest even number of pixels within the box and the source, at least 2.
    private static func even(_ size: Double, limit: Double) -> Int {
        let near = Int((size / 2).rounded()) * 2
        let most = Int(limit + 1e-6) / 2 * 2
        return max(2, min(near, most))
    }
}
