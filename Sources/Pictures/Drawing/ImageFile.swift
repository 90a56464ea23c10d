// Encodes an image as PNG or JPEG to an open descriptor.
internal import Libav
package import Media
internal import MediaTime
internal import Source

/// Image files.
package enum ImageFile {
    /// Maximum width and height of a JPEG file in pixels.
    private static let largest = 65_500

    /// Writes an image; returns its size in bytes.
    package static func write(_ canvas: Canvas, as type: ImageType, to output: Int32) throws(MediaError)
        -> Int64
    {
        guard max(canvas.width, canvas.height) <= largest else {
            throw MediaError(
                .limitReached,
                "an image of \(canvas.width)x\(canvas.height) is too large: at most \(largest) pixels per side"
            )
        }
        let bytes = try bytes(canvas, as: type)
        try media(.inputOutput) { () throws(LibavError) in
            try SourceFile(descriptor: output, size: 0, name: "the image").write(
                bytes, at: 0, "writing the image")
        }
        return Int64(bytes.count)
    }

    /// The file's bytes.
    static func bytes(_ canvas: Canvas, as type: ImageType) throws(MediaError) -> [UInt8] {
        try media(.encodeFailed) { () throws(LibavError) in try encode(canvas, as: type) }
    }

    private static func encode(_ canvas: Canvas, as type: ImageType) throws(LibavError) -> [UInt8] {
        let drawn = try Frame.make(rgb: canvas.bytes, width: canvas.width, height: canvas.height)
        drawn.pts = 0
        // JPEG implies these colours; most readers support no others.
        let chain =
            type == .png
            ? "format=rgb24"
            : "scale=out_color_matrix=smpte170m:out_range=full:flags=accurate_rnd+full_chroma_int,format=yuvj444p"
        let graph = try FilterGraph(
            chain: chain, shape: drawn.shape, timebase: FilterGraph.frameNumbers, threads: 1)
        try graph.send(drawn)
        try graph.send(nil)
        guard let frame = try graph.receive() else {
            throw LibavError("encoding an image", cause: "the filters returned no frame")
        }
        var setup = VideoEncoderSetup(
            encoder: type == .png ? "png" : "mjpeg", width: canvas.width, height: canvas.height,
            pixelFormat: type == .png ? "rgb24" : "yuvj444p", timebase: FilterGraph.frameNumbers,
            frameRate: .init(25), keyframeInterval: 1)
        setup.isFullRange = true
        setup.threads = 1
        setup.hasGlobalHeader = false
        // Quality 2 of 1 to 31: one-pixel lines stay sharp.
        setup.options =
            type == .png ? [("pred", "mixed")] : [("flags", "+qscale"), ("global_quality", "236")]
        if type == .jpg { frame.setQuality(2) }
        let encoder = try Encoder(setup)
        try encoder.send(frame)
        try encoder.send(nil)
        guard let packet = try encoder.receive() else {
            throw LibavError("encoding an image", cause: "the encoder returned no packet")
        }
        return packet.bytes
    }
}
