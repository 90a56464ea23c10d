// HEVC: NAL units, parameter sets in the header or in the samples; fields are pictures of their own.
package import Media

/// HEVC.
package enum HEVCCodec: NALCodec {
    package static let names: Set<String> = ["hevc"]
    package static var isTimedByIndex: Bool { true }
    /// Apple players accept HEVC only with this tag.
    package static let movieTag: String? = "hvc1"
    package static let seiHeader: [UInt8] = [39 << 1, 1]
    package static let codesFieldsAsPictures = true

    package static func framing(extradata: [UInt8]) -> NALFraming {
        // Early writers left the hvcC version 0, so this rules out a start code instead.
        extradata.count >= 23 && (extradata[0] != 0 || extradata[1] != 0 || extradata[2] > 1)
            ? .lengthPrefixed(Int(extradata[21] & 3) + 1) : .annexB
    }

    package static func accessUnit(_ sample: ArraySlice<UInt8>, framing: NALFraming) -> AccessUnit {
        var unit = AccessUnit()
        for nal in NALUnits(sample, framing: framing) { unit.readHEVC(nal) }
        return unit
    }

    package static func syncKind(_ unit: AccessUnit) -> SyncSample.Kind { unit.nalKind }

    package static func fieldSyntax(extradata: [UInt8]) -> (any FieldSyntax)? {
        HEVCFieldSyntax(extradata: extradata)
    }

    package static func sampleCheck(header: [UInt8], first: [UInt8]) -> SampleCheck {
        let framing = framing(extradata: header)
        let sets = HEVCParameterSets(extradata: header[...])
        return unitCheck(framing: framing, pictureSets: framing == .annexB ? [] : Set(sets.pictureIDs))
    }

    package static func levelText(_ level: Int32) -> String { "\(level / 30).\(level % 30 / 3)" }

    package static func parameterSets(extradata: [UInt8]) -> (any ParameterSets)? {
        HEVCParameterSets(extradata: extradata[...])
    }

    /// Its leading pictures are encoded before it or left out, so a decoder must not trust its references to earlier frames.
    package static func afterOther(_ sample: [UInt8], framing: NALFraming) -> [UInt8] {
        accessUnit(sample[...], framing: framing).randomAccess == .open
            ? HEVCRenumbering.brokenLink(sample[...], framing: framing) : sample
    }

    package static func part(_ unit: ArraySlice<UInt8>) -> NALPart {
        guard unit.count >= 2, let first = unit.first else { return .other }
        let type = first >> 1 & 63
        if 32...34 ~= type { return .parameterSet }
        if type == 35 { return .delimiter }
        // Other layers are not encoded.
        guard first & 1 == 0, unit[unit.startIndex + 1] >> 3 == 0 else { return .other }
        return switch type {
        case 0..<32: .slice
        case 39, 40: .sei(unit.dropFirst(2))
        case 62: .dolbyVision
        default: .other
        }
    }
}

extension AccessUnit {
    fileprivate mutating func readHEVC(_ nal: ArraySlice<UInt8>) {
        guard nal.count > 2, let head = nal.first else { return }
        let type = head >> 1 & 63
        // Other layers (alpha, depth, second view) do not describe the picture.
        guard head & 1 == 0, nal[nal.startIndex + 1] >> 3 == 0 else { return }
        let payload = nal.dropFirst(2)
        switch type {
        case 0...9, 16...21:
            switch type {
            case 16...20:
                randomAccess = .closed
                isBrokenLink = type <= 18
            case 21: randomAccess = .open
            case 6, 7: leading = .decodable
            case 8, 9: leading = .skipped
            default: break
            }
            var reader = BitReader(EmulationPrevention.unescape(payload, limit: AccessUnit.headerLimit))
            reader.skip(type >= 16 ? 2 : 1)
            let id = reader.ue()
            if !reader.isDamaged { usedPictureSetIDs.insert(id) }
        case 32:
            hasParameterSets = true
            videoSetIDs.append(Int(payload.first ?? 0) >> 4)
        case 33:
            hasParameterSets = true
            if let set = HEVCSequenceSet(nal) { sequenceSetIDs.append(set.id) }
        case 34:
            hasParameterSets = true
            var reader = BitReader(EmulationPrevention.unescape(payload, limit: AccessUnit.headerLimit))
            let id = reader.ue()
            if !reader.isDamaged { pictureSetIDs.append(id) }
        default: break
        }
    }
}
