// Codecs whose samples are NAL units, with parameter sets in the header and SEI messages in the samples.

/// The kind of a NAL unit.
package enum NALPart {
    case slice, parameterSet, delimiter
    /// SEI messages: the payload without the unit's header.
    case sei(ArraySlice<UInt8>)
    /// Dolby Vision's metadata or enhancement layer, which follow the slices.
    case dolbyVision
    /// Anything else; units of other layers (alpha, depth, a second view) too.
    case other

    /// It is for the header or the muxer, not for samples: a parameter set or a delimiter.
    package var isStructure: Bool {
        switch self {
        case .parameterSet, .delimiter: true
        default: false
        }
    }
}

/// A codec made of NAL units.
package protocol NALCodec: VideoCodec {
    /// The kind of a unit.
    static func part(_ unit: ArraySlice<UInt8>) -> NALPart
    /// The header of a NAL unit with SEI messages.
    static var seiHeader: [UInt8] { get }
    /// The encoder build in the first samples that decoders must know, written into one.
    static func naming(_ build: Int, in sample: [UInt8]) -> [UInt8]
}

extension NALCodec {
    package static func naming(_ build: Int, in sample: [UInt8]) -> [UInt8] { sample }

    /// The check of samples: units that fill them, and slices that refer to picture parameter sets that exist.
    /// - Parameter pictureSets: ids of those in the header; empty if the samples carry them.
    package static func unitCheck(framing: NALFraming, pictureSets: Set<Int>) -> SampleCheck {
        { sample in
            let units = NALUnits(sample[...], framing: framing)
            guard units.isWhole else { return .truncatedUnit }
            guard units.allSatisfy({ $0.first.map { $0 < 0x80 } ?? false }) else { return .unknownUnit }
            let unit = accessUnit(sample[...], framing: framing)
            guard
                pictureSets.isEmpty || unit.hasParameterSets
                    || unit.usedPictureSetIDs.isSubset(of: pictureSets)
            else { return .missingParameters }
            return nil
        }
    }
}
