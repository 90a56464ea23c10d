// LibavLookup: FFmpeg's codecs and formats by ID or by name. FFmpeg goes through all of its thousand at each call; here each is looked up
// once in a process, and a fork has what its server found. Any thread. It opens nothing, and knows no limits: LibavLimits says which
// decoders are allowed.
//
// `unsafe` here: pointers to FFmpeg's constants, which live as long as the process.
internal import CFFmpeg
internal import Synchronization

/// FFmpeg's entries by key, each looked up once.
@safe final class LibavLookup<Key: Hashable & Sendable, Entry>: Sendable {
    /// A constant of FFmpeg's; nil: it has none.
    ///
    /// `@unchecked Sendable`: FFmpeg never changes it.
    @safe private struct Found: @unchecked Sendable {
        let pointer: UnsafePointer<Entry>?
    }

    private let find: @Sendable (Key) -> UnsafePointer<Entry>?
    private let known = Mutex<[Key: Found]>([:])

    /// Creates an empty table over a search of FFmpeg's.
    init(_ find: @escaping @Sendable (Key) -> UnsafePointer<Entry>?) { unsafe self.find = find }

    /// The entry of a key; nil if this build has none.
    subscript(key: Key) -> UnsafePointer<Entry>? {
        let found = known.withLock { known in
            if let found = known[key] { return found }
            let found = unsafe Found(pointer: find(key))
            known[key] = found
            return found
        }
        return unsafe found.pointer
    }
}

extension LibavLookup where Key == UInt32, Entry == AVCodec {
    /// FFmpeg's own choice of a decoder, by the number of a codec's ID.
    static let decoders = unsafe LibavLookup { unsafe trim_find_decoder(AVCodecID($0)) }
}

extension LibavLookup where Key == String, Entry == AVCodec {
    /// Encoders by name.
    static let encoders = unsafe LibavLookup { unsafe avcodec_find_encoder_by_name($0) }
}

extension LibavLookup where Key == String, Entry == AVOutputFormat {
    /// Muxers by name.
    static let muxers = unsafe LibavLookup { unsafe av_guess_format($0, nil, nil) }
}

extension LibavLookup where Key == String, Entry == AVInputFormat {
    /// Demuxers by name.
    static let demuxers = unsafe LibavLookup { unsafe av_find_input_format($0) }
}
