// Cover art of a file: the source's, or an image that the user names. Images from users are read only here, in the worker.
// Nothing is decoded: containers hold the image's own bytes.
package import Libav
package import Media

/// Cover art of a file.
package struct Artwork: Hashable, Sendable {
    /// The formats that containers hold.
    enum Format: String, Sendable {
        case jpeg, png
        var codec: String { self == .jpeg ? "mjpeg" : "png" }
        var mimeType: String { "image/\(rawValue)" }
        var fileName: String { self == .jpeg ? "cover.jpg" : "cover.png" }
    }

    package let bytes: [UInt8]
    let format: Format
    let width: Int, height: Int

    /// Maximum size of an image in bytes; players refuse far smaller ones.
    static let largest: Int64 = 32 << 20

    /// An image from its bytes; nil unless they are a complete JPEG or PNG.
    init?(_ bytes: [UInt8]) {
        self.bytes = bytes
        if let size = Artwork.jpeg(bytes) {
            format = .jpeg
            (width, height) = size
        } else if let size = Artwork.png(bytes) {
            format = .png
            (width, height) = size
        } else {
            return nil
        }
        guard width > 0, height > 0, width <= 16_384, height <= 16_384 else { return nil }
    }

    /// The image a user names.
    init(_ file: SourceFile) throws(MediaError) {
        guard file.size > 0, file.size <= Artwork.largest else {
            throw MediaError(
                .invalidRequest,
                "the artwork \(file.name) has \(file.size) bytes, and must have 1 to \(Artwork.largest)")
        }
        let bytes = file.bytes(at: 0, count: Int(file.size))
        guard let artwork = Artwork(bytes) else {
            throw MediaError(
                .invalidRequest, "the artwork \(file.name) is not a complete JPEG or PNG image",
                remedy: "convert it, such as with ffmpeg -i \(file.name) cover.jpg")
        }
        self = artwork
    }

    /// Width and height of a complete JPEG image.
    private static func jpeg(_ bytes: [UInt8]) -> (Int, Int)? {
        guard bytes.count > 16, bytes[0] == 0xff, bytes[1] == 0xd8 else { return nil }
        // Some cameras add a few bytes after the end.
        let tail = bytes.suffix(4096)
        guard zip(tail, tail.dropFirst()).contains(where: { $0 == 0xff && $1 == 0xd9 }) else { return nil }
        var at = 2
        while at + 9 < bytes.count, bytes[at] == 0xff {
            let marker = bytes[at + 1]
            if marker == 0xff {
                at += 1
                continue
            }
            let length = Int(bytes[at + 2]) << 8 | Int(bytes[at + 3])
            guard length >= 2 else { return nil }
            if 0xc0...0xcf ~= marker, ![0xc4, 0xc8, 0xcc].contains(marker) {
                return (
                    Int(bytes[at + 7]) << 8 | Int(bytes[at + 8]), Int(bytes[at + 5]) << 8 | Int(bytes[at + 6])
                )
            }
            if marker == 0xda { return nil }
            at += 2 + length
        }
        return nil
    }

    /// Width and height of a complete PNG image.
    private static func png(_ bytes: [UInt8]) -> (Int, Int)? {
        let signature: [UInt8] = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]
        guard bytes.count > 45, Array(bytes[0..<8]) == signature, Array(bytes[12..<16]) == Array("IHDR".utf8),
            Array(bytes.suffix(8).prefix(4)) == Array("IEND".utf8)
        else { return nil }
        func number(_ at: Int) -> Int { bytes[at..<(at + 4)].reduce(0) { $0 << 8 | Int($1) } }
        return (number(16), number(20))
    }

    /// The bytes as Vorbis comments hold them: a FLAC picture block, front cover.
    var pictureBlock: [UInt8] {
        func number(_ value: Int) -> [UInt8] {
            (0..<4).reversed().map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
        }
        let mime = Array(format.mimeType.utf8)
        return number(3) + number(mime.count) + mime + number(0) + number(width) + number(height)
            + number(format == .png ? 32 : 24) + number(0) + number(bytes.count) + bytes
    }
}

extension Artwork {
    /// The source's image, if it has one that a container can hold; pictures of chapters are none.
    package static func ofSource(_ asset: Asset, _ source: SourceFile) -> Artwork? {
        let pictures = asset.tracks.filter { $0.isPicture && $0.role != .chapters }
        guard !pictures.isEmpty, let demuxer = try? Demuxer(source, quick: true) else { return nil }
        for track in pictures {
            if let bytes = demuxer.attachedPicture(track.index), let artwork = Artwork(bytes) {
                return artwork
            }
        }
        return nil
    }
}
