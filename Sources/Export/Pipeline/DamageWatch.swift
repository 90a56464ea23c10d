// Follows the packets that a decoder of pictures is given, and says of what it does not decode when that would be shown. Decoders
// of several threads tell late, by a packet a thread at most. A value, on the queue of its decoder.
internal import Libav
internal import MediaTime

/// A look at one decoder.
struct DamageWatch: Sendable {
    /// Packets that may be in work at once.
    private let threads: Int
    /// When the last packets are shown.
    private var recent: [Time] = []
    /// When the packet that was given last is shown.
    private(set) var last: Time?
    /// When the first frame is shown that was decoded. What is shown before it, and stored behind it, was never meant to be.
    private var first: Time?
    /// What did not decode before there was a frame, and when it might have been shown at the earliest.
    private var pending: [(damage: Damage, earliest: Time)] = []
    private var errors = 0, concealments = 0
    /// Packets that must be given before errors that the decoder only logs are believed; nil: a keyframe must come first. Where
    /// decoding begins at a recovery point, it logs what it would have done with pictures before that.
    private var doubts: Int?
    private var hasBegun = false

    init(threads: Int) { self.threads = max(1, threads) }

    /// A packet is given to the decoder.
    /// - Parameter isClean: nothing that follows refers to what is before it; asked of the first packet.
    mutating func give(at time: Time?, isKey: Bool, isClean: () -> Bool) {
        if !hasBegun {
            doubts = isClean() ? 0 : nil
        } else if let left = doubts {
            doubts = max(0, left - 1)
        } else if isKey {
            doubts = threads + 1
        }
        hasBegun = true
        guard let time else { return }
        last = time
        recent.append(time)
        if recent.count > threads + 1 { recent.removeFirst() }
    }

    /// The first frame was decoded.
    /// - Returns: what did not decode until then, of what is shown with it or behind it.
    mutating func begin(at time: Time?) -> [Damage] {
        first = time
        defer { pending = [] }
        return pending.filter { one in time.map { one.earliest >= $0 } ?? true }.map(\.damage)
    }

    /// Damage that the decoder has returned; nil where it is none, or nobody knows yet.
    mutating func damage(_ error: LibavError, of decoder: Decoder) -> Damage? {
        (errors, concealments) = (decoder.errors, decoder.concealments)
        return placed(Damage(error, at: last))
    }

    /// Damage that the decoder has only logged since the last time.
    mutating func logged(by decoder: Decoder) -> Damage? {
        defer { (errors, concealments) = (decoder.errors, decoder.concealments) }
        if decoder.concealments > concealments { return placed(.concealed(at: last)) }
        return decoder.errors > errors && doubts == 0 ? placed(.reported(at: last)) : nil
    }

    /// Pictures that lead the one with which decoding began cannot be decoded: that is no damage.
    private mutating func placed(_ damage: Damage) -> Damage? {
        guard let earliest = recent.min() else { return first == nil ? nil : damage }
        guard let first else {
            pending.append((damage, earliest))
            return nil
        }
        return earliest < first ? nil : damage
    }
}
