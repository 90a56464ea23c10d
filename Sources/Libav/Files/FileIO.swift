// FFmpeg I/O on an open descriptor. Opens and closes nothing: the descriptor belongs to the caller and outlives this. Each has
// its own offset (pread, pwrite), so that several demuxers can read one descriptor. Used on its owner's queue.
internal import CFFmpeg
internal import Glibc

/// An AVIOContext on an open descriptor.
@safe final class FileIO {
    let context: UnsafeMutablePointer<AVIOContext>
    private let state: UnsafeMutablePointer<State>

    /// State shared with the callbacks. Lives as long as the FileIO.
    private struct State {
        let descriptor: Int32
        /// Read in place of the descriptor.
        let segments: SegmentedFile?
        /// The bytes in place of the descriptor's.
        var contents: [UInt8]?
        var offset: Int64 = 0
        /// The descriptor's size, for reading; grows with the output, for writing.
        var size: Int64
        var failure: Int32 = 0
        /// Bytes that are not read, in order and apart: zeros take their place. In a file that is written, bytes that stay as they are.
        var omitted: [Range<Int64>] = []
        /// The first of them that is not before the last read.
        var next = 0
        /// Bytes read.
        var read: Int64 = 0
        /// Where some bytes are read instead.
        var lender: Lender?
    }

    /// Where the bytes at the offset are left out: their number, no more than `count`. Otherwise lowers `count` to what precedes the
    /// next bytes that are.
    private static func omittedBytes(_ state: inout State, of count: inout Int) -> Int? {
        let ranges = state.omitted
        guard !ranges.isEmpty else { return nil }
        let offset = state.offset
        // Mostly this one or the next.
        while state.next > 0, ranges[state.next - 1].upperBound > offset { state.next -= 1 }
        while state.next < ranges.count, ranges[state.next].upperBound <= offset { state.next += 1 }
        guard state.next < ranges.count else { return nil }
        let range = ranges[state.next]
        if range.lowerBound <= offset { return Int(min(Int64(count), range.upperBound - offset)) }
        count = Int(min(Int64(count), range.lowerBound - offset))
        return nil
    }

    /// Size of FFmpeg's buffer in bytes; large enough to make system calls cheap, small enough for many tracks.
    private static let bufferSize: Int32 = 64 * 1024

    /// Reads from, or writes to, a descriptor of a regular file.
    convenience init(descriptor: Int32, size: Int64, writing: Bool) throws(LibavError) {
        try self.init(State(descriptor: descriptor, segments: nil, size: size), writing: writing)
    }

    /// Reads a source.
    convenience init(reading source: SourceFile) throws(LibavError) {
        try self.init(
            State(
                descriptor: source.descriptor, segments: source.segments, contents: source.contents,
                size: source.size, lender: source.lender),
            writing: false)
    }

    private init(_ first: State, writing: Bool) throws(LibavError) {
        let state = UnsafeMutablePointer<State>.allocate(capacity: 1)
        unsafe state.initialize(to: first)
        let buffer = unsafe av_malloc(Int(FileIO.bufferSize))
        let context = unsafe trim_avio_alloc(
            buffer?.assumingMemoryBound(to: UInt8.self), FileIO.bufferSize, writing ? 1 : 0, state,
            FileIO.read, writing ? FileIO.write : nil, FileIO.seek)
        guard let context = unsafe context else {
            unsafe av_free(buffer)
            unsafe state.deallocate()
            throw LibavError("allocating an I/O buffer", code: trim_averror(ENOMEM))
        }
        unsafe self.context = context
        unsafe self.state = state
    }

    deinit {
        unsafe av_freep(&context.pointee.buffer)
        var pointer: UnsafeMutablePointer<AVIOContext>? = unsafe context
        unsafe avio_context_free(&pointer)
        unsafe state.deinitialize(count: 1)
        unsafe state.deallocate()
    }

    /// Leaves these bytes out from now on: zeros take their place. Reads go past FFmpeg's buffer, which would copy the zeros too: the
    /// bytes between are mostly whole samples.
    func omit(_ ranges: [Range<Int64>]) {
        unsafe context.pointee.direct = 1
        unsafe state.pointee.omitted = ranges
        unsafe state.pointee.next = 0
    }

    /// Reads all bytes again.
    func readAll() {
        unsafe context.pointee.direct = 0
        unsafe (state.pointee.omitted, state.pointee.next) = ([], 0)
    }

    /// Leaves out these bytes too, which come after all others.
    func omit(beyond range: Range<Int64>) {
        let last = unsafe state.pointee.omitted.count - 1
        if last >= 0, unsafe state.pointee.omitted[last].upperBound == range.lowerBound {
            let begin = unsafe state.pointee.omitted[last].lowerBound
            unsafe state.pointee.omitted[last] = begin..<range.upperBound
        } else {
            unsafe state.pointee.omitted.append(range)
        }
    }

