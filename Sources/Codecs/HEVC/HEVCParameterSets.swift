// The parameter sets of an HEVC track, and the hvcC box of its sample entry (ISO/IEC 14496-15, 8.3.3.1).

/// Parameter sets in the order found, each as an unchanged NAL unit.
package struct HEVCParameterSets: Equatable, Sendable {
    package private(set) var videos: [[UInt8]] = []
    package private(set) var sequences: [[UInt8]] = []
    package private(set) var pictures: [[UInt8]] = []
    /// SEI of the whole track from a box: mastering display, light levels.
    package private(set) var messages: [[UInt8]] = []
    /// The parsed sequence parameter sets, in their order.
    package private(set) var sequenceSets: [HEVCSequenceSet] = []
    package private(set) var pictureIDs: [Int] = []
    /// A set could not be parsed; it is in no list.
    package private(set) var hasDamagedSets = false
    /// The box these were read from, whose general bytes are copied to a new one.
    private var head: [UInt8]?

    package init() {}

    /// Reads an hvcC box's content, or NAL units in Annex B.
    package init(extradata: ArraySlice<UInt8>) {
        guard case .lengthPrefixed = HEVCCodec.framing(extradata: Array(extradata)) else {
            add(extradata, framing: .annexB)
            return
        }
        head = Array(extradata.prefix(22))
        var rest = extradata.dropFirst(22)
        for _ in 0..<(rest.popFirst() ?? 0) {
            let count = rest.dropFirst().prefix(2).reduce(0) { $0 << 8 | Int($1) }
            rest = rest.dropFirst(3)
            for _ in 0..<count {
                let length = rest.prefix(2).reduce(0) { $0 << 8 | Int($1) }
                guard rest.count >= 2 + length else {
                    hasDamagedSets = true
                    return
                }
                add(nal: rest.dropFirst(2).prefix(length), keepsMessages: true)
                rest = rest.dropFirst(2 + length)
            }
        }
    }

    /// Adds the sets of a packet. A byte-identical set is not added again.
    package mutating func add(_ packet: ArraySlice<UInt8>, framing: NALFraming) {
        for nal in NALUnits(packet, framing: framing) { add(nal: nal) }
    }

    /// Adds a NAL unit of the base layer if it is a set, or SEI where that is kept.
    package mutating func add(nal: ArraySlice<UInt8>, keepsMessages: Bool = false) {
        let nal = EmulationPrevention.trimmed(nal)
        guard nal.count > 2, let first = nal.first, first & 1 == 0, nal[nal.startIndex + 1] >> 3 == 0 else {
            return
        }
        let bytes = Array(nal)
        switch first >> 1 & 63 {
        case 32 where !videos.contains(bytes): videos.append(bytes)
        case 33 where !sequences.contains(bytes):
            guard let set = HEVCSequenceSet(nal) else { return hasDamagedSets = true }
            sequences.append(bytes)
            sequenceSets.append(set)
        case 34 where !pictures.contains(bytes):
            var reader = BitReader(EmulationPrevention.unescape(nal.dropFirst(2), limit: 32))
            let id = reader.ue()
            guard !reader.isDamaged, id <= 63 else { return hasDamagedSets = true }
            pictures.append(bytes)
            pictureIDs.append(id)
        case 39 where keepsMessages && !messages.contains(bytes): messages.append(bytes)
        default: break
        }
    }

    /// Ids none of these sets has: video and sequence 1 to 15, picture 15 to 30. Nil if none is free.
    package var unusedIDs: HEVCRenumbering? {
        let videoIDs = Set(videos.map { Int($0[2] >> 4) } + sequenceSets.map(\.videoSetID))
        guard let video = (1...15).first(where: { !videoIDs.contains($0) }),
            let sequence = (1...15).first(where: { id in !sequenceSets.contains { $0.id == id } }),
            let picture = (15...30).first(where: { !pictureIDs.contains($0) })
        else { return nil }
        return HEVCRenumbering(video: video, sequence: sequence, picture: picture)
    }

    /// An hvcC box's content: these sets, then those of head and tail, for 4-byte lengths.
    /// - Returns: nil without a sequence parameter set, or where there are more sets than can be listed.
    package func hvcC(adding headTail: HEVCParameterSets = HEVCParameterSets()) -> [UInt8]? {
        guard let first = sequenceSets.first else { return nil }
        var bytes: [UInt8] = [1]
        if let head {
            bytes = head
            bytes[0] = 1
            bytes[21] |= 3
        } else {
            bytes += first.profileTierLevel
            bytes += [0xF0, 0, 0xFC, 0xFC | UInt8(first.chromaFormat)]
            bytes += [0xF8 | UInt8(first.lumaDepth - 8) & 7, 0xF8 | UInt8(first.chromaDepth - 8) & 7, 0, 0]
            // A constant frame rate is not claimed; temporal nesting is unknown.
            bytes.append(UInt8(first.maxSubLayers) << 3 | 3)
        }
        bytes[12] = UInt8((sequenceSets + headTail.sequenceSets).map(\.level).max() ?? first.level)
        let lists: [(UInt8, [[UInt8]])] = [
            (32, videos + headTail.videos.filter { !videos.contains($0) }),
            (33, sequences + headTail.sequences.filter { !sequences.contains($0) }),
            (34, pictures + headTail.pictures.filter { !pictures.contains($0) }), (39, messages),
        ].filter { !$0.1.isEmpty }
        bytes.append(UInt8(lists.count))
        for (type, nals) in lists {
            guard nals.count <= 65_535, nals.allSatisfy({ $0.count <= 65_535 }) else { return nil }
            // Marked complete except for SEI: the packets contain none of its kind.
            bytes += [(type == 39 ? 0 : 0x80) | type, UInt8(nals.count >> 8), UInt8(nals.count & 255)]
            for nal in nals { bytes += [UInt8(nal.count >> 8), UInt8(nal.count & 255)] + nal }
        }
        return bytes
    }
}

extension HEVCParameterSets: ParameterSets {
    package func header(adding sets: [UInt8]) -> [UInt8]? {
        hvcC(adding: HEVCParameterSets(extradata: sets[...]))
    }

    package var setCount: Int { sequences.count + pictures.count }

    /// Its decoders crop by the set itself.
    package var codedSize: (width: Int, height: Int)? { nil }

    package var repeatedUnits: [[UInt8]] { [] }

    package func needBuild(_ build: Int) -> Bool { false }
}
