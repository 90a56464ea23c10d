// Converts the frames of a part with other parameters, as an advertisement has them, to the form of the track: its size, pixel format
// and colours. Frames that have it pass as they are. Confined to one thread.
package import Libav
package import Media
internal import MediaTime
internal import Source

/// Fits frames to a track.
package final class FrameFitter {
    private let track: Track
    private var graph: (shape: FrameShape, filters: FilterGraph)?
    /// Whether a frame was converted.
    private(set) var hasConverted = false

    private static let highRange: Set<String> = ["smpte2084", "arib-std-b67"]

    package init(_ track: Track) { self.track = track }

    /// The frame in the form of the track.
    package func fitted(_ frame: Frame) throws(MediaError) -> Frame {
        let shape = frame.shape
        guard let format = track.video, let filters = filters(shape, format) else { return frame }
        guard FrameFitter.isHighRange(shape.transfer) == FrameFitter.isHighRange(format.color.transfer) else {
            throw MediaError(
                .spliceFailed,
                "track \(track.index) is HDR in some parts and not in others, so that they cannot be one copied track",
                track: track.index, remedy: "use --render encode, or export the parts by themselves")
        }
        hasConverted = true
        return try media(.spliceFailed, track: track.index) { () throws(LibavError) in
            let graph: FilterGraph
            if let known = self.graph, known.shape == shape {
                graph = known.filters
            } else {
                graph = try FilterGraph(
                    chain: filters, shape: shape, timebase: FilterGraph.frameNumbers, threads: 0)
                self.graph = (shape, graph)
            }
            try graph.send(try frame.reference())
            guard let converted = try graph.receive() else {
                throw LibavError("converting a frame", cause: "the filters returned no frame")
            }
            return converted
        }
    }

    /// FFmpeg's filters; nil: the frame has the form of the track.
    private func filters(_ shape: FrameShape, _ format: VideoFormat) -> String? {
        let pixels = format.pixelFormat ?? shape.pixelFormat
        let isFull = format.color.range == "pc"
        let fit = PictureFit(shape, in: format)
        let isOwnSize = shape.width == format.width && shape.height == format.height
        let shown = isOwnSize ? (format.width, format.height) : PictureFit.shown(format)
        let size = fit.map { ($0.width, $0.height) } ?? shown
        var scale = ["\(size.0):\(size.1)", "flags=bicubic"]
        var isSame = isOwnSize && fit == nil && shape.pixelFormat == pixels
        if let own = shape.matrix, let matrix = format.color.matrix, own != matrix, own != "unknown",
            own != "gbr"
        {
            scale += [
                "in_color_matrix=\(VideoFilterChain.scaler(own))",
                "out_color_matrix=\(VideoFilterChain.scaler(matrix))",
            ]
            isSame = isSame && VideoFilterChain.scaler(own) == VideoFilterChain.scaler(matrix)
        }
        if shape.isFullRange != isFull {
            scale += [
                "in_range=\(shape.isFullRange ? "full" : "limited")",
                "out_range=\(isFull ? "full" : "limited")",
            ]
            isSame = false
        }
        guard !isSame else { return nil }
        let aspect = format.sampleAspect
        var filters = ["scale=\(scale.joined(separator: ":"))", "format=\(pixels)"]
        if size != (format.width, format.height) {
            // Players cut all frames of the track to its aperture, so that all of these must be in it.
            let aperture = isOwnSize ? nil : format.crop
            let (left, top) = (
                (aperture?.left ?? 0) + (fit?.left ?? 0), (aperture?.top ?? 0) + (fit?.top ?? 0)
            )
            filters.append("pad=\(format.width):\(format.height):\(left):\(top):color=black")
        }
        filters.append("setsar=\(aspect.numerator)/\(aspect.denominator)")
        return filters.joined(separator: ",")
    }

    private static func isHighRange(_ transfer: String?) -> Bool { transfer.map(highRange.contains) ?? false }
}
