// The data that the stages of a video chain share. Values, except what one stage finds and a later one needs.
internal import Libav
internal import Media
internal import MediaTime
internal import Synchronization

/// An interval of an output's video, and how it is made.
struct VideoWork: Sendable {
    let plan: VideoPlan
    /// The parts of the source that make up the interval, at their positions in the output.
    let segments: Segments
    let origin: Time
    let source: SourceFile
    /// Whether damage is an error.
    let strict: Bool
    let diagnostics: Diagnostics

    var track: Track { plan.track }
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
    let chain = Mutex<VideoFilterChain?>(nil)
    /// HDR light levels from the container.
    let stored = Mutex(LightLevels())
}
