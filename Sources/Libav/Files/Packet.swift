// One compressed sample. A packet has one owner at a time and moves with it from queue to queue; no two queues use it at once, so
// it may cross queues.
internal import CFFmpeg
internal import Glibc

/// One compressed sample of a track.
///
/// `@unchecked Sendable`: a packet has one owner at a time; stages hand it on through bounded queues.
@safe public final class Packet: @unchecked Sendable {
    let pointer: UnsafeMutablePointer<AVPacket>

    /// An empty packet.
    public init() throws(LibavError) {
        unsafe pointer = try LibavError.allocated(av_packet_alloc(), "a packet")
    }

    deinit {
        var pointer: UnsafeMutablePointer<AVPacket>? = unsafe pointer
        unsafe av_packet_free(&pointer)
    }

    /// The track it belongs to.
    public var track: Int {
        get { Int(unsafe pointer.pointee.stream_index) }
        set { unsafe pointer.pointee.stream_index = Int32(newValue) }
    }

    /// Presentation time in ticks of its track; nil if unknown.
    public var pts: Int64? {
        get { unsafe known(pointer.pointee.pts) }
        set { unsafe pointer.pointee.pts = newValue ?? trim_nopts }
    }

    /// Decoding time in ticks of its track; nil if unknown.
    public var dts: Int64? {
        get { unsafe known(pointer.pointee.dts) }
        set { unsafe pointer.pointee.dts = newValue ?? trim_nopts }
    }

    /// Duration in ticks of its track; 0 if unknown.
    public var duration: Int64 {
        get { unsafe pointer.pointee.duration }
        set { unsafe pointer.pointee.duration = newValue }
    }

    /// Bytes of media in it.
    public var size: Int { Int(unsafe pointer.pointee.size) }

    /// Where its bytes lie in the file that it was read from, as they are; nil: nowhere, or unknown.
    public var place: Range<Int64>? {
        let (offset, size) = unsafe (pointer.pointee.pos, Int64(pointer.pointee.size))
        return offset >= 0 && size > 0 ? offset..<(offset + size) : nil
    }

    /// Its bytes are no longer those of the file that it was read from.
    func becomeChanged() { unsafe pointer.pointee.pos = -1 }

    /// A decoder can begin here, according to the container or parser.
    public var isKey: Bool { unsafe pointer.pointee.flags & AV_PKT_FLAG_KEY != 0 }

    /// To be decoded but not shown (before an edit list's media time).
    public var isDiscarded: Bool { unsafe pointer.pointee.flags & AV_PKT_FLAG_DISCARD != 0 }

    /// The container marks it as damaged.
    public var isCorrupt: Bool { unsafe pointer.pointee.flags & AV_PKT_FLAG_CORRUPT != 0 }

    /// Marks it as one that is not whole; so are its frames then.
    public func markCorrupt() { unsafe pointer.pointee.flags |= AV_PKT_FLAG_CORRUPT }

    /// It carries a header that replaces its track's from here on.
    public var hasNewHeader: Bool {
        unsafe av_packet_get_side_data(pointer, AV_PKT_DATA_NEW_EXTRADATA, nil) != nil
    }

    /// It is the first packet of a transport stream's PES packet, whose time is stored.
    var beginsPES: Bool { unsafe pointer.pointee.pos >= 0 }

    /// It carries encryption information: decoders cannot read its bytes.
    public var isEncrypted: Bool {
        unsafe av_packet_get_side_data(pointer, AV_PKT_DATA_ENCRYPTION_INFO, nil) != nil
    }

    /// Samples to discard at the start of its decoded audio (encoder delay), from the container.
    public var skippedSamples: Int {
        var size = 0
        guard let bytes = unsafe av_packet_get_side_data(pointer, AV_PKT_DATA_SKIP_SAMPLES, &size), size >= 4
        else { return 0 }
        return unsafe Int(UnsafeRawPointer(bytes).loadUnaligned(as: UInt32.self))
    }

    /// Samples to discard at the end of its decoded audio (padding), from the container.
    public var discardedSamples: Int {
        var size = 0
        guard let bytes = unsafe av_packet_get_side_data(pointer, AV_PKT_DATA_SKIP_SAMPLES, &size), size >= 8
        else { return 0 }
        return unsafe Int(UnsafeRawPointer(bytes).loadUnaligned(fromByteOffset: 4, as: UInt32.self))
    }

