// Converts a decoded frame for viewing: upright, square pixels, standard dynamic range, 8-bit RGB; with the filters of an export.
// Each frame has its own filter graph, so that none waits for the next.
package import Libav
package import Media
package import MediaTime
internal import Render
internal import Source

/// Renders frames of one track.
package struct FrameRenderer {
    /// The track of the frames.
    package let track: Track
    /// The background of transparent frames, as `rrggbb`.
    var background = "000000"
    /// The crop and the rotation to show.
    var edit = FrameEdit()
    /// Drawn on the frames; nil: nothing is.
    var subtitles: PreviewSubtitles?

    /// Creates a value of its parts.
    package init(track: Track, background: String = "000000", edit: FrameEdit = FrameEdit()) {
        (self.track, self.background, self.edit) = (track, background, edit)
    }

    /// Display size of the track's frames, in square pixels.
    package var size: (width: Int, height: Int) {
        track.video.map(edit.size) ?? (16, 16)
    }

    /// The size for a width; never larger than the frames.
    func size(width: Int?) -> (width: Int, height: Int) {
        let whole = size
        guard let width, width < whole.width else { return whole }
        let height = Double(width) * Double(whole.height) / Double(whole.width)
        return (width, max(1, Int(height.rounded())))
    }

    /// The plan of frames of a size. Some filters accept only even sizes with subsampled chroma.
    private func plan(width: Int, height: Int) -> VideoPlan {
        VideoPlan(
            viewing: track, width: width + width % 2, height: height + height % 2, edit: edit,
            timebase: FilterGraph.frameNumbers, frameRate: Ratio(25), isConstant: true,
            settings: VideoSettings(codec: "rawvideo", encoder: "rawvideo", pixelFormat: "yuv444p"),
            background: background)
    }

    /// The filter that converts the frames of a chain to RGB.
    private func colors(_ chain: VideoFilterChain, width: Int, height: Int) -> String {
        "scale=\(width):\(height):in_color_matrix=\(VideoFilterChain.scaler(chain.matrix)):in_range=limited"
            + ":out_range=full:flags=bicubic+accurate_rnd+full_chroma_int+full_chroma_inp,format=rgb24"
    }

    /// The filters that scale frames of a given format and convert them to RGB.
    package func colored(_ shape: FrameShape, width: Int, height: Int) -> String {
        // Tone mapping is not linear: of bright details, a mean that was mapped differs from the mean of what was.
        let scaled =
            track.video.map { VideoFilterChain.isHDR($0.color.transfer) } == true
            ? size(width: max(width, FrameRenderer.mappedWidth)) : (width: width, height: height)
        let chain = VideoFilterChain(plan(width: scaled.width, height: scaled.height), shape: shape)
        return chain.filters + "," + colors(chain, width: width, height: height)
    }

    /// Renders a frame without changing it.
    /// - Parameter time: of the frame, in asset time, for subtitles.
    package func canvas(of frame: Frame, at time: Time = .zero, width: Int, height: Int) throws(MediaError)
        -> Canvas
    {
        guard let subtitles else {
            return try canvas(
                of: filtered(frame, colored(frame.shape, width: width, height: height)))
        }
        let plan = plan(width: width, height: height)
        let chain = VideoFilterChain(plan, shape: frame.shape)
        let scaled = try filtered(frame, chain.filters)
        try subtitles.drawing(on: plan, colors: chain, from: time)?.draw(on: scaled, at: .zero)
        return try canvas(of: filtered(scaled, colors(chain, width: width, height: height)))
    }

    /// A frame as filters change it.
    private func filtered(_ frame: Frame, _ chain: String) throws(MediaError) -> Frame {
        try media(.encodeFailed, track: track.index) { () throws(LibavError) in
            let graph = try FilterGraph(
                chain: chain, shape: frame.shape, timebase: FilterGraph.frameNumbers, threads: 0)
            let input = try frame.reference()
            input.pts = 0
            try graph.send(input)
            try graph.send(nil)
            guard let drawn = try graph.receive() else { throw FrameRenderer.noFrame }
            return drawn
        }
    }

    private func canvas(of frame: Frame) throws(MediaError) -> Canvas {
        try media(.encodeFailed, track: track.index) { () throws(LibavError) in
            guard let canvas = Canvas(width: frame.width, height: frame.height, bytes: frame.packedBytes)
            else { throw FrameRenderer.noFrame }
            return canvas
        }
    }

    /// The least width at which HDR is tone-mapped, in pixels: larger takes longer, and shows no difference in a small picture.
    private static let mappedWidth = 480

    private static let noFrame = LibavError("converting a frame", cause: "the filters returned no frame")
}
