// Packets after a seek in streams that store times of some frames only. FFmpeg derives the others from the packet before, and the first
// ones after a seek have none: their times are wrong, up to the next one that is stored, and the first packet may be the rest of a
// frame. So it seeks further back, and drops packets up to the place where the seek ended. On the demuxer's queue.
internal import CFFmpeg

extension Demuxer {
    /// Seconds that are read before the place of a seek: a time is stored at least every 0.7 s (ISO/IEC 13818-1, 2.7.4).
    private static let settlingTime: Int64 = 2

    /// Whether the first packets of a track have wrong times after a seek.
    private func mustSettle(_ track: Int) -> Bool {
        switch format {
        case "mpeg": true
        case "mpegts": hasOrderedFrames(track..<(track + 1))
        default: false
        }
    }

    /// Seeks the file itself, so that the packets that follow have their times.
    func seekSettled(track: Int, toTicks ticks: Int64) -> Bool {
        settling = nil
        if let found = seekByCues(track: track, toTicks: ticks) { return found }
        func seek(_ ticks: Int64) -> Bool {
            unsafe av_seek_frame(context, Int32(track), ticks, AVSEEK_FLAG_BACKWARD) >= 0
        }
        guard seek(ticks) else { return false }
        guard mustSettle(track), let base = unsafe ownStream(track)?.pointee.time_base, base.num > 0 else {
            return true
        }
        let place = firstPlace(of: track)
        let margin = Demuxer.settlingTime * Int64(base.den) / Int64(base.num)
        guard let place, seek(ticks &- margin) else { return seek(ticks) }
        settling = (track, place)
        return true
    }

    /// Where the next packet of a track lies in the file; nil: unknown. Reads it.
    private func firstPlace(of track: Int) -> Int64? {
        guard let packet = try? Packet() else { return nil }
        while case .packet = readOwn(into: packet) {
            let offset = unsafe packet.pointer.pointee.pos
            if packet.track == track, offset >= 0 { return offset }
        }
        return nil
    }

    /// Whether a packet lies before the place of the last seek.
    func isBeforeSeek(_ packet: Packet) -> Bool {
        guard let (track, place) = settling else { return false }
        // Of several frames that begin in one packet of the stream, FFmpeg gives only the first its place.
        guard unsafe packet.pointer.pointee.pos >= place else { return true }
        if packet.track == track { settling = nil }
        return false
    }
}
