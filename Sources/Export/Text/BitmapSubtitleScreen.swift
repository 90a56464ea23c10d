// Tracks which bitmap subtitles are on screen at a time, so that an export that begins there can show them too. Parses the few
// relevant bytes of PGS (HDMV); for others it uses container data.
internal import Libav

/// The packets that make up the current screen.
struct BitmapSubtitleScreen {
    private let isPGS: Bool
    private var packets: [(packet: Packet, end: Int64?)] = []

    /// More than an epoch of subtitles has in practice; the oldest are removed.
    private static let most = 64

    init(codec: String) { isPGS = codec == "hdmv_pgs_subtitle" }

    /// Adds a packet; packets come in time order.
    /// - Parameter end: its end, from the container.
    mutating func take(_ packet: Packet, until end: Int64?) {
        switch isPGS ? BitmapSubtitleScreen.composition(packet.bytes) : .whole {
        case .whole: packets = [(packet, end)]
        case .change: packets.append((packet, end))
        case .nothing: packets = []
        }
        if packets.count > BitmapSubtitleScreen.most { packets.removeFirst() }
    }

    /// The packets shown at a time.
    func shown(at time: Int64) -> [Packet] {
        if let end = packets.last?.end, end <= time { return [] }
        return packets.map(\.packet)
    }

    private enum Composition { case whole, change, nothing }

    /// The effect of a display set on the screen, from its first segment.
    private static func composition(_ bytes: [UInt8]) -> Composition {
        var at = 0
        while at + 3 <= bytes.count {
            let size = Int(bytes[at + 1]) << 8 | Int(bytes[at + 2])
            // Presentation composition: sizes, rate and number, then the state, the palette, and the number of objects.
            if bytes[at] == 0x16, at + 14 <= bytes.count, size >= 11 {
                if bytes[at + 13] == 0 { return .nothing }
                return bytes[at + 10] & 0xc0 != 0 ? .whole : .change
            }
            at += 3 + size
        }
        return .change
    }
}
