// Scales the frames of one track down so that they can be stored and compared. Owns a filter graph. Confined to one queue.
internal import Libav
internal import Media
internal import Pictures
internal import Source

/// Scales down the frames of one track. Confined to one queue.
final class Shrinker {
    private let renderer: FrameRenderer
    private var graph: FilterGraph?
    private var shape: FrameShape?
    /// One field of a frame, in the order of their times.
    enum Field: Hashable { case first, second }
    private var parity: String?
    private var count: Int64 = 0

    /// - Parameter background: the background of transparent frames, as `rrggbb`.
    init(_ track: Track, background: String = "000000", edit: FrameEdit = FrameEdit()) {
        var track = track
        // At this size both fields contribute.
        track.video?.fieldOrder = .progressive
        renderer = FrameRenderer(track: track, background: background, edit: edit)
    }

    /// A frame of the track, scaled down.
    func small(_ frame: Frame, _ field: Field? = nil) throws(MediaError) -> Thumbnail {
        Thumbnail(bytes: try shrink(frame, field))
    }

    private func shrink(_ frame: Frame, _ field: Field?) throws(MediaError) -> [UInt8] {
        let (width, height) = (Thumbnail.width, Thumbnail.height)
        // When compositing over a background, filters may delay a frame.
        if renderer.track.video?.hasAlpha == true {
            return try renderer.canvas(of: frame, width: width, height: height).bytes
        }
        return try media(.decodeFailed, track: renderer.track.index) { () throws(LibavError) in
            let parity = field.map { ($0 == .first) == frame.isTopFieldFirst ? "top" : "bottom" }
            if graph == nil || shape != frame.shape || parity != self.parity {
                (shape, self.parity) = (frame.shape, parity)
                let alone =
                    parity.map { "field=type=\($0),scale=\(frame.shape.width):\(frame.shape.height)," } ?? ""
                graph = try FilterGraph(
                    chain: alone + renderer.colored(frame.shape, width: width, height: height),
                    shape: frame.shape,
                    timebase: FilterGraph.frameNumbers, threads: 1)
            }
            let input = try frame.reference()
            input.pts = count
            count += 1
            try graph?.send(input)
            guard let small = try graph?.receive() else {
                throw LibavError("scaling a frame", cause: "the filters returned no frame")
            }
            return small.packedBytes
        }
    }
}
