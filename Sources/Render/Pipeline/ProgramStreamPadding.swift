// Keeps the times of frames in program streams. A pack states the time only of the first frame that begins in it; readers count on from
// there, which is wrong where frames are not evenly spaced, as beside a cut within a frame. Used on the muxer's thread.
internal import Libav

/// Pads small frames of one video track, so that the next frame begins in a pack of its own.
struct ProgramStreamPadding {
    /// Ticks of the lane from one frame to the next.
    private let period: Int64
    /// How many frames are still padded.
    private var remaining = 0

    init(period: Int64) { self.period = period }

    /// The size of FFmpeg's packs in bytes, 2048 (`packet_size` in mpegenc.c), headers included.
    private static let pack = 2048
    /// Readers place frames by those around them: as many as FFmpeg's encoder puts between two that others refer to.
    private static let depth = 16

    /// Adds zeros behind a frame where its times or those of a frame beside it are uneven, or one of two is encoded and the other copied.
    /// MPEG-1 and MPEG-2 allow them before a start code (ISO/IEC 13818-2, 5.2.3).
    /// - Parameter next: the frame that is decoded after it; nil: it is the last.
    mutating func pad(_ packet: Packet, before next: Packet?) throws(LibavError) {
        if !isPeriod(packet.duration) || next.map({ isUneven(packet, $0) }) ?? false {
            remaining = ProgramStreamPadding.depth
        }
        guard remaining > 0 else { return }
        remaining -= 1
        let missing = ProgramStreamPadding.pack - packet.size
        guard missing > 0 else { return }
        try packet.replaceBytes(packet.bytes + [UInt8](repeating: 0, count: missing))
    }

    private func isUneven(_ packet: Packet, _ next: Packet) -> Bool {
        if packet.isCopied != next.isCopied || !isPeriod(next.duration) { return true }
        guard let dts = packet.dts, let following = next.dts else { return false }
        return !isPeriod(following &- dts)
    }

    /// Whether a distance is that of evenly spaced frames, in rounded ticks.
    private func isPeriod(_ ticks: Int64) -> Bool { (ticks &- period).magnitude <= 1 }
}
