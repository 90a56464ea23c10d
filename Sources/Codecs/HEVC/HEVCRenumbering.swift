// Renumbers the parameter sets of an HEVC encoder, which all have id 0, to ids that the copied samples do not use.

/// The ids of the parameter sets of head and tail.
package struct HEVCRenumbering: Equatable, Sendable {
    /// 0 to 15.
    package var video: Int
    /// 0 to 15.
    package var sequence: Int
    /// 15 to 30: the numbers whose code is eight bits longer than that of 0, so that slices grow by exactly one byte and the rest
    /// keeps its bit alignment.
    package var picture: Int

    /// A packet of head or tail, or its extradata in Annex B, with the new ids.
    /// - Returns: nil if a unit is damaged or names a picture parameter set other than 0.
    package func apply(_ packet: ArraySlice<UInt8>, framing: NALFraming) -> [UInt8]? {
        guard (0...15).contains(video), (0...15).contains(sequence), (15...30).contains(picture) else {
            return nil
        }
        var units: [ArraySlice<UInt8>] = []
        let nals = NALUnits(packet, framing: framing)
        guard nals.isWhole else { return nil }
        for nal in nals {
            guard let unit = apply(nal) else { return nil }
            units.append(unit)
        }
        return framing.join(units)
    }

    private func apply(_ nal: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        guard nal.count > 2, let first = nal.first else { return nil }
        let type = first >> 1 & 63
        switch type {
        case 0...9, 16...21, 32, 33, 34: break
        default: return nal
        }
        let payload = EmulationPrevention.unescape(nal.dropFirst(2))
        var reader = BitReader(payload)
        var writer = BitWriter()
        switch type {
        case 32:
            reader.skip(4)
            writer.bits(video, 4)
        case 33:
            guard let set = HEVCSequenceSet(nal) else { return nil }
            reader.skip(4)
            writer.bits(video, 4)
            var end = reader
            end.skip(4 + 96)
            HEVCSequenceSet.skipSubLayers(&end, count: set.maxSubLayers - 1)
            while reader.position < end.position { writer.bit(reader.bit()) }
            guard reader.ue() == set.id else { return nil }
            writer.ue(sequence)
        case 34:
            guard reader.ue() == 0, reader.ue() == 0 else { return nil }
            writer.ue(picture)
            writer.ue(sequence)
        default:
            writer.bit(reader.bit())
            if type >= 16 { writer.bit(reader.bit()) }
            guard reader.ue() == 0, !reader.isDamaged else { return nil }
            writer.ue(picture)
            return slice(nal, payload, reader, writer)
        }
        guard !reader.isDamaged else { return nil }
        writer.rest(of: reader)
        return nal.prefix(2) + EmulationPrevention.escape(writer.bytes)[...]
    }

    /// The slice with one more byte in its header: bit-identical after the id.
    private func slice(_ nal: ArraySlice<UInt8>, _ payload: [UInt8], _ read: BitReader, _ written: BitWriter)
        -> ArraySlice<UInt8>
    {
        var reader = read
        var writer = written
        while reader.position & 7 != 0 { writer.bit(reader.bit()) }
        let bytes = writer.bytes + payload[(reader.position >> 3)...]
        return nal.prefix(2) + EmulationPrevention.escape(bytes)[...]
    }

    /// Converts a clean random access (CRA) picture to a broken link (BLA): a decoder then restarts here.
    /// - Parameter keepsDecodable: decodable leading pictures (RADL) follow; others must have been removed.
    /// - Returns: the unchanged packet where it has no such picture.
    package static func brokenLink(
        _ packet: ArraySlice<UInt8>, framing: NALFraming, keepsDecodable: Bool = false
    )
        -> [UInt8]
    {
        var bytes = Array(packet)
        for nal in NALUnits(bytes[...], framing: framing) where nal[nal.startIndex] >> 1 & 63 == 21 {
            bytes[nal.startIndex] = bytes[nal.startIndex] & 0x81 | (keepsDecodable ? 17 : 18) << 1
        }
        return bytes
    }
}
