// Makes pictures of one track small enough to be kept and compared. Owns a filter graph. Lives on one queue.
internal import Libav
internal import Media

/// Makes pictures of one track small. Lives on one queue.
final class Shrinker {
    private let renderer: FrameRenderer
    private var graph: FilterGraph?
    private var shape: FrameShape?
    private var count: Int64 = 0

    /// - Parameter background: what lies behind transparent pictures, as `rrggbb`.
    init(_ track: Track, background: String = "000000") {
        var track = track
        // Both fields are seen in what is so small.
        track.video?.fieldOrder = .progressive
        renderer = FrameRenderer(track: track, background: background)
    }

    /// A picture of the track, made small.
    func small(_ frame: Frame) throws(MediaError) -> Thumbnail {
        Thumbnail(bytes: try shrink(frame))
    }

    private func shrink(_ frame: Frame) throws(MediaError) -> [UInt8] {
        let (width, height) = (Thumbnail.width, Thumbnail.height)
        // Where pictures are laid upon a ground, filters may hold one back.
        if renderer.track.video?.hasAlpha == true {
            return try renderer.canvas(of: frame, width: width, height: height).bytes
        }
        return try media(.decodeFailed, track: renderer.track.index) { () throws(LibavError) in
            if graph == nil || shape != frame.shape {
                shape = frame.shape
                graph = try FilterGraph(
                    chain: renderer.colored(frame.shape, width: width, height: height), shape: frame.shape,
                    timebase: FrameRenderer.numbers, threads: 1)
            }
            let input = try frame.reference()
            input.pts = count
            count += 1
            try graph?.send(input)
            guard let small = try graph?.receive() else {
                throw LibavError("making a picture small", cause: "the filters gave none")
            }
            return small.packedBytes
        }
    }
}
