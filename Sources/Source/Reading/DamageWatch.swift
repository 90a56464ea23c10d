// Follows the packets that a video decoder gets, and decides which damage shows in a span: that of its own frames, and that of any frame,
// before or after the span, from which one of them is decoded. A value, used on the decoder's queue.
package import Libav
package import Media
package import MediaTime

/// Tracks the damage that one decoder meets.
///
/// A frame is taken to be decoded from every packet before it in decoding order, back to the last sync sample from which on frames refer to
/// none before it. Packets have the numbers of `Decoder.packets`.
package struct DamageWatch: Sendable {
    /// The damage of a packet; the worst is kept.
    private struct Finding {
        var packet: Int
        var damage: Damage
        /// How much it says: the decoder refused the packet, concealed errors, or only reported some.
        var rank: Rank
    }
    private enum Rank: Comparable { case reported, concealed, refused }
    /// A decoded frame: the number of its packet, and its first moment.
    private struct Place {
        var packet: Int
        var time: Time
    }

    private let track: Track
    private let origin: Time
    private let kind: SampleKind
    /// The in point, in asset time.
    private let start: Time
    /// The out point; nil: the end of the track.
    private let end: Time?
    /// The packets of the frames that may still come, by their PTS.
    private var packets: [Int64: Int] = [:]
    /// The time of each packet that may still be damaged, by number.
    private var times: [Int: Time] = [:]
    private var last = -1
    /// The sync sample where decoding began, and its time.
    private var first: (packet: Int, time: Time?)?
    /// The packet from which on errors that are only logged are damage. Where decoding begins at a recovery point, the decoder logs errors
    /// for missing earlier frames.
    private var trusted: Int?
    /// Sync samples from which on frames are whole again, and when the first of these is shown.
    private var restarts: [(packet: Int, time: Time?)] = []
    /// In decoding order, without what was returned.
    private var findings: [Finding] = []
    /// The frame on screen at the in point, until a later one shows that it is.
    private var onScreen: Place?
    private var isInside = false
    /// Frames were decoded before a sync sample.
    private var beginsWithoutKey = false
    /// Whether anything was damaged so far, in the span or not.
    package private(set) var hasDamage = false

    /// - Parameters:
    ///   - start: the first moment of the span, in asset time.
    ///   - end: the first moment after it; nil: the end of the track.
    package init(_ track: Track, origin: Time, kind: SampleKind, from start: Time, to end: Time?) {
        (self.track, self.origin, self.kind, self.start, self.end) = (track, origin, kind, start, end)
    }

    /// More packets are not on their way to frames at once.
    private static let most = 128

    // MARK: Packets

    /// Records a packet that is about to be sent.
    /// - Parameter number: the number of packets that were sent before.
    package mutating func give(_ packet: Packet, number: Int) {
        let time = (packet.pts ?? packet.dts).map { self.time($0) }
        last = number
        if let pts = packet.pts { packets[pts] = number }
        times[number] = time
        if packets.count > 2 * DamageWatch.most {
            packets = packets.filter { $0.value > number - DamageWatch.most }
            times = times.filter { $0.key > number - DamageWatch.most }
        }
        guard packet.isKey else { return }
        let shown = packet.pts.map { self.time($0) }
        if first == nil {
            first = (number, shown)
            if kind.access(of: packet) != .recovery { trusted = number }
        } else {
            trusted = trusted ?? number
            if kind.isClean(packet) { restart((number, shown)) }
        }
    }

    /// Notes a sync sample from which on frames are whole again, and forgets damage that no frame to come is decoded from.
    private mutating func restart(_ restart: (packet: Int, time: Time?)) {
        let done = restarts.last { $0.packet < restart.packet - DamageWatch.most }?.packet ?? 0
        findings.removeAll { $0.packet < done }
        let earliest = min(findings.first?.packet ?? .max, last - DamageWatch.most)
        restarts.removeAll { $0.packet <= earliest }
        restarts.append(restart)
    }

    /// Records an error that the decoder returned.
    package mutating func refused(_ error: LibavError, by decoder: Decoder, isFlushing: Bool) {
        note(decoder)
        let unexplained =
            isFlushing ? findings.first { $0.rank != .refused && $0.packet > last - decoder.delay } : nil
        let packet = unexplained?.packet ?? (isFlushing ? last : max(0, last - decoder.delay))
        add(packet, Damage(error, at: nil), .refused)
    }

    /// Records what the decoder has logged.
    private mutating func note(_ decoder: Decoder) {
        for line in decoder.takeReports() {
            if line.isConcealment {
                add(line.packet, .concealed(at: nil), .concealed)
            } else if let trusted, line.packet >= trusted {
                add(line.packet, .reported(at: nil), .reported)
            }
        }
    }

    private mutating func add(_ packet: Int, _ damage: Damage, _ rank: Rank) {
        guard !isLeading(packet) else { return }
        hasDamage = true
        let place = findings.firstIndex { $0.packet >= packet } ?? findings.endIndex
        if place < findings.endIndex, findings[place].packet == packet {
            guard findings[place].rank < rank else { return }
            findings[place].rank = rank
            findings[place].damage.cause = damage.cause
            return
        }
        var damage = damage
        damage.time = times[packet]
        findings.insert(Finding(packet: packet, damage: damage, rank: rank), at: place)
    }

    /// Whether a packet is stored or shown before the sync sample where decoding began: such need not decode, and others do not refer to
    /// them.
    private func isLeading(_ packet: Int) -> Bool {
        guard let first, packet >= first.packet else { return !beginsWithoutKey }
        guard packet > first.packet, let begin = first.time, let time = times[packet] else { return false }
        return time < begin
    }

    // MARK: Frames

    /// Takes the next frame in presentation order.
    /// - Parameter time: its first moment, in asset time.
    /// - Returns: damage that shows in the span up to here, in decoding order, each once.
    package mutating func show(_ frame: Frame, at time: Time, by decoder: Decoder) -> [Damage] {
        note(decoder)
        if first == nil { beginsWithoutKey = true }
        let packet = frame.bestEffort.flatMap { packets.removeValue(forKey: $0) } ?? last
        if frame.isDamaged { add(packet, .concealed(at: nil), .concealed) }
        let place = Place(packet: packet, time: time)
        if time <= start {
            onScreen = place
            return []
        }
        let begun = begin()
        if let end, time >= end { return begun + taken(findings.filter { isOwn($0) }) }
        let shown = findings.filter { reaches($0, place) || ($0.packet <= packet && isOwn($0)) }
        return begun + taken(shown)
    }

    /// All frames were taken.
    package mutating func finish(_ decoder: Decoder) -> [Damage] {
        note(decoder)
        return begin() + taken(findings.filter { isOwn($0) })
    }

    /// A frame after the in point was seen, so that the one on screen there is known.
    private mutating func begin() -> [Damage] {
        guard !isInside else { return [] }
        isInside = true
        let shown = onScreen
        let found = findings.filter { finding in
            if let shown, reaches(finding, shown) { return true }
            // A frame that should be on screen there, and is missing.
            guard let time = finding.damage.time, time <= start, time > shown?.time ?? time - usual else {
                return false
            }
            return time + usual > start
        }
        return taken(found)
    }

    private var usual: Time { track.video?.usualLength ?? Time(1, 25) }

    /// Whether a damaged packet is that of a frame in the span, or has no time.
    private func isOwn(_ finding: Finding) -> Bool {
        guard let time = finding.damage.time else { return true }
        return time > start && end.map { time < $0 } ?? true
    }

    /// Whether a frame is decoded from a damaged packet, directly or not.
    private func reaches(_ finding: Finding, _ place: Place) -> Bool {
        guard finding.packet <= place.packet else { return false }
        return !restarts.contains { restart in
            restart.packet > finding.packet && restart.packet <= place.packet
                && restart.time.map { $0 <= place.time } ?? true
        }
    }

    /// Damage that is not returned again.
    private mutating func taken(_ found: [Finding]) -> [Damage] {
        guard !found.isEmpty else { return [] }
        let numbers = Set(found.map(\.packet))
        findings.removeAll { numbers.contains($0.packet) }
        return found.map(\.damage)
    }

    private func time(_ ticks: Int64) -> Time { track.timebase.time(ofTicks: ticks) - origin }
}
