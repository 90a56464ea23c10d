// Scales a canvas down with FFmpeg's scaler.
internal import Libav
internal import Media
internal import MediaTime
internal import Source

extension Canvas {
    /// This image, no larger than a size in pixels, in its own shape; itself if it is no larger already.
    func scaled(within most: (width: Int, height: Int)) throws(MediaError) -> Canvas {
        let factor = min(Double(most.width) / Double(width), Double(most.height) / Double(height))
        guard factor < 1 else { return self }
        let (wide, high) = (
            max(1, Int(Double(width) * factor)), max(1, Int(Double(height) * factor))
        )
        return try media(.encodeFailed) { () throws(LibavError) in
            let whole = try Frame.make(rgb: bytes, width: width, height: height)
            whole.pts = 0
            let graph = try FilterGraph(
                chain: "scale=\(wide):\(high):flags=area,format=rgb24", shape: whole.shape,
                timebase: FilterGraph.frameNumbers, threads: 1)
            try graph.send(whole)
            try graph.send(nil)
            guard let small = try graph.receive(),
                let canvas = Canvas(width: small.width, height: small.height, bytes: small.packedBytes)
            else { throw LibavError("scaling an image", cause: "the filters returned no frame") }
            return canvas
        }
    }
}
