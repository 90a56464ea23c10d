// The parameter sets of an H.264 track, and the avcC box of its sample entry (ISO/IEC 14496-15, 5.3.3.1).

/// Parameter sets in the order found, each as an unchanged NAL unit.
package struct H264ParameterSets: Equatable, Sendable {
    /// A NAL unit and its parsed content.
    package struct Sequence: Equatable, Sendable {
        package var nal: [UInt8]
        package var set: H264SequenceSet
    }
    /// A NAL unit and its parsed content.
    package struct Picture: Equatable, Sendable {
        package var nal: [UInt8]
        package var set: H264PictureSet
    }
    package private(set) var sequences: [Sequence] = []
    package private(set) var pictures: [Picture] = []
    /// A set could not be parsed; it is in neither list.
    package private(set) var hasDamagedSets = false
    /// Sequence extensions (type 13) or sets of other layers (type 15): scalable or stereo video, alpha.
    package private(set) var hasExtensions = false

    package init() {}

    /// Reads an avcC box's content, or NAL units in Annex B.
    package init(extradata: ArraySlice<UInt8>) {
        guard case .lengthPrefixed = H264Codec.framing(extradata: Array(extradata)) else {
            add(extradata, framing: .annexB)
            return
        }
        var rest = extradata.dropFirst(5)
        for mask: UInt8 in [31, 255] {
            guard let count = rest.popFirst() else { return }
            for _ in 0..<(count & mask) {
                let length = rest.prefix(2).reduce(0) { $0 << 8 | Int($1) }
                guard rest.count >= 2 + length else {
                    hasDamagedSets = true
                    return
                }
                add(nal: rest.dropFirst(2).prefix(length))
                rest = rest.dropFirst(2 + length)
            }
        }
    }

    /// Adds the sets of a packet. A byte-identical set is not added again.
    package mutating func add(_ packet: ArraySlice<UInt8>, framing: NALFraming) {
        for nal in NALUnits(packet, framing: framing) { add(nal: nal) }
    }

    /// Adds a NAL unit if it is a set.
    package mutating func add(nal: ArraySlice<UInt8>) {
        let nal = EmulationPrevention.trimmed(nal)
        let bytes = Array(nal)
        switch (nal.first ?? 0) & 31 {
        case 7 where !sequences.contains { $0.nal == bytes }:
            guard let set = H264SequenceSet(nal) else { return hasDamagedSets = true }
            sequences.append(Sequence(nal: bytes, set: set))
        case 8 where !pictures.contains { $0.nal == bytes }:
            guard var set = H264PictureSet(nal) else { return hasDamagedSets = true }
            if let format = sequences.last(where: { $0.set.id == set.sequenceID })?.set.chromaFormat,
                format == 3
            {
                set = H264PictureSet(nal, chromaFormat: format) ?? set
            }
            pictures.append(Picture(nal: bytes, set: set))
        case 13, 15: hasExtensions = true
        default: break
        }
    }

    /// The sequence set of a picture parameter set id, as slices name it; the latest of its id.
    package func sequence(ofPicture id: Int) -> H264SequenceSet? {
        guard let picture = pictures.last(where: { $0.set.id == id }) else { return nil }
        return sequences.last { $0.set.id == picture.set.sequenceID }?.set
    }

    /// Two sets with one id differ: a decoder that seeks would keep the wrong one.
    package var hasConflicts: Bool {
        Set(sequences.map(\.set.id)).count < sequences.count
            || Set(pictures.map(\.set.id)).count < pictures.count
    }

    /// An id from 1 to 30 that neither a sequence nor a picture parameter set has; nil if none is free.
    package var unusedID: Int? {
        let used = Set(sequences.map(\.set.id) + pictures.map(\.set.id) + pictures.map(\.set.sequenceID))
        return (1...30).first { !used.contains($0) }
    }

    /// An avcC box's content: these sets, then those of head and tail, for 4-byte lengths. Readers that use only the first sets
    /// get the source's.
    /// - Returns: nil without a sequence parameter set, or where there are more sets than it can list (31, 255).
    package func avcC(adding headTail: H264ParameterSets = H264ParameterSets()) -> [UInt8]? {
        let sequences =
            sequences
            + headTail.sequences.filter { added in !self.sequences.contains { $0.nal == added.nal } }
        let pictures =
            pictures + headTail.pictures.filter { added in !self.pictures.contains { $0.nal == added.nal } }
        guard let first = sequences.first?.set, sequences.count <= 31, pictures.count <= 255,
            (sequences.map(\.nal) + pictures.map(\.nal)).allSatisfy({ $0.count <= 65_535 })
        else { return nil }
        let level = sequences.map(\.set.level).max() ?? first.level
        var bytes: [UInt8] = [1, UInt8(first.profile), UInt8(first.constraints), UInt8(level), 0xFF]
        func append(_ nal: [UInt8]) {
            bytes += [UInt8(nal.count >> 8), UInt8(nal.count & 255)] + nal
        }
        bytes.append(0xE0 | UInt8(sequences.count))
        for sequence in sequences { append(sequence.nal) }
        bytes.append(UInt8(pictures.count))
        for picture in pictures { append(picture.nal) }
        if ![66, 77, 88].contains(first.profile) {
            bytes += [
                0xFC | UInt8(first.chromaFormat), 0xF8 | UInt8(first.lumaDepth - 8),
                0xF8 | UInt8(first.chromaDepth - 8), 0,
            ]
        }
        return bytes
    }
}

extension H264ParameterSets: ParameterSets {
    package func header(adding sets: [UInt8]) -> [UInt8]? {
        avcC(adding: H264ParameterSets(extradata: sets[...]))
    }

    package var setCount: Int { sequences.count + pictures.count }

    package var codedSize: (width: Int, height: Int)? {
        sequences.first.map { ($0.set.width, $0.set.height) }
    }

    package var repeatedUnits: [[UInt8]] { sequences.map(\.nal) + pictures.map(\.nal) }

    package func needBuild(_ build: Int) -> Bool { X264Build.changesDecoding(build, self) }
}
