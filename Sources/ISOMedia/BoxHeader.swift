// The header of a box in an ISO or QuickTime file (ISO/IEC 14496-12, 4.2). The one reader of boxes, of files that trimd wrote and of
// untrusted ones: every size is checked before it is used.

/// Where a box is, and what.
public struct BoxHeader: Hashable, Sendable {
    /// The largest header in bytes: size, type, and a size of 64 bits.
    public static let longest = 16

    /// The four characters of its type.
    public let name: String
    /// Its offset in the file, in bytes.
    public let offset: Int64
    /// Size of the header in bytes: 8 or 16.
    public let length: Int64
    /// Size of the whole box in bytes.
    public let size: Int64

    /// The offset of its content.
    public var body: Int64 { offset + length }
    /// The offset past its end, at most `Int64.max`.
    public var end: Int64 { offset.addingReportingOverflow(size).overflow ? .max : offset + size }

    /// Parses a header; nil if it is incomplete, or its size is smaller than itself.
    /// - Parameters:
    ///   - bytes: from the box's first byte; 16 suffice.
    ///   - offset: of the box.
    ///   - end: where a box without a size ends; nil: there is none.
    public init?(_ bytes: some RandomAccessCollection<UInt8>, at offset: Int64, end: Int64? = nil) {
        guard bytes.count >= 8 else { return nil }
        let size = BigEndian.value(bytes.prefix(4))
        name = String(decoding: bytes.dropFirst(4).prefix(4), as: UTF8.self)
        self.offset = offset
        switch size {
        case 0:
            guard let end else { return nil }
            (length, self.size) = (8, end - offset)
        case 1:
            guard bytes.count >= 16 else { return nil }
            (length, self.size) = (16, Int64(clamping: BigEndian.value(bytes.dropFirst(8).prefix(8))))
        default: (length, self.size) = (8, Int64(size))
        }
        guard self.size >= length else { return nil }
    }

    /// Calls `body` with each complete box in some bytes: its type, its content, and all of it.
    /// - Returns: the number of bytes of the complete boxes.
    @discardableResult
    public static func forEach(
        in boxes: ArraySlice<UInt8>,
        _ body: (_ name: String, _ content: ArraySlice<UInt8>, _ whole: ArraySlice<UInt8>) -> Void
    ) -> Int {
        var rest = boxes
        while let header = BoxHeader(rest, at: 0), header.size <= rest.count {
            let whole = rest.prefix(Int(header.size))
            body(header.name, whole.dropFirst(Int(header.length)), whole)
            rest = rest.dropFirst(whole.count)
        }
        return boxes.count - rest.count
    }
}
