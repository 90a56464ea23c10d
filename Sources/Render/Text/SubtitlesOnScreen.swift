// Tracks which bitmap subtitles and closed captions are on screen at a time, so that an export that begins there can show them too.
// Parses the few relevant bytes of PGS (HDMV) and DVB subtitles and of CEA-608; for others it uses container data.
internal import Libav

/// The packets that make up the current screen.
struct SubtitlesOnScreen {
    private let composition: @Sendable ([UInt8]) -> Composition
    private var packets: [(packet: Packet, end: Int64?)] = []
    /// The commands of closed captions; nil: there are bitmaps.
    private var captions: CaptionScreen?

    /// More than an epoch of subtitles has in practice; the oldest are removed.
    private static let most = 64

    init(codec: String) {
        captions = codec == "eia_608" ? CaptionScreen() : nil
        composition =
            switch codec {
            case "hdmv_pgs_subtitle": SubtitlesOnScreen.graphics
            case "dvb_subtitle": SubtitlesOnScreen.page
            default: { _ in .whole }
            }
    }

    /// Adds a packet; packets come in time order.
    /// - Parameter end: its end, from the container.
    mutating func take(_ packet: Packet, until end: Int64?) {
        if captions != nil {
            captions?.take(packet.bytes)
            return packets = [(packet, end)]
        }
        switch composition(packet.bytes) {
        case .whole: packets = [(packet, end)]
        case .change: packets.append((packet, end))
        case .nothing: packets = []
        case .rest: if !packets.isEmpty { packets.append((packet, end)) }
        }
        if packets.count > SubtitlesOnScreen.most { packets.removeFirst() }
    }

    /// The packets shown at a time; of captions one, with all commands that show them.
    func shown(at time: Int64) throws(LibavError) -> [Packet] {
        if let captions {
            guard let last = packets.last?.packet, !captions.commands.isEmpty else { return [] }
            try last.replaceBytes(captions.commands)
            return [last]
        }
        if let end = packets.last?.end, end <= time { return [] }
        return packets.map(\.packet)
    }

    /// How a packet changes the screen. Rest: it belongs to the composition before it; discs store each segment of PGS by itself.
    private enum Composition { case whole, change, nothing, rest }

    /// The effect of a display set of PGS on the screen, from its first segment.
    private static func graphics(_ bytes: [UInt8]) -> Composition {
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
        return .rest
    }

    /// The effect of a display set of DVB on the screen (EN 300 743, 7.2.2), from its page composition: an acquisition point and a change
    /// of mode repeat all that is shown, and a page without regions shows nothing.
    private static func page(_ bytes: [UInt8]) -> Composition {
        var at = 0
        // A sync byte, the type, the page, and the size of the rest.
        while at + 6 <= bytes.count, bytes[at] == 0x0f {
            let size = Int(bytes[at + 4]) << 8 | Int(bytes[at + 5])
            if bytes[at + 1] == 0x10, at + 8 <= bytes.count, size >= 2 {
                if size == 2 { return .nothing }
                return bytes[at + 7] & 0x0c != 0 ? .whole : .change
            }
            at += 6 + size
        }
        return .change
    }
}
