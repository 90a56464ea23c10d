// Facts from a container's index, without reading samples.
internal import CFFmpeg

extension Demuxer {
    /// Containers of uncompressed audio, in which FFmpeg finds a time by an average rate of bytes.
    private static let counted: Set<String> = ["wav", "w64", "aiff", "au"]
    /// Codecs in them whose frames FFmpeg counts from the beginning instead.
    private static let parsed: Set<String> = ["mp2", "mp3", "ac3", "dts"]

    /// Whether samples get wrong times after a seek: compressed audio, whose packets that rate does not fit, audio whose times were
    /// rounded more than its ticks tell, that whose packets have the time of another packet's frame, and Speex in Ogg, of whose last page
    /// FFmpeg takes the place of the seek for the time.
    func isMisplacedBySeeks(_ track: Int) -> Bool {
        if hasTicksOfSamples || hasBitReservoir(track) || isUnindexedAudio(track) { return true }
        if format == "ogg", unsafe stream(track)?.pointee.codecpar.pointee.codec_id == AV_CODEC_ID_SPEEX {
            return true
        }
        guard Demuxer.counted.contains(format), let stream = unsafe stream(track) else { return false }
        let id = unsafe stream.pointee.codecpar.pointee.codec_id
        let name = unsafe String(cString: avcodec_get_name(id))
        return !name.hasPrefix("pcm_") && !Demuxer.parsed.contains(name)
    }

    /// Whether a track is audio of an MXF file that FFmpeg has no index of. Frames of video are known by their places there.
    private func isUnindexedAudio(_ track: Int) -> Bool {
        guard format == "mxf", let orderedSource,
            unsafe ownStream(track)?.pointee.codecpar.pointee.codec_type == AVMEDIA_TYPE_AUDIO
        else { return false }
        return !CodedOrders.shared.isIndexed(orderedSource)
    }

    /// Whether frames of Windows Media Audio go on in the next packet: only by all packets before it is known which frame a packet's
    /// time is of. The second bit of the flags in the header of version 2 says so; WMA Pro and WMA Lossless always do it.
    public func hasBitReservoir(_ track: Int) -> Bool {
        guard let codec = unsafe stream(track)?.pointee.codecpar else { return false }
        return switch unsafe codec.pointee.codec_id {
        case AV_CODEC_ID_WMAPRO, AV_CODEC_ID_WMALOSSLESS: true
        case AV_CODEC_ID_WMAV2:
            unsafe codec.pointee.extradata_size >= 6 && codec.pointee.extradata[4] & 2 != 0
        default: false
        }
    }

    /// Matroska without video often has ticks of about a sample. Where its audio came from a file with video, times are rounded to a
    /// millisecond nevertheless, each packet's by another amount: only all packets before it tell where one is.
    private var hasTicksOfSamples: Bool {
        guard format.split(separator: ",").contains("matroska"), joined == nil else { return false }
        return (0..<ownTrackCount).allSatisfy { index in
            guard let stream = unsafe ownStream(index) else { return false }
            let base = unsafe stream.pointee.time_base
            return unsafe stream.pointee.codecpar.pointee.codec_type == AVMEDIA_TYPE_AUDIO
                && Int64(base.num) * 1000 < Int64(base.den)
        }
    }

    /// Seeks to audio in Matroska by the cues of the video, which mostly are the only ones: of a track without cues FFmpeg looks for a time by
    /// reading all that lies before it. Nil: the file has no video, or no cues of it.
    func seekByCues(track: Int, toTicks ticks: Int64) -> Bool? {
        guard format.contains("matroska"), let own = unsafe ownStream(track),
            unsafe own.pointee.codecpar.pointee.codec_type == AVMEDIA_TYPE_AUDIO,
            let guide = (0..<ownTrackCount).first(where: isFilm), let stream = unsafe ownStream(guide)
        else { return nil }
        // FFmpeg reads the cues at the first seek, and follows them only on a track that it does not discard.
        let discard = unsafe stream.pointee.discard
        unsafe stream.pointee.discard = AVDISCARD_DEFAULT
        defer { unsafe stream.pointee.discard = discard }
        let wanted = unsafe av_rescale_q_rnd(
            ticks, own.pointee.time_base, stream.pointee.time_base, AV_ROUND_DOWN)
        return unsafe av_seek_frame(context, Int32(guide), wanted, AVSEEK_FLAG_BACKWARD) >= 0 ? true : nil
    }

