// MPEG-1 and MPEG-2 video: the sequence header is in the stream, usually before each group of pictures.
internal import Libav
internal import Media
internal import MediaTime

/// Uses FFmpeg's encoders at the finest quantiser.
enum MPEG12Codec: HeadTailCodec {
    static let names: Set<String> = ["mpeg1video", "mpeg2video"]

    static func join(
        _ headTail: HeadTailSetup, to stored: StoredStream, _ options: JoinOptions
    ) throws(MediaError) -> HeadTailJoin {
        let lead = header(of: stored)
        var setup = headTail.quantised(headTail.track.codec, flags: "+cgop", rate: rate(named: lead))
        // Decoders that find another kind of sequence begin anew, and lose the frame that waits to be shown. Film on DVD is an interlaced
        // sequence of progressive frames.
        setup.isInterlaced =
            headTail.track.codec == "mpeg2video" && isInterlaced(lead) ?? headTail.isInterlaced
        setup.options += [("bf", headTail.delay > 0 ? "2" : "0"), ("sc_threshold", "1000000000")]
        return HeadTailJoin(setup: setup, copiedLead: lead)
    }

    /// Frames per second by their code in a sequence header, from 1 (ITU-T H.262, table 6-4).
    private static let rates: [(Int64, Int64)] = [
        (24_000, 1001), (24, 1), (25, 1), (30_000, 1001), (30, 1), (50, 1), (60_000, 1001), (60, 1),
    ]

    /// The rate that a sequence header names; nil if there is none. The encoder takes no rate without a code, as the mean one of frames
    /// of which some are shown for longer.
    private static func rate(named header: [UInt8]) -> Ratio? {
        guard header.count > 7 else { return nil }
        let code = Int(header[7] & 15)
        guard rates.indices.contains(code - 1) else { return nil }
        return Ratio(rates[code - 1].0, rates[code - 1].1)
    }

    /// Whether a sequence may hold interlaced frames (progressive_sequence, ITU-T H.262, 6.3.5); nil: it has no extension that says so.
    private static func isInterlaced(_ header: [UInt8]) -> Bool? {
        StartCodes.split(header).lazy.filter { $0.code == 0xB5 && $0.bytes.count > 5 }
            .map { Array($0.bytes.dropFirst(4).prefix(2)) }.first { $0[0] >> 4 == 1 }
            .map { $0[1] & 0x08 == 0 }
    }

    static func hasHeader(_ sample: [UInt8]) -> Bool { sample.starts(with: [0, 0, 1, 0xB3]) }

    /// The sequence header and its extensions, from wherever the stream has one.
    static func header(of stored: StoredStream) -> [UInt8] {
        for bytes in [stored.header, stored.first] where hasHeader(bytes) {
            // Its extension and user data; a group or a picture follows.
            let parts = StartCodes.split(bytes).prefix { [0xB3, 0xB5, 0xB2].contains($0.code) }
            return parts.flatMap { Array($0.bytes) }
        }
        return []
    }

    /// Whether a sample begins a group of pictures.
    static func beginsGroup(_ sample: [UInt8]) -> Bool {
        NALUnits(sample[...], framing: .annexB).contains { $0.first == 0xB8 }
    }

    /// A sample whose place in its group (temporal_reference, ITU-T H.262, 6.3.9) is counted without the first `count` frames of it.
    static func renumbered(_ sample: [UInt8], without count: Int) -> [UInt8] {
        var sample = sample
        for at in sample.indices.dropLast(5) where sample[at...].starts(with: [0, 0, 1, 0]) {
            let number = (Int(sample[at + 4]) << 2 | Int(sample[at + 5] >> 6)) - count
            guard number >= 0 else { continue }
            (sample[at + 4], sample[at + 5]) = (
                UInt8(number >> 2), UInt8(number & 3) << 6 | sample[at + 5] & 0x3F
            )
        }
        return sample
    }

    static func accessUnit(_ sample: ArraySlice<UInt8>, framing: NALFraming) -> AccessUnit {
        var unit = AccessUnit()
        unit.readMPEG2(sample)
        return unit
    }

    static func syncKind(_ unit: AccessUnit) -> SyncSample.Kind {
        switch unit.randomAccess {
        case .closed: .closedGOP
        case .open: .openGOP
        case .recoveryPoint(let frames): frames > 0 ? .gradualRefresh : .recoveryPoint
        case .none: .marked
        }
    }

    static func fieldSyntax(extradata: [UInt8]) -> (any FieldSyntax)? { MPEG2FieldSyntax() }

    static func sampleCheck(header: [UInt8], first: [UInt8]) -> SampleCheck {
        { sample in
            let codes = StartCodes.split(sample).map(\.code)
            return codes.contains(0x00) && codes.contains { 1...0xAF ~= $0 } ? nil : .noCompleteFrame
        }
    }
}

extension AccessUnit {
    fileprivate mutating func readMPEG2(_ bytes: ArraySlice<UInt8>) {
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

/// Fields of MPEG-2, from its picture headers (ITU-T H.262, 6.3.10).
struct MPEG2FieldSyntax: FieldSyntax {
    func read(_ packet: [UInt8]) -> CodedPicture {
        var (number, first): (Int?, CodedField?)
        for unit in NALUnits(packet[...], framing: .annexB) {
            let body = Array(unit.dropFirst().prefix(4)) + [0, 0, 0, 0]
            switch unit.first {
            case 0x00:
                if let first { return .fields(isBottomFirst: first.isBottom) }
                number = Int(body[0]) << 2 | Int(body[1] >> 6)
            case 0xB5 where body[0] >> 4 == 8 && first == nil:
                // The picture coding extension: 3 is a frame, 1 the top field, 2 the bottom field.
                guard let number, body[2] & 3 != 3 else { return .frame }
                first = CodedField(isBottom: body[2] & 3 == 2, number: number)
            default: break
            }
        }
        return first.map(CodedPicture.field) ?? .frame
    }
}
