// Decodes one audio track to mono samples at one rate, cut to the sample. Runs on the caller's queue; keeps nothing.
package import Libav
package import Media
package import MediaTime
package import Source

/// The mono audio of a track.
package struct MonoAudio {
    let source: SourceFile
    let track: Track
    let origin: Time
    /// Output samples per second.
    let rate: Int
    /// How its channels become one.
    var mixing = ChannelMixing.mix
    let diagnostics: Diagnostics
    /// Filters of the audio before it is mixed; nil: none.
    package var filters: String?

    /// Creates a value of its parts.
    package init(
        source: SourceFile, track: Track, origin: Time, rate: Int, mixing: ChannelMixing = ChannelMixing.mix,
        diagnostics: Diagnostics, filters: String? = nil
    ) {
        (self.source, self.track, self.origin, self.rate) = (source, track, origin, rate)
        (self.mixing, self.diagnostics, self.filters) = (mixing, diagnostics, filters)
    }

    /// Passes all audio of a part to `body` in pieces, from its first sample on, with silence in gaps, until `body` returns
    /// false.
    /// - Parameter end: nil: to the end of the track.
    /// - Returns: number of damaged packets.
    @discardableResult
    package func read(from start: Time, to end: Time?, _ body: ([Float]) -> Bool) throws(MediaError) -> Int64
    {
        var converter = MonoConverter(rate: rate, mixing: mixing, filters: filters)
        var isWanted = true
        let audio = CutAudio(
            source: source, track: track, origin: origin, rate: rate, diagnostics: diagnostics)
        let damaged = try audio.read(from: start, to: end) { piece throws(LibavError) in
            isWanted = body(try converter.convert(piece))
            return isWanted
        }
        if isWanted {
            try media(.decodeFailed, track: track.index) { () throws(LibavError) in
                _ = body(try converter.finish())
            }
        }
        return damaged
    }
}

/// How the channels of audio become one.
package enum ChannelMixing {
    /// Mixed.
    case mix
    /// The largest magnitude of any, which mixing may cancel.
    case peak
}

/// Converts audio to one channel and one rate.
struct MonoConverter {
    private let rate: Int
    private let mixing: ChannelMixing
    private let filters: String?
    private var graph: FilterGraph?
    private var shape: FrameShape?
    private var count: Int64 = 0

    init(rate: Int, mixing: ChannelMixing, filters: String? = nil) {
        (self.rate, self.mixing, self.filters) = (rate, mixing, filters)
    }

    /// The samples of a frame; some may be returned with the next one.
    mutating func convert(_ frame: Frame) throws(LibavError) -> [Float] {
        var samples: [Float] = []
        if shape != frame.shape {
            samples = try finish()
            shape = frame.shape
            count = 0
            graph = try FilterGraph(
                chain: (filters.map { $0 + "," } ?? "") + "aresample=\(rate):rematrix_maxval=1.0,"
                    + "aformat=sample_fmts=flt:sample_rates=\(rate)"
                    + (mixing == .mix ? ":channel_layouts=mono" : ""),
                shape: frame.shape, timebase: Timebase(perSecond: frame.sampleRate) ?? .seconds, threads: 1)
        }
        guard let graph else { return samples }
        frame.pts = count
        count += Int64(frame.sampleCount)
        try graph.send(frame)
        while let out = try graph.receive() { samples += self.samples(of: out) }
        return samples
    }

    private func samples(of frame: Frame) -> [Float] {
        mixing == .mix ? frame.monoSamples : frame.peakSamples
    }

    /// Flushes the remaining samples.
    mutating func finish() throws(LibavError) -> [Float] {
        guard let graph else { return [] }
        try graph.send(nil)
        var samples: [Float] = []
        while let out = try graph.receive() { samples += self.samples(of: out) }
        self.graph = nil
        shape = nil
        return samples
    }
}
