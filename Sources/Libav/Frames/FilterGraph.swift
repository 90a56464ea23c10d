// A chain of FFmpeg filters for one track: frames in, frames out. Owns its graph. Confined to one queue. Built for one frame
// format; a track whose format changes gets another graph.
internal import CFFmpeg
public import MediaTime

/// A chain of filters between one source and one sink.
@safe public final class FilterGraph {
    private let graph: UnsafeMutablePointer<AVFilterGraph>
    private let source: UnsafeMutablePointer<AVFilterContext>
    private let sink: UnsafeMutablePointer<AVFilterContext>

    /// The timebase of graphs that receive frame numbers instead of times.
    public static let frameNumbers = Timebase(perSecond: 25) ?? .seconds

    /// Builds a graph.
    /// - Parameters:
    ///   - chain: the filters in FFmpeg's syntax, such as `scale=1280:720,format=yuv420p`.
    ///   - shape: the format of every frame that will be sent.
    ///   - timebase: of the frames' times.
    ///   - threads: FFmpeg's threads; 0 lets it choose.
    public init(chain: String, shape: FrameShape, timebase: Timebase, threads: Int) throws(LibavError) {
        let isAudio = shape.sampleRate > 0
        guard let graph = unsafe avfilter_graph_alloc() else {
            throw LibavError("allocating a filter graph", code: trim_averror(12))
        }
        var made: UnsafeMutablePointer<AVFilterGraph>? = unsafe graph
        do throws(LibavError) {
            unsafe graph.pointee.nb_threads = Int32(threads)
            let arguments =
                isAudio
                ? "time_base=\(timebase.numerator)/\(timebase.denominator):sample_rate=\(shape.sampleRate)"
                    + ":sample_fmt=\(shape.sampleFormat):channel_layout=\(shape.layout)"
                : "video_size=\(shape.width)x\(shape.height):pix_fmt=\(shape.format)"
                    + ":time_base=\(timebase.numerator)/\(timebase.denominator)"
                    + ":pixel_aspect=\(shape.sampleAspect.numerator)/\(shape.sampleAspect.denominator)"
            unsafe source = try FilterGraph.filter(
                isAudio ? "abuffer" : "buffer", named: "in", arguments, in: graph)
            unsafe sink = try FilterGraph.filter(
                isAudio ? "abuffersink" : "buffersink", named: "out", nil, in: graph)
            try unsafe FilterGraph.link(chain, from: source, to: sink, in: graph)
        } catch {
            unsafe avfilter_graph_free(&made)
            throw error
        }
        unsafe self.graph = graph
    }

    deinit {
        var pointer: UnsafeMutablePointer<AVFilterGraph>? = unsafe graph
        unsafe avfilter_graph_free(&pointer)
    }

    private static func filter(
        _ name: String, named: String, _ arguments: String?, in graph: UnsafeMutablePointer<AVFilterGraph>
    ) throws(LibavError) -> UnsafeMutablePointer<AVFilterContext> {
        var context: UnsafeMutablePointer<AVFilterContext>?
        try LibavError.check(
            unsafe avfilter_graph_create_filter(
                &context, avfilter_get_by_name(name), named, arguments, nil, graph),
            "making the filter \(name) (\(arguments ?? ""))")
        return unsafe try LibavError.allocated(context, "the filter \(name)")
    }

    private static func link(
        _ chain: String, from source: UnsafeMutablePointer<AVFilterContext>,
        to sink: UnsafeMutablePointer<AVFilterContext>, in graph: UnsafeMutablePointer<AVFilterGraph>
    ) throws(LibavError) {
        var outputs = unsafe avfilter_inout_alloc()
        var inputs = unsafe avfilter_inout_alloc()
        defer {
            unsafe avfilter_inout_free(&outputs)
            unsafe avfilter_inout_free(&inputs)
        }
        unsafe outputs?.pointee.name = av_strdup("in")
        unsafe outputs?.pointee.filter_ctx = unsafe source
        unsafe outputs?.pointee.pad_idx = 0
        unsafe inputs?.pointee.name = av_strdup("out")
        unsafe inputs?.pointee.filter_ctx = unsafe sink
        unsafe inputs?.pointee.pad_idx = 0
        try LibavError.check(
            unsafe avfilter_graph_parse_ptr(graph, chain, &inputs, &outputs, nil),
            "making the filters \(chain)")
        try LibavError.check(unsafe avfilter_graph_config(graph, nil), "joining the filters \(chain)")
    }

    /// Whether this build has a filter.
    public static func exists(_ name: String) -> Bool { unsafe avfilter_get_by_name(name) != nil }

    /// Sends a frame, whose content the graph takes; nil marks the end.
    public func send(_ frame: Frame?) throws(LibavError) {
        try LibavError.check(unsafe av_buffersrc_add_frame(source, frame?.pointer), "filtering")
    }

    /// Receives the next frame; nil if another must be sent first, or all have been received.
    public func receive() throws(LibavError) -> Frame? {
        let frame = try Frame()
        let code = unsafe av_buffersink_get_frame(sink, frame.pointer)
        if code == trim_error_again || code == trim_error_eof { return nil }
        try LibavError.check(code, "filtering")
        return frame
    }

    /// Seconds per tick of the frames received.
    public var outputTimebase: Timebase {
        let q = unsafe av_buffersink_get_time_base(sink)
        return Timebase(numerator: q.num, denominator: q.den) ?? .microseconds
    }
}
