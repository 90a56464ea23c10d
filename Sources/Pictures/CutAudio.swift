// Decodes one audio track and cuts it to the sample by the rules of an export. Runs on the caller's queue; keeps nothing.
package import Libav
package import Media
package import MediaTime
internal import Render
package import Source

/// The audio of a track, in the format of the source.
package struct CutAudio {
    let source: SourceFile
    let track: Track
    let origin: Time
    /// The rate that the audio is converted to, if the source's is higher.
    let rate: Int
    let diagnostics: Diagnostics

    /// Creates a value of its parts.
    package init(source: SourceFile, track: Track, origin: Time, rate: Int, diagnostics: Diagnostics) {
        (self.source, self.track, self.origin, self.rate) = (source, track, origin, rate)
        self.diagnostics = diagnostics
    }

    /// Passes all audio of a part to `body` in pieces, from its first sample on, with silence in gaps, until `body` returns
    /// false.
    /// - Parameter end: nil: to the end of the track.
    /// - Returns: number of damaged packets.
    @discardableResult
    package func read(
        from start: Time, to end: Time?, _ body: (Frame) throws(LibavError) -> Bool
    ) throws(MediaError) -> Int64 {
        let segment = Segment(start: start, end: end)
        for back in LookBack.audio(track, before: start) {
            let reader = try TrackReader.open(
                source, track: track, origin: origin, at: start, back: back)
            if let damaged = try attempt(reader, segment, body) { return damaged }
        }
        return 0
    }

    /// Nil: the reader is past the first packet needed.
    private func attempt(
        _ reader: TrackReader, _ segment: Segment, _ body: (Frame) throws(LibavError) -> Bool
    ) throws(MediaError) -> Int64? {
        let settings = AudioSettings(
            codec: "pcm_f32le", encoder: "pcm_f32le", bitRate: nil, maxChannels: 1, maxSampleRate: rate)
        let plan = AudioPlan(track: track, settings: settings)
        var damaged: Int64 = 0
        return try media(.decodeFailed, track: track.index) { () throws(LibavError) -> Int64? in
            let decoder = try Decoder(
                try reader.decoderParameters(), timebase: track.timebase, threads: 1)
            let packet = try Packet()
            var isPacket = reader.read(into: packet, diagnostics)
            var seeked: Time?
            if !reader.isFromBeginning {
                seeked = AudioCutter.time(
                    of: isPacket ? packet : nil, track, origin: origin, before: segment.start)
                if seeked == nil { return nil }
            }
            var cutter = AudioCutter(
                plan, origin: origin, segment, end: track.editEnd, seeked: seeked,
                tolerance: reader.timeTolerance)
            while !cutter.isDone {
                if case .damaged = try decoder.send(isPacket ? packet : nil) { damaged += 1 }
                receiving: while true {
                    let frame = try Frame()
                    switch try decoder.receive(into: frame) {
                    case .frame:
                        cutter.take(frame)
                        while let piece = try cutter.piece() {
                            guard try body(piece) else { return damaged }
                        }
                    case .needsInput, .ended: break receiving
                    case .damaged: damaged += 1
                    }
                }
                if !isPacket {
                    cutter.take(nil)
                    while let piece = try cutter.piece() {
                        guard try body(piece) else { return damaged }
                    }
                    break
                }
                isPacket = reader.read(into: packet, diagnostics)
            }
            return damaged
        }
    }
}
