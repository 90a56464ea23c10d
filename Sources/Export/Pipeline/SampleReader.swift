// Reads the samples of a container: a frame is one sample, even where its two fields are stored separately, as transport stream
// recorders do. HEVC fields stay separate samples, and the second of a frame is marked. Owns its demuxer. Used on one queue at a
// time. Fields that are stored together are unchanged.
internal import Libav
internal import Media

/// Reads the samples of a container.
final class SampleReader {
    let demuxer: Demuxer
    /// How the fields of video tracks are paired; empty if all packets are frames.
    private var pairings: [Int: FieldPairing] = [:]
    private var known: Set<Int> = []
    /// A field, by track, that may be followed by its other field.
    private var held: [Int: Packet] = [:]
    /// Read after a field that turned out to be unpaired, or at the end.
    private var waiting: [Packet] = []
    private var ending: Demuxer.Reading?
    /// Video tracks whose samples are single fields, joined here or not.
    private(set) var joined: Set<Int> = []

    init(_ demuxer: Demuxer) { self.demuxer = demuxer }

    /// Opens a source.
    /// - Parameter quick: trust the headers, where another demuxer has already probed the same source.
    convenience init(_ source: SourceFile, quick: Bool = false) throws(OpenFailure) {
        self.init(try Demuxer(source, quick: quick))
    }

    /// Discards all samples except those of one track.
    func select(track: Int) { demuxer.select(track: track) }

    /// Whether the bytes of a track's samples are looked at here: they may be fields.
    func looks(at track: Int) -> Bool {
        guard let codec = demuxer.codec(of: track),
            let parameters = try? CodecParameters(demuxer, track: track)
        else { return true }
        return FieldPairing(codec: codec, extradata: parameters.extradata) != nil
    }

    /// Seeks to the last position from which the container says `ticks` of the track can be reached. False if the container
    /// cannot seek there.
    func seek(track: Int, toTicks ticks: Int64) -> Bool {
        guard demuxer.seek(track: track, toTicks: ticks) else { return false }
        for index in pairings.keys { pairings[index]?.interrupt() }
        (held, waiting, ending) = ([:], [], nil)
        return true
    }

    /// Reads the next sample of the selected tracks.
    func read(into packet: Packet) -> Demuxer.Reading {
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
        if known.insert(track).inserted, let codec = demuxer.codec(of: track) {
            pairings[track] = FieldPairing(
                codec: codec, extradata: try CodecParameters(demuxer, track: track).extradata)
        }
        guard pairings[track] != nil,
            let role = pairings[track]?.role(packet.bytes, isKey: packet.isKey)
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
    func isBottomFirst(_ track: Int) -> Bool? { pairings[track]?.isBottomFirst }

    /// Moves the packet's content to a new packet that can be kept.
    private func moved(_ packet: Packet) throws(LibavError) -> Packet {
        let other = try Packet()
        other.take(packet)
        return other
    }
}
