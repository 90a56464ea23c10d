// Changes the timing of H.264 sequence parameter sets (ITU-T H.264, E.1.1) in place.

extension H264SequenceSet {
    /// A NAL unit of type 7 with a variable frame rate and a clock of this many fields per second; unchanged if it has no
    /// timing.
    package static func retimed(_ nal: [UInt8], fieldsPerSecond: Int) -> [UInt8] {
        guard let position = H264SequenceSet(nal[...])?.vui?.timingPosition else { return nal }
        let payload = EmulationPrevention.unescape(nal.dropFirst())
        var reader = BitReader(payload)
        var writer = BitWriter()
        while reader.position < position { writer.bit(reader.bit()) }
        reader.skip(65)
        writer.bits(1, 32)
        writer.bits(fieldsPerSecond, 32)
        writer.bit(false)
        writer.rest(of: reader)
        return nal.prefix(1) + EmulationPrevention.escape(writer.bytes)
    }
}

extension H264ParameterSets {
    /// These sets, with all sequences retimed.
    package func retimed(fieldsPerSecond: Int) -> H264ParameterSets {
        var sets = H264ParameterSets()
        for sequence in sequences {
            sets.add(nal: H264SequenceSet.retimed(sequence.nal, fieldsPerSecond: fieldsPerSecond)[...])
        }
        for picture in pictures { sets.add(nal: picture.nal[...]) }
        return sets
    }
}