    /// Whether a track is video, and not a picture.
    private func isFilm(_ track: Int) -> Bool {
        guard let stream = unsafe ownStream(track) else { return false }
        return unsafe stream.pointee.codecpar.pointee.codec_type == AVMEDIA_TYPE_VIDEO
            && stream.pointee.disposition & AV_DISPOSITION_ATTACHED_PIC == 0
    }

    /// Goes on at a byte of the file; false if the format cannot. For looks at times: the first packet may be a part of one.
    public func seek(toByte place: Int64) -> Bool {
        guard joined == nil, companions.entries.isEmpty else { return false }
        (settling, lastStored) = (nil, [:])
        return unsafe av_seek_frame(context, -1, place, AVSEEK_FLAG_BYTE) >= 0
    }

    /// The last byte that the container's index refers to; nil if it has no index. Past the file's size: truncated.
    public var lastIndexedByte: Int64? {
        var last: Int64?
        for track in 0..<ownTrackCount {
            guard let stream = unsafe ownStream(track) else { continue }
            let count = unsafe avformat_index_get_entries_count(stream)
            guard count > 0, let entry = unsafe avformat_index_get_entry(stream, count - 1) else { continue }
            last = unsafe max(last ?? 0, entry.pointee.pos + Int64(entry.pointee.size))
        }
        return last
    }

    /// Every sample is in the index. Indexes of other formats list only sync samples, or no sizes; a joined source has none.
    public var hasIndex: Bool { joined == nil && isISOMedia }

    /// Whether it reads a movie as in ISO/IEC 14496-12 or QuickTime.
    public var isISOMedia: Bool { format.split(separator: ",").contains("mov") }

    /// Whether the index has a sample that is decoded much later than at the usual interval. Muxers stretch the first and last
    /// intervals to make the table's sum exact: these do not count.
    func hasGaps(_ track: Int) -> Bool {
        guard hasIndex, let stream = unsafe stream(track) else { return false }
        let ends: Int32 = 17
        let count = unsafe avformat_index_get_entries_count(stream)
        guard count > 3 * ends else { return false }
        guard let (usual, longest) = interval(of: track, ends..<(count - ends)) else { return false }
        return usual > 0 && Double(longest) > 1.75 * Double(usual)
    }

    /// The most common and the longest time from one sample to the next, in ticks, of a range of the index that begins with the second
    /// of the two; nil: it has none.
    func interval(of track: Int, _ range: Range<Int32>) -> (usual: Int64, longest: Int64)? {
        guard let stream = unsafe stream(track) else { return nil }
        let count = unsafe avformat_index_get_entries_count(stream)
        // Sorted, not counted in a dictionary, whose type is looked up at its first use in a process.
        var steps: [Int64] = []
        steps.reserveCapacity(Int(min(range.upperBound, count)))
        var last = unsafe avformat_index_get_entry(stream, range.lowerBound)?.pointee.timestamp
        for index in (range.lowerBound + 1)..<max(range.lowerBound + 1, min(range.upperBound, count)) {
            guard let time = unsafe avformat_index_get_entry(stream, index)?.pointee.timestamp,
                let before = last
            else { return nil }
            steps.append(time &- before)
            last = time
        }
        steps.sort()
        var (usual, most, same) = (Int64(0), 0, 0)
        for (index, step) in steps.enumerated() {
            same = index > 0 && steps[index - 1] == step ? same + 1 : 1
            if same > most { (usual, most) = (step, same) }
        }
        return steps.last.map { (usual, max(0, $0)) }
    }

    /// Reads no more than the beginning of each sync sample of a track from now on, and nothing of its other samples, as far as the
    /// container's index lists them: zeros take the place of the rest. For readers of times: they are the same. Call it before any
    /// sample is read.
    /// - Parameter bytes: of each sync sample that are read.
    public func omitContents(of track: Int, but bytes: Int64) {
        guard hasIndex, !isEdited(track), let stream = unsafe ownStream(track) else { return }
        var ranges: [Range<Int64>] = []
        for index in 0..<(unsafe avformat_index_get_entries_count(stream)) {
            guard let entry = unsafe avformat_index_get_entry(stream, index)?.pointee, entry.size > 0,
                entry.pos >= 0
            else { continue }
            let (end, isTooFar) = entry.pos.addingReportingOverflow(Int64(entry.size))
            let first =
                entry.flags & AVINDEX_KEYFRAME != 0 ? entry.pos + min(bytes, Int64(entry.size)) : entry.pos
            if !isTooFar, first < end { ranges.append(first..<end) }
        }
        // In decoding order samples lie in the order of their positions, in files that were written at once.
        if zip(ranges, ranges.dropFirst()).contains(where: { $0.upperBound > $1.lowerBound }) {
            ranges.sort { $0.lowerBound < $1.lowerBound }
            // Samples that share bytes: an index that nobody wrote so.
            if zip(ranges, ranges.dropFirst()).contains(where: { $0.upperBound > $1.lowerBound }) { return }
        }
        io.omit(ranges)
        // FFmpeg's parsers would report an error for each sample, and find nothing in it.
        unsafe context.pointee.flags |= AVFMT_FLAG_NOPARSE
    }

