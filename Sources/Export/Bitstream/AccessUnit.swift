// Classifies a packet for cutting by its bytes, since containers mark more pictures as key frames than can be cut at.

/// The codecs whose packets are parsed.
enum BitstreamCodec: Sendable {
    case h264, hevc
    /// Also MPEG-1, whose sequences and groups begin in the same way.
    case mpeg2
}

/// The facts of one packet that decide where a file can be cut.
struct AccessUnit: Equatable, Sendable {
    /// Whether decoding can begin here.
    enum RandomAccess: Equatable, Sendable {
        case none
        /// Nothing after it in decoding order needs earlier packets (H.264 IDR; HEVC IDR, BLA; MPEG-2 closed GOP).
        case closed
        /// Later packets that are shown before it may need earlier ones (HEVC CRA, MPEG-2).
        case open
        /// H.264 without IDR: correct after this many frames, 0 for an I frame of an open GOP, more for gradual refresh.
        case recoveryPoint(frames: Int)
    }
    /// HEVC: a picture that is shown before the random access point it follows.
    enum Leading: Sendable {
        /// RADL: can be decoded from that point.
        case decodable
        /// RASL: cannot.
        case skipped
    }

    var randomAccess = RandomAccess.none
    /// HEVC: leading pictures cannot be decoded (BLA).
    var isBrokenLink = false
    var leading: Leading?
    /// The packet has parameter sets (or sequence headers).
    var hasParameterSets = false
    /// Ids of the sets in the packet, except damaged ones.
    var videoSetIDs: [Int] = []
    var sequenceSetIDs: [Int] = []
    var pictureSetIDs: [Int] = []
    /// Ids of the picture parameter sets its slices use.
    var usedPictureSetIDs: Set<Int> = []
    /// One field, or two separately coded fields. Nil if unknown (H.264 without sets, HEVC).
    var isFieldPicture: Bool?
    /// The position in its group in display order. MPEG-2 only.
    var temporalReference: Int?

    /// Classifies a packet by all its NAL units. Skips damage.
    /// - Parameter sets: H.264: the track's parameter sets, needed to recognise fields.
    static func classify(
        _ bytes: ArraySlice<UInt8>, codec: BitstreamCodec, framing: NALFraming, sets: H264ParameterSets? = nil
    ) -> AccessUnit {
        var unit = AccessUnit()
        switch codec {
        case .h264: for nal in NALUnits(bytes, framing: framing) { unit.readH264(nal, sets) }
        case .hevc: for nal in NALUnits(bytes, framing: framing) { unit.readHEVC(nal) }
        case .mpeg2: unit.readMPEG2(bytes)
        }
        return unit
    }

    /// The part of a slice header that is parsed is shorter than this, in bytes.
    private static let headerLimit = 32

    private mutating func readH264(_ nal: ArraySlice<UInt8>, _ sets: H264ParameterSets?) {
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

    private mutating func readHEVC(_ nal: ArraySlice<UInt8>) {
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

    private mutating func readMPEG2(_ bytes: ArraySlice<UInt8>) {
        var closed: Bool?
        for unit in NALUnits(bytes, framing: .annexB) {
            // Zeros at the end of a unit were removed as part of the next start code.
            let body = Array(unit.dropFirst().prefix(4)) + [0, 0, 0, 0]
            switch unit.first {
            case 0xB3: hasParameterSets = true
            case 0xB8: closed = body[3] & 0x40 != 0
            // The second field of a frame does not count as a picture.
            case 0x00 where temporalReference == nil:
                temporalReference = Int(body[0]) << 2 | Int(body[1] >> 6)
                guard body[1] >> 3 & 7 == 1, closed != nil || hasParameterSets else { continue }
                randomAccess = closed == true ? .closed : .open
            case 0xB5 where body[0] >> 4 == 8: isFieldPicture = body[2] & 3 != 3
            default: break
            }
        }
    }
}