    /// Counts the bytes that are read anew.
    func forgetReading() { unsafe state.pointee.read = 0 }

    /// Whether bytes are left out.
    var hasOmissions: Bool { unsafe !state.pointee.omitted.isEmpty }

    /// Bytes that were read from the descriptor.
    var bytesRead: Int64 { unsafe state.pointee.read }

    /// The errno of the first failed read or write, 0 if none failed. FFmpeg's own codes lose it.
    var failure: Int32 { unsafe state.pointee.failure }

    /// Maps an FFmpeg code from reading. Its parsers return errnos (EIO, EBUSY) for damaged files; only one from the descriptor
    /// is a system error.
    func mapped(_ code: Int32) -> Int32 {
        if failure != 0 { return trim_averror(failure) }
        let isNumber = code < 0 && code > -4096
        return isNumber && code != trim_averror(ENOMEM) ? trim_error_invaliddata : code
    }

    private static let read:
        @convention(c) (UnsafeMutableRawPointer?, UnsafeMutablePointer<UInt8>?, Int32) -> Int32 = {
            opaque, buffer, count in
            guard let state = unsafe opaque?.assumingMemoryBound(to: State.self), let buffer = unsafe buffer
            else { return trim_error_exit }
            var count = Int(count)
            if let zeros = unsafe FileIO.omittedBytes(&state.pointee, of: &count) {
                unsafe buffer.update(repeating: 0, count: zeros)
                unsafe state.pointee.offset += Int64(zeros)
                LibavPulse.beat()
                return Int32(zeros)
            }
            let got = unsafe FileIO.read(state.pointee, into: buffer, count: count)
            if got < 0 {
                if unsafe state.pointee.failure == 0 { unsafe state.pointee.failure = Int32(-got) }
                return trim_averror(Int32(-got))
            }
            if got == 0 { return trim_error_eof }
            LibavPulse.beat()
            unsafe state.pointee.offset += Int64(got)
            unsafe state.pointee.read += Int64(got)
            return Int32(got)
        }

    private static func read(_ state: State, into buffer: UnsafeMutablePointer<UInt8>, count: Int) -> Int {
        if let segments = state.segments {
            return unsafe segments.read(into: buffer, count: count, at: state.offset)
        }
        if let contents = state.contents {
            return unsafe SourceFile.copy(contents, into: buffer, count: count, at: state.offset)
        }
        var (descriptor, offset, count) = (state.descriptor, state.offset, count)
        if let lender = state.lender, let place = lender.place(of: offset, &count) {
            (descriptor, offset) = (lender.descriptor, place)
        }
        while true {
            let got = unsafe pread(descriptor, buffer, count, Int(offset))
            if got < 0, errno == EINTR { continue }
            return got < 0 ? -Int(errno) : got
        }
    }

    private static let write:
        @convention(c) (UnsafeMutableRawPointer?, UnsafePointer<UInt8>?, Int32) -> Int32 = {
            opaque, buffer, count in
            guard let state = unsafe opaque?.assumingMemoryBound(to: State.self), let buffer = unsafe buffer
            else { return trim_error_exit }
            var done = 0
            unsafe FileChanges.count(state.pointee.descriptor)
            while done < Int(count) {
                var length = Int(count) - done
                if let left = unsafe FileIO.omittedBytes(&state.pointee, of: &length) {
                    done += left
                    unsafe state.pointee.offset += Int64(left)
                    continue
                }
                let put = unsafe pwrite(
                    state.pointee.descriptor, buffer + done, length, Int(state.pointee.offset))
                if put < 0, errno == EINTR { continue }
                if put <= 0 {
                    let number = put < 0 ? errno : EIO
                    if unsafe state.pointee.failure == 0 { unsafe state.pointee.failure = number }
                    return trim_averror(number)
                }
                done += put
                LibavPulse.beat()
                unsafe state.pointee.offset += Int64(put)
            }
            unsafe state.pointee.size = max(state.pointee.size, state.pointee.offset)
            return count
        }

    private static let seek: @convention(c) (UnsafeMutableRawPointer?, Int64, Int32) -> Int64 = {
        opaque, offset, whence in
        guard let state = unsafe opaque?.assumingMemoryBound(to: State.self) else { return -1 }
        let position: Int64
        switch whence & ~AVSEEK_FORCE {
        case AVSEEK_SIZE: return unsafe state.pointee.size
        case SEEK_SET: position = offset
        case SEEK_CUR: position = unsafe state.pointee.offset &+ offset
        case SEEK_END: position = unsafe state.pointee.size &+ offset
        default: return Int64(trim_averror(EINVAL))
        }
        guard position >= 0 else { return Int64(trim_averror(EINVAL)) }
        unsafe state.pointee.offset = position
        return position
    }
}