    /// Sets how many of the first and of the last decoded samples to discard, replacing the encoder's values.
    public func setDiscardedSamples(_ count: Int, first: Int = 0) throws(LibavError) {
        guard count > 0 || first > 0 else { return }
        guard let bytes = unsafe av_packet_new_side_data(pointer, AV_PKT_DATA_SKIP_SAMPLES, 10) else {
            throw LibavError("describing a packet", code: trim_averror(12))
        }
        let skipped = [UInt32(clamping: first).littleEndian, UInt32(clamping: count).littleEndian, 0]
        unsafe skipped.withUnsafeBytes { from in
            if let base = from.baseAddress {
                unsafe UnsafeMutableRawPointer(bytes).copyMemory(from: base, byteCount: 10)
            }
        }
    }

    /// It was copied, not encoded; used for statistics.
    public var isCopied = false

    /// The second field of a frame whose fields are separate samples; used to count frames.
    public var isSecondField = false

    /// It is stored but hidden by the edit list; used for statistics.
    public var isHidden = false

    /// Releases its content, and forgets what was said about it.
    public func clear() {
        unsafe av_packet_unref(pointer)
        (isCopied, isSecondField, isHidden) = (false, false, false)
    }

    /// Another packet that shares the bytes, with its own times.
    public func copy() throws(LibavError) -> Packet {
        let other = try Packet()
        try LibavError.check(unsafe av_packet_ref(other.pointer, pointer), "copying a packet")
        return other
    }

    /// Another packet with a part of the bytes, with its own times. Side data stays with the first part.
    public func part(_ range: Range<Int>) throws(LibavError) -> Packet {
        let other = try copy()
        let range = range.clamped(to: 0..<size)
        unsafe other.pointer.pointee.data = pointer.pointee.data.map { unsafe $0 + range.lowerBound }
        unsafe other.pointer.pointee.size = Int32(clamping: range.count)
        other.becomeChanged()
        if range.lowerBound > 0 { unsafe av_packet_free_side_data(other.pointer) }
        return other
    }

    /// Moves the content of another packet here, which leaves that one empty.
    public func take(_ other: Packet) {
        clear()
        isSecondField = other.isSecondField
        unsafe av_packet_move_ref(pointer, other.pointer)
    }

    /// Replaces its bytes; times and flags stay.
    public func replaceBytes(_ bytes: [UInt8]) throws(LibavError) {
        let fresh = try Packet()
        try LibavError.check(
            unsafe av_new_packet(fresh.pointer, Int32(clamping: bytes.count)), "allocating a packet")
        try LibavError.check(unsafe av_packet_copy_props(fresh.pointer, pointer), "copying a packet's times")
        fresh.isSecondField = isSecondField
        fresh.becomeChanged()
        unsafe bytes.withUnsafeBytes { from in
            if let base = from.baseAddress, bytes.count > 0 {
                unsafe UnsafeMutableRawPointer(fresh.pointer.pointee.data)?.copyMemory(
                    from: base, byteCount: bytes.count)
            }
        }
        take(fresh)
    }

    /// Appends the other field of its frame: the bytes of both, from the first one's time to the end of the second.
    public func append(field other: Packet) throws(LibavError) {
        let size = size
        becomeChanged()
        try LibavError.check(
            unsafe av_grow_packet(pointer, Int32(clamping: other.size)),
            "putting the fields of a frame together")
        if let to = unsafe pointer.pointee.data, let from = unsafe other.pointer.pointee.data {
            unsafe UnsafeMutableRawPointer(to + size).copyMemory(from: from, byteCount: other.size)
        }
        let sum = duration + other.duration
        // A field's stored duration is rounded down; the distance between the fields is not.
        if let pts, let end = other.pts.map({ $0 &+ other.duration }), abs((end &- pts) &- sum) <= 1 {
            duration = end &- pts
        } else {
            duration = sum
        }
        if other.isCorrupt { unsafe pointer.pointee.flags |= AV_PKT_FLAG_CORRUPT }
        if !other.isDiscarded { unsafe pointer.pointee.flags &= ~AV_PKT_FLAG_DISCARD }
    }

