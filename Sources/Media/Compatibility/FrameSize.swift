// How large a picture becomes: never larger than it is, inside the box, display aspect kept, even, square pixels. Pure.
public import MediaTime

/// Choices of picture sizes.
public enum FrameSize {
    /// The size of the upright output picture.
    /// - Parameters:
    ///   - isTurned: a quarter turn is to be made, so that width and height change places.
    ///   - maxWidth: of the box, which turns for portrait pictures; nil: there is none.
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

    /// The nearest even number of pixels inside the box and not beyond the source, at least 2.
    private static func even(_ size: Double, limit: Double) -> Int {
        let near = Int((size / 2).rounded()) * 2
        let most = Int(limit + 1e-6) / 2 * 2
        return max(2, min(near, most))
    }
}
