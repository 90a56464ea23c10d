// Recognises copied audio that begins at the in point without decoding it: its first packets are the source's, byte for byte, and
// have their times. Runs on the caller's thread.
internal import Libav
internal import Media
internal import MediaTime
internal import Source

extension AudioComparison {
    /// How much of the output is looked at: as long as the window that is decoded otherwise.
    private static let copiedSpan = Time(1, 4)
    /// Fewer packets than this could be alike by chance, as those of silence are.
    private static let leastPackets = 3

    private struct StoredPacket {
        /// When it is played, in output time.
        let time: Time
        let bytes: [UInt8]
    }

    /// Whether the output begins with the source's packets, each at its time. False also where that cannot be told: packets may be cut
    /// or wrapped otherwise, or begin between two ticks.
    var beginsWithSourcePackets: Bool {
        guard let segment = segments.all.first, segment.speed == Ratio(1), track.codec == made.codec,
            track.audio?.sampleRate == made.audio?.sampleRate
        else { return false }
        let until = segment.at + AudioComparison.copiedSpan
        let copied = packets(
            output, made, zero, at: .zero, back: .positiveInfinity, shift: .zero, until: until)
        guard copied.count >= AudioComparison.leastPackets, let first = copied.first else { return false }
        let rate = track.audio?.sampleRate ?? 48_000
        let slack = Time(Int64(slack(rate)), Int32(clamping: rate))
        func isNear(_ one: StoredPacket, _ other: StoredPacket) -> Bool {
            one.time - other.time <= slack && other.time - one.time <= slack
        }
        // The first packets may be played before the in point, for the decoder's sake.
        let stored = packets(
            source, track, origin, at: segment.start + min(first.time - segment.at, .zero), back: Time(1, 2),
            shift: segment.start - segment.at, until: until + slack)
        guard let start = stored.firstIndex(where: { isNear($0, first) && $0.bytes == first.bytes }),
            stored.count - start >= copied.count
        else { return false }
        return zip(stored[start...], copied).allSatisfy { isNear($0, $1) && $0.bytes == $1.bytes }
    }

    /// The packets from a time of a file on, and some before it; none where one has no time.
    /// - Parameters:
    ///   - shift: what is played at this time is played at the output's 0.
    ///   - until: in output time.
    private func packets(
        _ file: SourceFile, _ track: Track, _ origin: Time, at time: Time, back: Time, shift: Time,
        until: Time
    ) -> [StoredPacket] {
        guard let packet = try? Packet(),
            let reader = try? TrackReader.open(
                file, track: track, origin: origin, at: time, back: back)
        else { return [] }
        var packets: [StoredPacket] = []
        while reader.read(into: packet, Diagnostics()) {
            guard let pts = packet.pts else { return [] }
            let time = track.timebase.time(ofTicks: pts) - origin - shift
            if time >= until { break }
            packets.append(StoredPacket(time: time, bytes: packet.bytes))
        }
        return packets
    }
}
