// DrawnSubtitles: the subtitles of a track as rectangles for frames, by the source's times.
internal import Libav

/// Subtitles, drawn.
protocol DrawnSubtitles: AnyObject {
    /// Adds a packet's, shown from one moment to another, in milliseconds.
    func add(_ packet: Packet, from start: Int64, to end: Int64)
    /// Forgets all that were added.
    func removeAll()
    /// Those shown at a moment, in milliseconds.
    func overlays(at moment: Int64) -> [FrameOverlay]
}
