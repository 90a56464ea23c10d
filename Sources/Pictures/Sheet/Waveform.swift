// The audio level of some parts, per column of an image. Short parts are decoded completely, long ones briefly at each column, so
// that hours of audio take no longer than the thumbnails.
internal import Glibc
internal import Libav
internal import Media
internal import MediaTime
internal import Source

/// The peak of each column: the largest sample of any channel; 1 is full scale.
struct Waveform {
    private(set) var peaks: [Float]
    /// The sum of squares of each column, of the loudest channel at each moment, and the number of these moments.
    private var powers: [Double], moments: [Double]
    /// Whether only some of the audio was decoded, so that there may be a higher peak.
    private(set) var isSampled = false

    /// Longer audio is not decoded completely, in seconds.
    private static let long = 300.0
    /// Packets decoded per column of long audio; the first ones are preroll.
    private static let packets = (runUp: 2, all: 6)
    /// A lower peak is silence: 24 bits hold no less.
    private static let silence: Float = 1e-7

    /// The highest peak.
    var peak: Float { peaks.max() ?? 0 }

    /// The highest peak in dBFS; nil: silence.
    var level: Double? { peak > Waveform.silence ? 20 * log10(Double(peak)) : nil }

    /// The root mean square of each column, of the loudest channel at each moment.
    var rms: [Float] {
        zip(powers, moments).map { power, count in count > 0 ? Float((power / count).squareRoot()) : 0 }
    }

    /// Adds samples to a column.
    private mutating func add(_ samples: ArraySlice<Float>, to column: Int) {
        var (peak, power) = (peaks[column], 0.0)
        for sample in samples {
            peak = max(peak, sample)
            power += Double(sample) * Double(sample)
        }
        peaks[column] = peak
        powers[column] += power
        moments[column] += Double(samples.count)
    }

    /// Measures consecutive parts. Audio that does not decode counts as silent.
    init(
        _ parts: [TimeSpan], columns: Int, source: SourceFile, track: Track, origin: Time,
        diagnostics: Diagnostics
    ) {
        peaks = [Float](repeating: 0, count: max(0, columns))
        (powers, moments) = (
            [Double](repeating: 0, count: peaks.count), Array(repeating: 0, count: peaks.count)
        )
        let rate = track.audio?.sampleRate ?? 48000
        let lengths = parts.map { max(0, ($0.end - $0.start).seconds) }
        let total = lengths.reduce(0, +)
        guard total > 0, columns > 0 else { return }
        if total > Waveform.long {
            isSampled = true
            try? sample(parts, total: total, source: source, track: track, origin: origin, rate: rate)
            return
        }
        var before = 0.0
        for (part, length) in zip(parts, lengths) {
            let audio = MonoAudio(
                source: source, track: track, origin: origin, rate: rate, mixing: .peak,
                diagnostics: diagnostics)
            var at = Int(before * Double(rate))
            let perColumn = total * Double(rate) / Double(columns)
            _ = try? audio.read(from: part.start, to: part.end) { samples in
                var rest = samples[...]
                while !rest.isEmpty {
                    let column = min(columns - 1, Int(Double(at) / perColumn))
                    let end = Int((Double(column + 1) * perColumn).rounded(.up))
                    let piece = rest.prefix(max(1, column == columns - 1 ? rest.count : end - at))
                    add(piece, to: column)
                    at += piece.count
                    rest = rest.dropFirst(piece.count)
                }
                return true
            }
            before += length
        }
    }

    /// Samples a little of each column.
    private mutating func sample(
        _ parts: [TimeSpan], total: Double, source: SourceFile, track: Track, origin: Time, rate: Int
    ) throws(MediaError) {
        let demuxer: Demuxer
        do throws(OpenFailure) { demuxer = try Demuxer(source, quick: true) } catch {
            throw MediaError(error, source: source)
        }
        demuxer.select(track: track.index)
        let columns = peaks.count
        var wave = self
        try media(.decodeFailed, track: track.index) { () throws(LibavError) in
            let packet = try Packet()
            let frame = try Frame()
            var part = 0
            var before = 0.0
            for column in 0..<columns {
                let position = total * (Double(column) + 0.5) / Double(columns)
                while part + 1 < parts.count,
                    position - before > (parts[part].end - parts[part].start).seconds
                {
                    before += (parts[part].end - parts[part].start).seconds
                    part += 1
                }
                let time = parts[part].start + Time(Int64((position - before) * 1000), 1000) + origin
                let ticks = track.timebase.ticks(of: time, rounding: .towardNegativeInfinity).ticks
                guard demuxer.seek(track: track.index, toTicks: ticks) else { continue }
                let decoder = try Decoder(
                    try CodecParameters(demuxer, track: track.index), timebase: track.timebase, threads: 1)
                var converter = MonoConverter(rate: rate, mixing: .peak)
                for number in 0..<Waveform.packets.all {
                    guard case .packet = demuxer.read(into: packet) else { break }
                    _ = try decoder.send(packet)
                    while case .frame = try decoder.receive(into: frame) {
                        guard number >= Waveform.packets.runUp else { continue }
                        wave.add(try converter.convert(try frame.reference())[...], to: column)
                    }
                }
            }
        }
        self = wave
    }
}
