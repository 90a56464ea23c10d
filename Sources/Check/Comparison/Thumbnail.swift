// A frame small enough to store, and the similarity of two of them. Pure.
internal import Glibc

/// A frame small enough to store and compare.
struct Thumbnail: Hashable, Sendable {
    /// The size at which frames are compared, in pixels.
    static let width = 64, height = 36

    /// Red, green and blue, row by row.
    let bytes: [UInt8]

    /// The mean squared error between two frames, from 0 to 65025.
    func difference(to other: Thumbnail) -> Double {
        let count = min(bytes.count, other.bytes.count)
        guard count > 0 else { return 65025 }
        let (a, b) = (bytes.span, other.bytes.span)
        var sum = 0
        for index in 0..<count {
            let off = Int(a[index]) - Int(b[index])
            sum += off * off
        }
        return Double(sum) / Double(count)
    }

    /// Correlation of two frames, independent of brightness and contrast, from -1 to 1; 1 if one of them is flat.
    func correlation(with other: Thumbnail) -> Double {
        let count = Double(min(bytes.count, other.bytes.count))
        guard count > 0 else { return 1 }
        var (a, b, aa, bb, ab) = (0.0, 0.0, 0.0, 0.0, 0.0)
        for (one, two) in zip(bytes, other.bytes) {
            let (x, y) = (Double(one), Double(two))
            (a, b) = (a + x, b + y)
            (aa, bb, ab) = (aa + x * x, bb + y * y, ab + x * y)
        }
        let spread = ((aa - a * a / count) * (bb - b * b / count)).squareRoot()
        return spread > count ? (ab - a * b / count) / spread : 1
    }

    /// PSNR in decibels of a mean squared error; 99 if it is zero.
    static func decibels(_ difference: Double) -> Double {
        difference <= 0 ? 99 : min(99, 10 * log10(65025 / difference))
    }
}