    /// A copy of its side data: FFmpeg's number of each type, and its bytes.
    public var sideData: [(type: UInt32, bytes: [UInt8])] {
        (0..<Int(unsafe pointer.pointee.side_data_elems)).map { index in
            let entry = unsafe pointer.pointee.side_data[index]
            return unsafe (
                entry.type.rawValue, [UInt8](UnsafeBufferPointer(start: entry.data, count: entry.size))
            )
        }
    }

    /// FFmpeg's flags.
    public var flags: Int32 { unsafe pointer.pointee.flags }

    /// A packet from what another had, in a file of ours.
    public convenience init(
        bytes: [UInt8], flags: Int32, sideData: [(type: UInt32, bytes: [UInt8])]
    ) throws(LibavError) {
        try self.init()
        try replaceBytes(bytes)
        unsafe pointer.pointee.flags = flags
        try add(sideData)
    }

    private func add(_ sideData: [(type: UInt32, bytes: [UInt8])]) throws(LibavError) {
        for (type, bytes) in sideData {
            let type = AVPacketSideDataType(rawValue: type)
            guard let to = unsafe av_packet_new_side_data(pointer, type, bytes.count) else {
                throw LibavError("describing a packet", code: trim_averror(12))
            }
            unsafe bytes.withUnsafeBytes { from in
                if let base = from.baseAddress {
                    unsafe UnsafeMutableRawPointer(to).copyMemory(from: base, byteCount: bytes.count)
                }
            }
        }
    }

    /// A copy of its bytes.
    public var bytes: [UInt8] {
        unsafe [UInt8](UnsafeBufferPointer(start: pointer.pointee.data, count: size))
    }

    /// The side data that are part of the sample.
    private var content: [(type: UInt32, bytes: [UInt8])] {
        guard unsafe pointer.pointee.side_data_elems > 0 else { return [] }
        return sideData.filter { Packet.contentTypes.contains(AVPacketSideDataType(rawValue: $0.type)) }
    }

    /// Whether another packet has the same bytes, those beside its frame too.
    public func hasBytes(of other: Packet) -> Bool {
        guard size == other.size, content.elementsEqual(other.content, by: ==) else { return false }
        guard size > 0, let mine = unsafe pointer.pointee.data, let its = unsafe other.pointer.pointee.data
        else { return size == 0 }
        return unsafe memcmp(mine, its, size) == 0
    }

    /// An access unit of TrueHD or MLP at which decoding can begin.
    public var hasMajorSync: Bool {
        let sync = bytes.dropFirst(4).prefix(4)
        return [0xBA, 0xBB].contains { sync.elementsEqual([0xF8, 0x72, 0x6F, $0]) }
    }

    /// Sets whether a decoder can begin here.
    public func setKey(_ isKey: Bool) {
        if isKey {
            unsafe pointer.pointee.flags |= AV_PKT_FLAG_KEY
        } else {
            unsafe pointer.pointee.flags &= ~AV_PKT_FLAG_KEY
        }
    }

    /// Side data that are part of a sample: the alpha channel of VP8 and VP9, and the palette of the frames from here on.
    private static var contentTypes: [AVPacketSideDataType] {
        [AV_PKT_DATA_MATROSKA_BLOCKADDITIONAL, AV_PKT_DATA_PALETTE]
    }

    /// Removes the discard flag and the side data that belong to the old file (skipped samples, new parameter sets).
    public func becomePlain() throws(LibavError) {
        unsafe pointer.pointee.flags &= ~(AV_PKT_FLAG_DISCARD | AV_PKT_FLAG_CORRUPT)
        guard unsafe pointer.pointee.side_data_elems > 0 else { return }
        let kept = content
        unsafe av_packet_free_side_data(pointer)
        try add(kept)
    }

    /// Reads its bytes in place.
    public func withBytes<R>(_ body: (Span<UInt8>) -> R) -> R {
        let bytes = unsafe UnsafeBufferPointer(start: pointer.pointee.data, count: size)
        return unsafe body(Span(_unsafeElements: bytes))
    }
}

/// A timestamp, or nil for "no timestamp".
func known(_ ticks: Int64) -> Int64? { ticks == trim_nopts ? nil : ticks }
