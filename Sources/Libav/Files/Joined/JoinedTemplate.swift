// The tracks of a joined source, as FFmpeg's structures that belong to no file: each is described by the first piece that has it.
// Demuxers of the source get copies. Nothing changes it once it is complete.
//
// `unsafe` here: FFmpeg's structures.
internal import CFFmpeg
internal import MediaTime

/// Tracks without a file.
///
/// `@unchecked Sendable`: it is changed only while one thread makes it.
@safe final class JoinedTemplate: @unchecked Sendable {
    private let context: UnsafeMutablePointer<AVFormatContext>
    /// The tracks as pieces with different parameters have them.
    private let forms: UnsafeMutablePointer<AVFormatContext>
    /// Which track of the whole each of those is, and with which parameters.
    private var noted: [(track: Int, parameters: CodecParameters)] = []

    init() throws(LibavError) {
        let context = try unsafe LibavError.allocated(avformat_alloc_context(), "a demuxer")
        do throws(LibavError) {
            unsafe forms = try LibavError.allocated(avformat_alloc_context(), "a demuxer")
        } catch {
            unsafe avformat_free_context(context)
            throw error
        }
        unsafe self.context = unsafe context
    }

    /// A copy that can be described otherwise.
    init(copying other: JoinedTemplate) throws(LibavError) {
        let context = try unsafe other.copy()
        do throws(LibavError) { unsafe forms = try JoinedTemplate.copy(of: other.forms) } catch {
            unsafe avformat_free_context(context)
            throw error
        }
        unsafe self.context = unsafe context
        noted = other.noted
    }

    deinit {
        unsafe avformat_free_context(context)
        unsafe avformat_free_context(forms)
    }

    /// Takes the metadata and the start of a container.
    func describe(_ demuxer: Demuxer) {
        unsafe av_dict_copy(&context.pointee.metadata, demuxer.context.pointee.metadata, 0)
        unsafe context.pointee.start_time = demuxer.context.pointee.start_time
    }

    /// Adds a track that is like one of a container.
    func add(_ track: Int, of demuxer: Demuxer) throws(LibavError) {
        guard let stream = unsafe demuxer.stream(track) else { return }
        _ = try unsafe JoinedTemplate.add(stream, to: context)
    }

    /// Keeps how a piece describes a track, once for each of its different parameters.
    /// - Parameter whole: the number of the track in the whole.
    func note(_ track: MeasuredTrack, of demuxer: Demuxer, as whole: Int) throws(LibavError) {
        guard !noted.contains(where: { $0.track == whole && $0.parameters.isSame(as: track.parameters) }),
            let stream = unsafe demuxer.stream(track.index)
        else { return }
        _ = try unsafe JoinedTemplate.add(stream, to: forms)
        noted.append((whole, track.parameters))
    }

    /// Describes a track as a piece does that has these parameters. Its language, name and times stay.
    func describe(_ whole: Int, by parameters: CodecParameters) {
        guard
            let form = noted.firstIndex(where: { $0.track == whole && $0.parameters.isSame(as: parameters) }),
            let from = unsafe forms.pointee.streams[form], let stream = unsafe context.pointee.streams[whole]
        else { return }
        let delay = unsafe max(
            stream.pointee.codecpar.pointee.video_delay, from.pointee.codecpar.pointee.video_delay)
        // Where there is no memory for it, it stays as it was described first.
        guard unsafe avcodec_parameters_copy(stream.pointee.codecpar, from.pointee.codecpar) >= 0 else {
            return
        }
        unsafe stream.pointee.codecpar.pointee.video_delay = delay
        unsafe stream.pointee.sample_aspect_ratio = from.pointee.sample_aspect_ratio
        unsafe stream.pointee.avg_frame_rate = from.pointee.avg_frame_rate
        unsafe stream.pointee.r_frame_rate = from.pointee.r_frame_rate
        unsafe JoinedTemplate.copySideData(from, to: stream)
        // What the first piece said of turning does not hold for these.
        guard unsafe trim_stream_side_data(from, AV_PKT_DATA_DISPLAYMATRIX) == nil,
            unsafe trim_stream_side_data(stream, AV_PKT_DATA_DISPLAYMATRIX) != nil,
            let upright = unsafe trim_stream_add_side_data(stream, AV_PKT_DATA_DISPLAYMATRIX, 9 * 4)
        else { return }
        unsafe av_display_rotation_set(
            UnsafeMutableRawPointer(upright).assumingMemoryBound(to: Int32.self), 0)
    }