    /// Where the samples of a track lie that decoding cannot begin with, in the order of the file; empty where the index does not tell.
    public func dependentPlaces(of track: Int) -> [Range<Int64>] {
        guard hasIndex, !isEdited(track), let stream = unsafe ownStream(track) else { return [] }
        var places: [Range<Int64>] = []
        for index in 0..<(unsafe avformat_index_get_entries_count(stream)) {
            guard let entry = unsafe avformat_index_get_entry(stream, index)?.pointee, entry.size > 0,
                entry.pos >= 0, entry.flags & AVINDEX_KEYFRAME == 0
            else { continue }
            let (end, isTooFar) = entry.pos.addingReportingOverflow(Int64(entry.size))
            guard !isTooFar else { return [] }
            places.append(entry.pos..<end)
        }
        return places.sorted { $0.lowerBound < $1.lowerBound }
    }

    /// Reads nothing of these bytes from now on: zeros take their place. Call it before any sample is read.
    /// - Parameter ranges: in order, apart.
    public func omit(_ ranges: [Range<Int64>]) {
        guard !ranges.isEmpty else { return }
        io.omit(ranges)
        // FFmpeg's parsers would report an error for each sample.
        unsafe context.pointee.flags |= AVFMT_FLAG_NOPARSE
    }

    /// How many shown samples the index lists before that of a packet of the file itself, as it was read; nil where it does not list
    /// them all, as in a movie in fragments, or where the packet is none of it.
    public func shownSamples(before packet: Packet) -> Int64? {
        guard hasIndex, companions.entry(of: packet.track) == nil, let dts = packet.dts,
            let place = packet.place,
            let stream = unsafe ownStream(packet.track)
        else { return nil }
        // The samples of fragments come into the index as they are read, and may leave gaps there.
        let count = unsafe avformat_index_get_entries_count(stream)
        guard unsafe Int64(count) <= stream.pointee.nb_frames else { return nil }
        let own = unsafe av_index_search_timestamp(stream, dts, AVSEEK_FLAG_ANY | AVSEEK_FLAG_BACKWARD)
        guard own >= 0, let entry = unsafe avformat_index_get_entry(stream, own)?.pointee,
            entry.timestamp == dts, entry.pos == place.lowerBound
        else { return nil }
        return (0..<own).reduce(0) { sum, index in
            let flags = unsafe avformat_index_get_entry(stream, index)?.pointee.flags ?? 0
            return flags & AVINDEX_DISCARD_FRAME == 0 ? sum + 1 : sum
        }
    }

    /// Bytes of the file that were read so far.
    public var bytesRead: Int64 {
        edited.values.reduce(joined?.bytesRead ?? io.bytesRead) { $0 + $1.bytesRead }
    }

    /// Bytes of the samples that a copy of [from, to) contains, from the last sync sample at or before `from` on, in decoding
    /// order. Nil if the index does not list every sample up to there. Call it before reading: the index of a fragmented movie
    /// grows with reading, and may then have gaps.
    /// - Parameters:
    ///   - from: in ticks of the track, as its decoding times.
    ///   - lag: ticks by which the last sample may end before `to`.
    public func indexedBytes(track: Int, from: Int64, to: Int64, lag: Int64) -> Int64? {
        guard hasIndex, let stream = unsafe stream(track) else { return nil }
        let count = unsafe avformat_index_get_entries_count(stream)
        guard count > 0, let last = unsafe avformat_index_get_entry(stream, count - 1),
            unsafe last.pointee.timestamp >= to &- lag
        else { return nil }
        let first = unsafe max(0, av_index_search_timestamp(stream, from, AVSEEK_FLAG_BACKWARD))
        var sum: Int64 = 0
        for index in first..<count {
            guard let entry = unsafe avformat_index_get_entry(stream, index),
                unsafe entry.pointee.timestamp < to
            else { break }
            unsafe sum += Int64(entry.pointee.size)
        }
        return sum
    }
}
