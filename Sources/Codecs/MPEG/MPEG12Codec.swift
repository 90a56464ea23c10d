// MPEG-1 and MPEG-2 video: the sequence header is in the stream, usually before each group of pictures.
package import Media

/// MPEG-1 and MPEG-2 video.
package enum MPEG12Codec: VideoCodec {
    package static let names: Set<String> = ["mpeg1video", "mpeg2video"]

    package static func hasHeader(_ sample: [UInt8]) -> Bool { sample.starts(with: [0, 0, 1, 0xB3]) }

    /// The sequence header and its extensions, from wherever the stream has one.
    package static func header(of stored: StoredStream) -> [UInt8] {
        for bytes in [stored.header, stored.first] where hasHeader(bytes) {
            // Its extension and user data; a group or a picture follows.
            let parts = StartCodes.split(bytes).prefix { [0xB3, 0xB5, 0xB2].contains($0.code) }
            return parts.flatMap { Array($0.bytes) }
        }
        return []
    }

    /// Whether a sample begins a group of pictures.
    package static func beginsGroup(_ sample: [UInt8]) -> Bool {
        NALUnits(sample[...], framing: .annexB).contains { $0.first == 0xB8 }
    }

    /// A sample whose place in its group (temporal_reference, ITU-T H.262, 6.3.9) is counted without the first `count` frames of it.
    package static func renumbered(_ sample: [UInt8], without count: Int) -> [UInt8] {
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

    package static func accessUnit(_ sample: ArraySlice<UInt8>, framing: NALFraming) -> AccessUnit {
        var unit = AccessUnit()
        unit.readMPEG2(sample)
        return unit
    }

    package static func syncKind(_ unit: AccessUnit) -> SyncSample.Kind {
        switch unit.randomAccess {
        case .closed: .closedGOP
        case .open: .openGOP
        case .recoveryPoint(let frames): frames > 0 ? .gradualRefresh : .recoveryPoint
        case .none: .marked
        }
    }

    package static func fieldSyntax(extradata: [UInt8]) -> (any FieldSyntax)? { MPEG2FieldSyntax() }

    package static func sampleCheck(header: [UInt8], first: [UInt8]) -> SampleCheck {
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
package struct MPEG2FieldSyntax: FieldSyntax {
    package func read(_ packet: [UInt8]) -> CodedPicture {
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
