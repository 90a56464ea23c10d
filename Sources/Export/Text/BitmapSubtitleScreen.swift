// What subtitles of pictures have on screen at a moment, so that an export that begins there can show it too. Reads the few
// bytes that say so in PGS (HDMV); of others, what their containers say.
internal import Libav

/// The packets that make up what is on screen.
struct BitmapSubtitleScreen {
    private let isPGS: Bool
    private var packets: [(packet: Packet, end: Int64?)] = []

    /// More than an epoch of subtitles has in practice; the oldest are let go.
    private static let most = 64

    init(codec: String) { isPGS = codec == "hdmv_pgs_subtitle" }

    /// Takes a packet; packets come in the order of their times.
    /// - Parameter end: where the container says that it ends.
    mutating func take(_ packet: Packet, until end: Int64?) {
        switch isPGS ? BitmapSubtitleScreen.composition(packet.bytes) : .whole {
        case .whole: packets = [(packet, end)]
        case .change: packets.append((packet, end))
        case .nothing: packets = []
        }
        if packets.count > BitmapSubtitleScreen.most { packets.removeFirst() }
    }

    /// The packets of what is shown at a time.
    func shown(at time: Int64) -> [Packet] {
        if let end = packets.last?.end, end <= time { return [] }
        return packets.map(\.packet)
    }

    private enum Composition { case whole, change, nothing }

    /// What a display set does to the screen: its first segment says so.
    private static func composition(_ bytes: [UInt8]) -> Composition {
        var at = 0
        while at + 3 <= bytes.count {
            let size = Int(bytes[at + 1]) << 8 | Int(bytes[at + 2])
            // Presentation composition: sizes, rate and number, then the state, the palette, and how many objects.
            if bytes[at] == 0x16, at + 14 <= bytes.count, size >= 11 {
                if bytes[at + 13] == 0 { return .nothing }
                return bytes[at + 10] & 0xc0 != 0 ? .whole : .change
            }
            at += 3 + size
        }
        return .change
    }
}
