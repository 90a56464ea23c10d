// Changing a file that was just written, by its descriptor. For outputs; a source is never open for writing.
internal import CFFmpeg
internal import Glibc

extension SourceFile {
    /// A file as large as it is now.
    public init(descriptor: Int32, name: String) {
        self.init(descriptor: descriptor, size: Int64(max(0, lseek(descriptor, 0, SEEK_END))), name: name)
    }

    /// Writes bytes at a place.
    public func write(_ bytes: [UInt8], at offset: Int64) throws(LibavError) {
        var done = 0
        while done < bytes.count {
            let put = unsafe bytes.withUnsafeBytes { all in
                unsafe pwrite(
                    descriptor, all.baseAddress.map { unsafe $0 + done }, bytes.count - done,
                    Int(offset) + done)
            }
            if put < 0, errno == EINTR { continue }
            guard put > 0 else {
                throw LibavError("writing the file's head", code: trim_averror(put < 0 ? errno : EIO))
            }
            done += put
        }
    }

    /// Moves everything from a place on, and sets the file's size to what it then is.
    public func move(from offset: Int64, by delta: Int64) throws(LibavError) {
        let piece: Int64 = 1 << 20
        // What lies in the way of what moves must have moved before.
        var places = Array(stride(from: offset, to: size, by: Int(piece)))
        if delta > 0 { places.reverse() }
        for place in places {
            let part = bytes(at: place, count: Int(min(piece, size - place)))
            try write(part, at: place + delta)
        }
        try truncate(to: size + delta)
    }

    /// Sets the file's size.
    public func truncate(to size: Int64) throws(LibavError) {
        guard ftruncate(descriptor, Int(size)) == 0 else {
            throw LibavError("writing the file's head", code: trim_averror(errno))
        }
    }
}
