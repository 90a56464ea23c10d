// Times of AAC in a transport stream whose sample rate changes: FFmpeg counts the packets that have no time of their own by the rate that
// the stream began with. On the demuxer's queue.
internal import CFFmpeg

/// The times of one track of AAC whose packets begin with a header of their own (ADTS, ISO/IEC 13818-7, 6.2).
struct ADTSClock {
    /// The last time that the stream stores, in its ticks, and the samples of the packets since.
    private var stored: (time: Int64, samples: Int64, rate: Int64)?

    /// Samples per second by the index in a header (ISO/IEC 14496-3, table 1.18).
    private static let rates: [Int64] = [
        96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8000, 7350,
    ]

    /// The rate and the samples that a packet's header tells, both without spectral band replication; nil: it has none.
    private static func header(_ bytes: Span<UInt8>) -> (rate: Int64, samples: Int64)? {
        guard bytes.count >= 7, bytes[0] == 0xFF, bytes[1] & 0xF6 == 0xF0 else { return nil }
        let index = Int(bytes[2] >> 2 & 15)
        guard rates.indices.contains(index) else { return nil }
        return (rates[index], 1024 * (1 + Int64(bytes[6] & 3)))
    }

    /// Corrects a packet's time and duration where its rate is not the stream's.
    /// - Parameters:
    ///   - rate: samples per second with which FFmpeg counts.
    ///   - ticks: of the stream, in a second.
    mutating func correct(_ packet: Packet, rate: Int64, ticks: Int64) {
        guard let header = packet.withBytes(ADTSClock.header) else { return stored = nil }
        // Of the packets that end a PES packet's payload, the first has its position, and its time.
        if packet.beginsPES, let time = packet.pts { stored = (time, 0, header.rate) }
        if stored?.rate != header.rate { stored = nil }
        guard let (time, samples, _) = stored else { return }
        stored?.samples += header.samples
        // Spectral band replication doubles the rate and the samples.
        guard header.rate != rate, header.rate * 2 != rate else { return }
        packet.pts = time &+ samples * ticks / header.rate
        packet.dts = packet.pts
        packet.duration = header.samples * ticks / header.rate
    }
}
