// Decodes the pictures around a cut point, in presentation order, on the caller's queue. Strict: an edge that does not
// decode cleanly is not joined to anything.
internal import Libav
internal import Media
internal import MediaTime

/// Decodes from a place on.
struct EdgeDecoder {
    let source: SourceFile
    let track: Track
    let origin: Time
    let notes: Notes
    /// Hears what the source's pictures say beside; nil where they say nothing that is understood.
    var messages: SourceMessages?

    /// Gives every frame from the last place from which those at `from` decode, until `body` wants no more.
    /// - Parameter needed: the presentation time, in the track's ticks, before which no picture is wanted: those that others
    ///   do not need may be missing there, and half the work with them.
    func decode(from: Time, needed: Int64, _ body: (Frame) -> Bool) throws(MediaError) {
        func hear(_ packet: Packet) {
            if let messages, let pts = packet.pts { messages.hear(packet.bytes, pts: pts) }
        }
        let (first, begun) = try VideoStart(
            source: source, track: track, origin: origin, start: from, notes: notes, keepsFields: true,
            hear: hear
        ).find()
        for frame in first where !body(frame) { return }
        var isFlushing = begun.isFlushing
        while true {
            let packet = try media(.outOfMemory, track: track.index) { () throws(LibavError) in try Packet() }
            let isPacket = !isFlushing && begun.reader.read(into: packet, notes)
            if !isPacket, isFlushing { return }
            isFlushing = !isPacket
            if isPacket { hear(packet) }
            begun.decoder.skipsUnreferenced = isPacket && packet.pts.map { $0 < needed } ?? false
            let goesOn = try media(.spliceFailed, track: track.index) { () throws(LibavError) in
                if case .damaged(let error) = try begun.decoder.send(isPacket ? packet : nil) { throw error }
                return try drain(begun.decoder, body)
            }
            guard goesOn else { return }
        }
    }

    private func drain(_ decoder: Decoder, _ body: (Frame) -> Bool) throws(LibavError) -> Bool {
        while true {
            let frame = try Frame()
            switch try decoder.receive(into: frame) {
            case .frame:
                if frame.isDamaged { throw LibavError("decoding", cause: "errors were concealed") }
                guard body(frame) else { return false }
            case .needsInput, .ended: return true
            case .damaged(let error): throw error
            }
        }
    }
}
