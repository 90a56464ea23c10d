// The preview of a picture for a terminal: no larger than its window, and small enough for one line of the protocol. Pure but
// for the encoder.
package import Media
internal import Render

/// The preview of a picture.
package enum PicturePreview {
    /// Most bytes of a preview, so that the report fits a line of 1 MiB.
    static let most = 700_000

    /// The preview of a picture; smaller than was asked for where it would not fit otherwise.
    package static func make(_ image: Canvas, _ request: PreviewRequest) throws(MediaError) -> String {
        var (width, height) = (min(request.width, image.width), min(request.height, image.height))
        while true {
            let small = try image.scaled(within: (width, height))
            let data: String
            switch request.format {
            case .sixel: data = SixelImage.data(small)
            case .png: data = Base64.text(try ImageFile.bytes(small, as: .png))
            }
            let bytes = data.utf8.count
            if bytes <= most { return data }
            let factor = (Double(most) / Double(bytes)).squareRoot() * 0.95
            (width, height) = (
                max(1, Int(Double(small.width) * factor)), max(1, Int(Double(small.height) * factor))
            )
        }
    }
}
