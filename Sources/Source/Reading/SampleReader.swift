// Reads the samples of a container: a frame is one sample, even where its two fields are stored separately, as transport stream
// recorders do. HEVC fields stay separate samples, and the second of a frame is marked. Fields that are stored together are unchanged.
// Of several audio frames in one packet, each is a sample. Owns its demuxer. Used on one queue at a time.
internal import Codecs
package import Libav
internal import Media
internal import MediaTime

/// Reads the samples of a container.
package final class SampleReader {
    package let demuxer: Demuxer
    /// How the fields of video tracks are paired; empty if all packets are frames.
    private var pairings: [Int: FieldPairing] = [:]
    private var known: Set<Int> = []
    /// A track whose packets are neither fields nor several frames: they are samples as they are.
    private var plain: Int?
    /// Tracks of AMR, whose packets may have several frames, each of which is a sample here.
    private var voices: [Int: (isWide: Bool, rate: Timebase, ticks: Timebase)] = [:]
    /// A field, by track, that may be followed by its other field.
    private var held: [Int: Packet] = [:]
    /// Read after a field that turned out to be unpaired, or at the end.
    private var waiting: [Packet] = []
    private var ending: Demuxer.Reading?
    /// Video tracks whose samples are single fields, joined here or not.
    package private(set) var joined: Set<Int> = []

    package init(_ demuxer: Demuxer) { self.demuxer = demuxer }

    /// Opens a source.
    /// - Parameter quick: trust the headers, where another demuxer has already probed the same source.
    package convenience init(_ source: SourceFile, quick: Bool = false) throws(OpenFailure) {
        self.init(try Demuxer(source, quick: quick))
    }

    /// Discards all samples except those of one track.
    package func select(track: Int) { demuxer.select(track: track) }

    /// Whether the bytes of a track's samples are looked at here: they may be fields.
    package func looks(at track: Int) -> Bool {
        guard let codec = demuxer.codec(of: track),
            let parameters = try? CodecParameters(demuxer, track: track)
        else { return true }
        return AMRCodec.isWide(codec) != nil
            || FieldPairing(codec: codec, extradata: parameters.extradata) != nil
    }

    /// Takes a packet apart that has several audio frames.
    private func split(_ packet: Packet) throws(LibavError) {
        guard let (isWide, rate, timebase) = voices[packet.track],
            let frames = AMRCodec.frames(of: packet.bytes, isWide: isWide)
        else { return }
        func ticks(_ count: Int) -> Int64 {
            let samples = Int64(count) * AMRCodec.frameLength(isWide: isWide)
            return timebase.ticks(of: rate.time(ofTicks: samples), rounding: .halfAwayFromZero).ticks
        }
        for (number, bytes) in frames.enumerated() {
            let part = try packet.part(bytes)
            let offset = ticks(number)
            (part.pts, part.dts) = (packet.pts.map { $0 &+ offset }, packet.dts.map { $0 &+ offset })
            part.duration = ticks(number + 1) - offset
            waiting.append(part)
        }
        packet.take(waiting.removeFirst())
    }

    /// Seeks to the last position from which the container says `ticks` of the track can be reached. False if the container
    /// cannot seek there.
    package func seek(track: Int, toTicks ticks: Int64) -> Bool {
        guard demuxer.seek(track: track, toTicks: ticks) else { return false }
        for index in pairings.keys { pairings[index]?.interrupt() }
        (held, waiting, ending) = ([:], [], nil)
        return true
    }

    /// Goes to the beginning of one of several films, by its number from 0. First of all, before anything is read.
    package func goToFilm(_ film: Int) { demuxer.goToFilm(film) }

    /// Ends with one of several films. First of all, before anything is read.
    package func endWithFilm(_ film: Int) { demuxer.endWithFilm(film) }

    /// Reads the next sample of the selected tracks.
    package func read(into packet: Packet) -> Demuxer.Reading {
        while true {
            if !waiting.isEmpty {
                packet.take(waiting.removeFirst())
                return .packet
            }
            if let ending { return ending }
            let reading = demuxer.read(into: packet)
            guard case .packet = reading else {
                // Remaining fields are unpaired.
                waiting = held.sorted { $0.key < $1.key }.map(\.value)
                (held, ending) = ([:], reading)
                continue
            }
            do throws(LibavError) {
                if try pair(packet) { return .packet }
            } catch { return .broken(error) }
        }
    }

    /// Whether to return a packet now; false if it waits for its other field, or others come first.
    private func pair(_ packet: Packet) throws(LibavError) -> Bool {
        let track = packet.track
        if track == plain { return true }
        if known.insert(track).inserted, let codec = demuxer.codec(of: track) {
            let parameters = try CodecParameters(demuxer, track: track)
            pairings[track] = FieldPairing(codec: codec, extradata: parameters.extradata)
            if let isWide = AMRCodec.isWide(codec),
                let stream = demuxer.streams.first(where: { $0.index == track }),
                let rate = Timebase(perSecond: stream.sampleRate)
            {
                voices[track] = (isWide, rate, stream.timebase)
            }
            if pairings[track] == nil, voices[track] == nil { plain = track }
        }
        if !packet.isForeign { try split(packet) }
        guard pairings[track] != nil,
            let role = packet.isForeign
                ? .whole : pairings[track]?.role(packet.bytes, isKey: packet.isKey)
        else { return true }
        let before = held.removeValue(forKey: track)
        switch role {
        case .whole:
            guard let before else { return true }
            waiting = [before, try moved(packet)]
        case .first:
            held[track] = try moved(packet)
            waiting = [before].compactMap(\.self)
        case .second:
            guard let before else { return true }
            try before.append(field: packet)
            packet.take(before)
            joined.insert(track)
            return true
        case .separate(let isSecond):
            packet.isSecondField = isSecond
            joined.insert(track)
            return true
        }
        return false
    }

    /// Whether the bottom field of a track's frames comes first; nil before a frame of two coded fields was read.
    package func isBottomFirst(_ track: Int) -> Bool? { pairings[track]?.isBottomFirst }

    /// Moves the packet's content to a new packet that can be kept.
    private func moved(_ packet: Packet) throws(LibavError) -> Packet {
        let other = try Packet()
        other.take(packet)
        return other
    }
}
