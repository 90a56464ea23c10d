// Classifies an AV1 packet by its OBU headers (AV1 Bitstream & Decoding Process Specification, 5.3 and 5.9.2). Pure.

/// The facts of one temporal unit that decide where a file can be cut.
struct AV1Unit: Equatable, Sendable {
    /// It begins with a shown key frame, from which everything after it decodes. A key frame that is shown later, by reference,
    /// does not count: frames in between may refer to earlier ones.
    private(set) var isKey = false
    /// It carries a sequence header.
    private(set) var hasSequenceHeader = false

    private static let sequenceHeader: UInt8 = 1, frameHeader: UInt8 = 3, frame: UInt8 = 6

    /// Reads up to the first frame header. Damage ends it.
    init(_ bytes: ArraySlice<UInt8>) {
        let bytes = bytes.span
        var place = 0
        while let (head, payload) = AV1Unit.next(bytes, &place) {
            switch head >> 3 & 15 {
            case AV1Unit.sequenceHeader: hasSequenceHeader = true
            case AV1Unit.frameHeader, AV1Unit.frame:
                guard let start = payload.first else { return }
                // show_existing_frame, frame_type (0: key frame), show_frame.
                let fields = bytes[start]
                isKey = fields >> 7 == 0 && fields >> 5 & 3 == 0 && fields >> 4 & 1 == 1
                return
            default: break
            }
        }
    }

    /// Whether a temporal unit has frames, and shows none of them: some files hold such a part of one as a sample of its own.
    static func isNonShown(_ bytes: Span<UInt8>) -> Bool {
        var place = 0
        var hasFrame = false
        while place < bytes.count {
            guard let (head, payload) = next(bytes, &place) else { return false }
            let first = payload.first.map { bytes[$0] }
            switch head >> 3 & 15 {
            // reduced_still_picture_header: its frame is shown, and does not say so.
            case sequenceHeader: if first.map({ $0 >> 3 & 1 == 1 }) ?? true { return false }
            case frameHeader, frame:
                // show_existing_frame, frame_type of two bits, show_frame.
                guard let first, first >> 7 == 0, first >> 4 & 1 == 0 else { return false }
                hasFrame = true
            default: break
            }
        }
        return hasFrame
    }

    /// Whether the OBUs of a temporal unit fill it.
    static func isWhole(_ bytes: ArraySlice<UInt8>) -> Bool {
        let bytes = bytes.span
        var place = 0
        while place < bytes.count {
            // The highest bit is forbidden.
            guard let (head, _) = next(bytes, &place), head < 128 else { return false }
        }
        return !bytes.isEmpty
    }

    /// The next OBU: its first byte, and where its payload lies; nil at the end, and where it is damaged.
    private static func next(_ bytes: Span<UInt8>, _ place: inout Int) -> (head: UInt8, payload: Range<Int>)?
    {
        guard place < bytes.count else { return nil }
        let head = bytes[place]
        // The extension gives the layer, which is not used.
        place += head >> 2 & 1 == 1 ? 2 : 1
        var size = bytes.count - place
        if head >> 1 & 1 == 1 {
            guard let stated = number(bytes, &place) else { return nil }
            size = stated
        }
        guard size >= 0, size <= bytes.count - place else { return nil }
        let payload = place..<place + size
        place = payload.upperBound
        return (head, payload)
    }

    /// A little-endian base-128 number (leb128); nil if it does not end or fit.
    private static func number(_ bytes: Span<UInt8>, _ place: inout Int) -> Int? {
        var value = 0
        for index in 0..<5 {
            guard place < bytes.count else { return nil }
            let byte = bytes[place]
            place += 1
            value |= Int(byte & 127) << (index * 7)
            if byte < 128 { return value }
        }
        return nil
    }
}