    /// Completes a track by the parameters of a later piece: they count where the first piece only listed it, and decoders expect
    /// frames as far out of order as in any piece.
    func complete(_ track: Int, by parameters: CodecParameters) {
        guard let codec = unsafe context.pointee.streams[track]?.pointee.codecpar else { return }
        let isUnknown =
            switch unsafe codec.pointee.codec_type {
            case AVMEDIA_TYPE_VIDEO: unsafe codec.pointee.width == 0
            case AVMEDIA_TYPE_AUDIO: unsafe codec.pointee.sample_rate == 0
            default: false
            }
        if isUnknown, unsafe codec.pointee.codec_id == parameters.pointer.pointee.codec_id {
            unsafe avcodec_parameters_copy(codec, parameters.pointer)
        }
        let delay = unsafe max(codec.pointee.video_delay, parameters.pointer.pointee.video_delay)
        unsafe codec.pointee.video_delay = delay
    }

    /// Sets the times of a track.
    /// - Parameter isMoved: it begins at `start`, whatever its container says.
    func setTimes(of track: Int, _ timebase: Timebase, start: Int64?, end: Int64?, isMoved: Bool) {
        guard let stream = unsafe context.pointee.streams[track] else { return }
        let old = unsafe stream.pointee.time_base
        let base = AVRational(num: timebase.numerator, den: timebase.denominator)
        unsafe stream.pointee.time_base = base
        let begun = isMoved ? nil : unsafe known(stream.pointee.start_time)
        let first = begun.map { av_rescale_q($0, old, base) } ?? start
        unsafe stream.pointee.start_time = first ?? trim_nopts
        if let first, let end {
            unsafe stream.pointee.duration = max(0, end &- first)
        } else {
            unsafe stream.pointee.duration = trim_nopts
        }
    }

    /// Forgets when a track begins: the piece that described it is not the first.
    func forgetStart(of track: Int) {
        unsafe context.pointee.streams[track]?.pointee.start_time = trim_nopts
    }

    /// Sets the first moment of all, in microseconds.
    func setStart(_ start: Int64) { unsafe context.pointee.start_time = start }

    /// Sets the end of all, in microseconds.
    func setEnd(_ end: Int64) {
        unsafe context.pointee.duration = max(0, end &- (known(context.pointee.start_time) ?? 0))
    }

    /// A copy for a demuxer.
    func copy() throws(LibavError) -> UnsafeMutablePointer<AVFormatContext> {
        try unsafe JoinedTemplate.copy(of: context)
    }

    private static func copy(
        of context: UnsafeMutablePointer<AVFormatContext>
    ) throws(LibavError) -> UnsafeMutablePointer<AVFormatContext> {
        let other = try unsafe LibavError.allocated(avformat_alloc_context(), "a demuxer")
        do throws(LibavError) {
            for index in 0..<Int(unsafe context.pointee.nb_streams) {
                guard let stream = unsafe context.pointee.streams[index] else { continue }
                let added = try unsafe JoinedTemplate.add(stream, to: other)
                unsafe added.pointee.start_time = stream.pointee.start_time
                unsafe added.pointee.duration = stream.pointee.duration
            }
        } catch {
            unsafe avformat_free_context(other)
            throw error
        }
        unsafe av_dict_copy(&other.pointee.metadata, context.pointee.metadata, 0)
        unsafe other.pointee.start_time = context.pointee.start_time
        unsafe other.pointee.duration = context.pointee.duration
        return unsafe other
    }

    private static func add(
        _ stream: UnsafeMutablePointer<AVStream>, to context: UnsafeMutablePointer<AVFormatContext>
    ) throws(LibavError) -> UnsafeMutablePointer<AVStream> {
        let other = try unsafe LibavError.allocated(avformat_new_stream(context, nil), "a track")
        try LibavError.check(
            unsafe avcodec_parameters_copy(other.pointee.codecpar, stream.pointee.codecpar),
            "copying codec parameters")
        unsafe other.pointee.id = stream.pointee.id
        unsafe other.pointee.time_base = stream.pointee.time_base
        unsafe other.pointee.start_time = stream.pointee.start_time
        unsafe other.pointee.disposition = stream.pointee.disposition
        unsafe other.pointee.sample_aspect_ratio = stream.pointee.sample_aspect_ratio
        unsafe other.pointee.avg_frame_rate = stream.pointee.avg_frame_rate
        unsafe other.pointee.r_frame_rate = stream.pointee.r_frame_rate
        unsafe av_dict_copy(&other.pointee.metadata, stream.pointee.metadata, 0)
        unsafe copySideData(stream, to: other)
        return unsafe other
    }

    private static func copySideData(
        _ stream: UnsafeMutablePointer<AVStream>, to other: UnsafeMutablePointer<AVStream>
    ) {
        for index in 0..<(unsafe trim_stream_side_data_count(stream)) {
            let entry = unsafe trim_stream_side_data_entry(stream, index).pointee
            guard let bytes = unsafe trim_stream_add_side_data(other, entry.type, entry.size),
                let from = unsafe entry.data
            else { continue }
            unsafe UnsafeMutableRawPointer(bytes).copyMemory(from: from, byteCount: entry.size)
        }
    }
}
