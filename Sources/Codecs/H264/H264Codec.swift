// H.264: NAL units, parameter sets in the header or in the samples, frames and fields.
package import Media

/// H.264.
package enum H264Codec: NALCodec {
    package static let names: Set<String> = ["h264"]
    package static var isTimedByIndex: Bool { true }
    package static let movieTag: String? = "avc1"
    package static let seiHeader: [UInt8] = [6]

    package static func framing(extradata: [UInt8]) -> NALFraming {
        extradata.count >= 5 && extradata[0] == 1 ? .lengthPrefixed(Int(extradata[4] & 3) + 1) : .annexB
    }

    package static func accessUnit(_ sample: ArraySlice<UInt8>, framing: NALFraming) -> AccessUnit {
        accessUnit(sample, framing: framing, sets: nil)
    }

    /// Classifies a sample by all its NAL units. Skips damage.
    /// - Parameter sets: the track's parameter sets, needed to recognise fields.
    package static func accessUnit(
        _ sample: ArraySlice<UInt8>, framing: NALFraming, sets: H264ParameterSets?
    ) -> AccessUnit {
        var unit = AccessUnit()
        for nal in NALUnits(sample, framing: framing) { unit.readH264(nal, sets) }
        return unit
    }

    package static func syncKind(_ unit: AccessUnit) -> SyncSample.Kind { unit.nalKind }

    package static func fieldSyntax(extradata: [UInt8]) -> (any FieldSyntax)? {
        H264FieldSyntax(extradata: extradata)
    }

    package static func sampleCheck(header: [UInt8], first: [UInt8]) -> SampleCheck {
        let framing = framing(extradata: header)
        let sets = H264ParameterSets(extradata: header[...])
        return unitCheck(
            framing: framing,
            pictureSets: framing == .annexB ? [] : Set(sets.pictures.map(\.set.id)))
    }

    package static func levelText(_ level: Int32) -> String {
        level == 9 ? "1b" : "\(level / 10).\(level % 10)"
    }

    /// Where a stream does not state its reorder depth, FFmpeg learns it during decoding and loses frames where the depth
    /// increases.
    package static func reorderDepth(extradata: [UInt8]) -> Int {
        let sets = H264ParameterSets(extradata: extradata[...]).sequences.map(\.set)
        guard sets.contains(where: { $0.vui?.maxReorder == nil }) else { return 0 }
        return sets.map(\.mostReordered).max() ?? 0
    }

    package static func encoderBuild(in sample: [UInt8], extradata: [UInt8]) -> Int? {
        X264Build.named(in: sample[...], framing: framing(extradata: extradata))
    }

    package static func naming(_ build: Int, in sample: [UInt8]) -> [UInt8] {
        X264Build.put(build, into: sample, framing: .lengthPrefixed(4))
    }

    package static func parameterSets(extradata: [UInt8]) -> (any ParameterSets)? {
        H264ParameterSets(extradata: extradata[...])
    }

    package static func part(_ unit: ArraySlice<UInt8>) -> NALPart {
        switch (unit.first ?? 0) & 31 {
        case 1...5: .slice
        case 6: .sei(unit.dropFirst())
        case 7, 8: .parameterSet
        case 9: .delimiter
        case 28: .dolbyVision
        default: .other
        }
    }
}

extension AccessUnit {
    /// The term of H.264 and HEVC for a sync sample.
    package var nalKind: SyncSample.Kind {
        switch randomAccess {
        case .closed: isBrokenLink ? .bla : .idr
        case .open: .cra
        case .recoveryPoint(let frames): frames > 0 ? .gradualRefresh : .recoveryPoint
        case .none: .marked
        }
    }

    fileprivate mutating func readH264(_ nal: ArraySlice<UInt8>, _ sets: H264ParameterSets?) {
        guard let head = nal.first else { return }
        switch head & 31 {
        case 1, 2, 5:
            if head & 31 == 5 { randomAccess = .closed }
            var reader = BitReader(
                EmulationPrevention.unescape(nal.dropFirst(), limit: AccessUnit.headerLimit))
            _ = reader.ue()  // first_mb_in_slice
            _ = reader.ue()  // slice_type
            let id = reader.ue()
            guard !reader.isDamaged else { return }
            usedPictureSetIDs.insert(id)
            guard let sequence = sets?.sequence(ofPicture: id) else { return }
            if sequence.separateColourPlane { reader.skip(2) }
            reader.skip(sequence.log2MaxFrameNum)
            let isField = sequence.frameMBsOnly ? false : reader.bit()
            if !reader.isDamaged { isFieldPicture = (isFieldPicture ?? false) || isField }
        case 6:
            for message in SEIMessage.all(in: EmulationPrevention.unescape(nal.dropFirst())) {
                guard message.type == 6, randomAccess != .closed else { continue }
                var reader = BitReader(Array(message.payload))
                let frames = reader.ue()
                if !reader.isDamaged { randomAccess = .recoveryPoint(frames: frames) }
            }
        case 7:
            hasParameterSets = true
            if let set = H264SequenceSet(nal) { sequenceSetIDs.append(set.id) }
        case 8:
            hasParameterSets = true
            var reader = BitReader(
                EmulationPrevention.unescape(nal.dropFirst(), limit: AccessUnit.headerLimit))
            let id = reader.ue()
            if !reader.isDamaged { pictureSetIDs.append(id) }
        default: break
        }
    }
}
