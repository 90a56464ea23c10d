// The closed captions (CEA-608) that are on screen at a time, or being loaded: the commands that a track must begin with to show them.
// Pure: pairs of bytes, each behind its type, as FFmpeg stores them. It draws nothing, and knows one channel.

/// The commands of one channel of captions up to a time.
struct CaptionScreen {
    /// The commands of the captions that are shown, and of those that are loaded to be shown next.
    private var shown: [UInt8] = [], loading: [UInt8] = []
    /// The command by which pairs are shown as they come (roll-up, paint-on); empty: they are loaded first.
    private var direct: [UInt8] = []
    /// The pair before; codes are sent twice.
    private var last: [UInt8] = []

    /// The commands that show and load the same; none where the screen is empty.
    var commands: [UInt8] { direct + shown + loading }

    /// More than a screen of captions takes; the oldest pairs are removed.
    private static let most = 3 * 1024

    /// The effect of a command of miscellaneous control, by its second byte (CTA-608-E, table 51).
    private enum Command {
        /// The next pairs are loaded (RCL).
        case load
        /// The next pairs are shown at once (RU2 to RU4, RDC).
        case direct
        /// The screen is erased (EDM).
        case erase
        /// The loaded captions are shown (EOC).
        case show

        init?(_ pair: [UInt8]) {
            // The first bit of each byte is parity. 0x14 is the first channel, 0x1c the second; in the second field 0x15 and 0x1d.
            guard [0x14, 0x15, 0x1c, 0x1d].contains(pair[1] & 0x7f) else { return nil }
            switch pair[2] & 0x7f {
            case 0x20: self = .load
            case 0x25, 0x26, 0x27, 0x29: self = .direct
            case 0x2c: self = .erase
            case 0x2f: self = .show
            default: return nil
            }
        }
    }

    /// Adds the pairs of a sample.
    mutating func take(_ bytes: [UInt8]) {
        for at in stride(from: 0, to: bytes.count - 2, by: 3) { take(pair: Array(bytes[at..<(at + 3)])) }
    }

    private mutating func take(pair: [UInt8]) {
        // Padding.
        guard pair[1] & 0x7f != 0 || pair[2] & 0x7f != 0 else { return last = [] }
        // The second of two equal codes counts for nothing; text may be repeated.
        let isCode = pair[1] & 0x70 == 0x10
        if isCode, pair == last { return last = [] }
        last = pair
        switch Command(pair) {
        case .load: (shown, loading, direct) = (direct + shown, pair, [])
        case .direct:
            if direct.isEmpty { shown = [] }
            direct = pair
        case .erase: shown = []
        case .show: (shown, loading, direct) = (loading + pair, [], [])
        case nil: if direct.isEmpty { loading += pair } else { shown += pair }
        }
        shown.removeFirst(max(0, shown.count - CaptionScreen.most))
        loading.removeFirst(max(0, loading.count - CaptionScreen.most))
    }
}
