// SubtitleScreen: what picture subtitles (PGS, DVD, DVB) show from a packet on. Values.
internal import CFFmpeg

/// The pictures that a packet of picture subtitles puts on the screen, instead of those before.
public struct SubtitleScreen: Sendable {
    /// A picture with a palette.
    public struct Picture: Hashable, Sendable {
        /// The place on the screen, in its pixels.
        public let x: Int, y: Int, width: Int, height: Int
        /// The number of each pixel's colour, row by row.
        public let indexes: [UInt8]
        /// Colours in sRGB: 8 bits each of alpha, red, green and blue, from the top. As many as `indexes` name.
        public let palette: [UInt32]
    }

    /// The size of the screen in pixels; nil: that of the video.
    public let size: (width: Int, height: Int)?
    /// None: the screen is cleared.
    public let pictures: [Picture]
    /// Milliseconds after which it is cleared; nil: it stays until the next.
    public let duration: Int64?
}

extension SubtitleScreen.Picture {
    /// Nil if it is not a picture with a palette, or larger than any screen.
    init?(_ rect: AVSubtitleRect) {
        let (wide, high) = unsafe (Int(rect.w), Int(rect.h))
        guard unsafe rect.type == SUBTITLE_BITMAP, (1...8192).contains(wide), (1...8192).contains(high),
            unsafe Int(rect.linesize.0) >= wide, let rows = unsafe rect.data.0,
            let colors = unsafe rect.data.1
        else { return nil }
        var indexes: [UInt8] = []
        indexes.reserveCapacity(wide * high)
        for row in 0..<high {
            unsafe indexes.append(
                contentsOf: UnsafeBufferPointer(start: rows + row * Int(rect.linesize.0), count: wide))
        }
        // FFmpeg allocates all 256 colours, whatever their number.
        let palette = unsafe UnsafeRawPointer(colors).withMemoryRebound(to: UInt32.self, capacity: 256) {
            unsafe Array(UnsafeBufferPointer(start: $0, count: 256))
        }
        unsafe self.init(
            x: Int(rect.x), y: Int(rect.y), width: wide, height: high, indexes: indexes, palette: palette)
    }
}

extension SubtitleDecoder {
    /// The screen that a packet makes; nil if it makes none.
    public func screen(of packet: Packet) -> SubtitleScreen? {
        var subtitle = unsafe AVSubtitle()
        var got: Int32 = 0
        guard unsafe decode(&subtitle, &got, packet) >= 0, got != 0 else { return nil }
        defer { unsafe avsubtitle_free(&subtitle) }
        let pictures = (0..<Int(unsafe subtitle.num_rects)).compactMap { index in
            unsafe subtitle.rects[index].flatMap { unsafe SubtitleScreen.Picture($0.pointee) }
        }
        let end = unsafe subtitle.end_display_time
        return SubtitleScreen(
            size: size, pictures: pictures, duration: end == 0 || end == .max ? nil : Int64(end))
    }
}
