// The data that the stages of a video chain share. Values, except what one stage finds and a later one needs.
package import Libav
internal import Media
package import MediaTime
package import Source
internal import Synchronization

/// An interval of an output's video, and how it is made.
package struct VideoWork: Sendable {
    let plan: VideoPlan
    /// The parts of the source that make up the interval, at their positions in the output.
    let segments: Segments
    let origin: Time
    let source: SourceFile
    /// Whether damage is an error.
    let strict: Bool
    let diagnostics: Diagnostics
    /// The state at the interval's beginning, where it is a part of an output; nil: it is the whole.
    var part: VideoPart?
    /// The file of subtitles that are drawn on the frames; nil: those of the plan's track, if it names one.
    var subtitles: SourceFile?
    /// Threads of the encoder; nil: as many as it likes.
    var encodingThreads: Int?

    /// Creates a value of its parts.
    package init(
        plan: VideoPlan, segments: Segments, origin: Time, source: SourceFile, strict: Bool,
        diagnostics: Diagnostics, part: VideoPart? = nil, subtitles: SourceFile? = nil,
        encodingThreads: Int? = nil
    ) {
        (self.plan, self.segments, self.origin, self.source) = (plan, segments, origin, source)
        (self.strict, self.diagnostics, self.part, self.subtitles) = (strict, diagnostics, part, subtitles)
        self.encodingThreads = encodingThreads
    }

    var track: Track { plan.track }
    /// The duration of what it makes; nil: unknown.
    var length: Time? {
        part.map { plan.timebase.time(ofTicks: Int64($0.shown.count)) } ?? segments.length
    }
}

/// The state that an interval of an output takes over from the one before.
package struct VideoPart: Hashable, Codable, Sendable {
    /// The number of its first frame among those of the same part of the source, for the frame-rate cap.
    var counted: Int
    /// Where the output ends, in ticks; nil: unknown.
    var gridEnd: Int64?
    /// The ticks of the output that it makes: frames before and after them are context for the filters only.
    var shown: Range<Int64>
    /// The colours of the output's first frame.
    var color: FoundColor
    /// How full the decoder's buffer is at its beginning, from 0 to 1; nil: as the encoder assumes.
    var buffered: Double?
    /// The share of the decoder's buffer and of its rate that the encoder is not told of, from 0 to 1: it may miss its limits by as much.
    var reserve: Double?

    /// Creates a value of its parts.
    package init(
        counted: Int, gridEnd: Int64? = nil, shown: Range<Int64>, color: FoundColor, buffered: Double? = nil,
        reserve: Double? = nil
    ) {
        (self.counted, self.gridEnd, self.shown, self.color) = (counted, gridEnd, shown, color)
        (self.buffered, self.reserve) = (buffered, reserve)
    }
}

/// The colours of an output, from its first frame.
package struct FoundColor: Hashable, Codable, Sendable {
    /// The conversion of the first frame.
    var chain: VideoFilterChain
    /// HDR light levels of the output.
    var light: LightLevels
}

/// A frame with its position on the output timeline.
struct PlacedFrame: Sendable {
    var frame: Frame
    /// In ticks of the output.
    var pts: Int64, duration: Int64
    /// Where its second field begins, if each field becomes a frame; nil: it stays one frame.
    var middle: Int64?
}

/// The colours that the stages find, each before it sends its first frame: the encoder opens with them.
final class VideoColor: Sendable {
    /// The conversion of the first frames; nil until they were filtered.
    let chain: Mutex<VideoFilterChain?>
    /// HDR light levels from the container.
    let stored = Mutex(LightLevels())

    /// - Parameter found: the conversion, where it is known.
    init(_ found: VideoFilterChain? = nil) { chain = Mutex(found) }

    /// The light levels of the output whose first frame is this one, which hold as long as frames stay HDR.
    func light(of first: Frame) -> LightLevels {
        guard chain.withLock({ $0 })?.keepsHDR == true else { return LightLevels() }
        return first.light.completed(by: stored.withLock { $0 })
    }
}
