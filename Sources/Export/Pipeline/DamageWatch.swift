// Follows the packets sent to a video decoder and maps decoding errors to presentation times. Multithreaded decoders report late,
// by up to one packet per thread. A value, used on the decoder's queue.
internal import Libav
internal import MediaTime

/// Tracks the damage reported by one decoder.
struct DamageWatch: Sendable {
    /// Maximum number of packets in flight.
    private let threads: Int
    /// When the last packets are shown.
    private var recent: [Time] = []
    /// When the last packet sent is shown.
    private(set) var last: Time?
    /// When the first decoded frame is shown. Frames shown before it and stored after it need not decode.
    private var first: Time?
    /// Damage before the first frame, and the earliest time it might have been shown.
    private var pending: [(damage: Damage, earliest: Time)] = []
    private var errors = 0, concealments = 0
    /// Packets to send before errors that the decoder only logs count; nil: a keyframe must come first. Where decoding begins at
    /// a recovery point, the decoder logs errors for missing earlier frames.
    private var doubts: Int?
    private var hasBegun = false

    init(threads: Int) { self.threads = max(1, threads) }

    /// Records a packet sent to the decoder.
    /// - Parameter isClean: nothing after the packet refers to earlier ones; evaluated for the first packet.
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

    /// Records the first decoded frame.
    /// - Returns: earlier damage that is shown with it or after it.
    mutating func begin(at time: Time?) -> [Damage] {
        first = time
        defer { pending = [] }
        return pending.filter { one in time.map { one.earliest >= $0 } ?? true }.map(\.damage)
    }

    /// Damage returned by the decoder; nil if it is none or not known yet.
    mutating func damage(_ error: LibavError, of decoder: Decoder) -> Damage? {
        (errors, concealments) = (decoder.errors, decoder.concealments)
        return placed(Damage(error, at: last))
    }

    /// Damage that the decoder has only logged since the last call.
    mutating func logged(by decoder: Decoder) -> Damage? {
        defer { (errors, concealments) = (decoder.errors, decoder.concealments) }
        if decoder.concealments > concealments { return placed(.concealed(at: last)) }
        return decoder.errors > errors && doubts == 0 ? placed(.reported(at: last)) : nil
    }

    /// Leading pictures of the first decoded sample cannot be decoded: that is not damage.
    private mutating func placed(_ damage: Damage) -> Damage? {
        guard let earliest = recent.min() else { return first == nil ? nil : damage }
        guard let first else {
            pending.append((damage, earliest))
            return nil
        }
        return earliest < first ? nil : damage
    }
}
