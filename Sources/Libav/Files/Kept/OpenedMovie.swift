// A movie (MP4, QuickTime) whose index is read, without a position of its own: whoever takes it reads it from its beginning, as if it
// had been opened anew. That holds for movies whose index is all of it. Of a movie in fragments it grows with reading.
internal import CFFmpeg
internal import ISOMedia

/// An opened movie.
///
/// `@unchecked Sendable`: one reader at a time has it.
@safe final class OpenedMovie: @unchecked Sendable {
    let context: UnsafeMutablePointer<AVFormatContext>
    let io: FileIO
    let format: String
    let formatName: String
    /// The file as it was when it was opened.
    let version: SourceVersion
    /// Samples in its index.
    let samples: Int
    /// How much was discarded of each track when it was opened.
    private let discards: [AVDiscard]
    /// The track that begins first, and its first time of decoding, in ticks.
    private let first: (track: Int32, ticks: Int64)
    /// Nobody has it: it closes with this.
    private var isIdle = false

    /// Adopts a movie that was just opened, before any sample is read. Nil if it cannot be read again from its beginning.
    /// - Parameter source: the file.
    init?(
        _ context: UnsafeMutablePointer<AVFormatContext>, _ io: FileIO, format: String, formatName: String,
        of source: SourceFile
    ) {
        guard format.split(separator: ",").contains("mov"), source.segments == nil, source.contents == nil,
            source.joined == nil, source.lender == nil, let version = SourceVersion(source),
            OpenedMovie.hasWholeIndex(source)
        else { return nil }
        var (samples, first) = (0, nil as (track: Int32, ticks: Int64)?)
        for index in 0..<Int(unsafe context.pointee.nb_streams) {
            guard let stream = unsafe context.pointee.streams[index] else { return nil }
            let count = unsafe avformat_index_get_entries_count(stream)
            guard count > 0, let entry = unsafe avformat_index_get_entry(stream, 0)?.pointee else { continue }
            let second = unsafe avformat_index_get_entry(stream, 1)?.pointee.timestamp ?? .max
            // FFmpeg finds the first sample of each track again by its time, among those that decoding can begin with.
            guard entry.flags & AVINDEX_KEYFRAME != 0, second > entry.timestamp,
                // Such sound is read by a demuxer inside of this one.
                unsafe stream.pointee.codecpar.pointee.codec_id != AV_CODEC_ID_DVAUDIO
            else { return nil }
            samples += Int(count)
            if let (track, ticks) = first, let other = unsafe context.pointee.streams[Int(track)],
                unsafe av_compare_ts(
                    ticks, other.pointee.time_base, entry.timestamp, stream.pointee.time_base) <= 0
            {
                continue
            }
            first = (Int32(index), entry.timestamp)
        }
        guard let first, first.ticks > .min else { return nil }
        self.first = first
        self.samples = samples
        self.version = version
        unsafe self.context = context
        self.io = io
        (self.format, self.formatName) = (format, formatName)
        discards = (0..<Int(unsafe context.pointee.nb_streams)).map { index in
            unsafe context.pointee.streams[index]?.pointee.discard ?? AVDISCARD_DEFAULT
        }
    }

    deinit {
        guard isIdle else { return }
        var pointer: UnsafeMutablePointer<AVFormatContext>? = unsafe context
        unsafe avformat_close_input(&pointer)
    }

    /// Boxes at the top of a file whose movie box says where all samples are.
    private static let boxes: Set<String> = [
        "ftyp", "moov", "mdat", "free", "skip", "wide", "uuid", "udta", "meta", "pnot", "PICT",
    ]
    /// Boxes of such a file, at most.
    private static let mostBoxes = 64

    /// Whether the file has no fragments.
    private static func hasWholeIndex(_ source: SourceFile) -> Bool {
        var offset: Int64 = 0
        for _ in 0..<mostBoxes {
            if offset >= source.size { return true }
            let head = source.bytes(at: offset, count: BoxHeader.longest)
            guard let box = BoxHeader(head, at: offset, end: source.size), boxes.contains(box.name) else {
                return false
            }
            offset = box.end
        }
        return false
    }

    /// The reader has ended: nobody has it until it is taken again. It must have read no errors, and have no bytes left out.
    func rest() {
        unsafe context.pointee.opaque = nil
        isIdle = true
    }

    /// Goes back to the beginning, for a new reader, who has it from then on. False if it cannot: it closes.
    func begin() -> Bool {
        for (index, discard) in discards.enumerated() {
            unsafe context.pointee.streams[index]?.pointee.discard = discard
        }
        io.forgetReading()
        guard unsafe av_seek_frame(context, first.track, first.ticks - 1, AVSEEK_FLAG_BACKWARD) >= 0 else {
            return false
        }
        isIdle = false
        return true
    }
}
