// The parameters that a track has from some place on, where they are not those that its container gives: a recording that grew, or a
// track that begins late. A value of a source: every demuxer of it describes its tracks so.
internal import CFFmpeg

/// The parameters of a track from a place on.
public final class TrackForm: Sendable {
    /// When the first frame that has them is shown, in ticks.
    public let start: Int64
    private let parameters: CodecParameters
    /// The track begins there.
    private let isBeginning: Bool

    /// Parameters that were found at a place.
    /// - Parameter isBeginning: the track begins there, and has nothing before it.
    public init(_ parameters: CodecParameters, start: Int64, isBeginning: Bool = false) {
        (self.parameters, self.start, self.isBeginning) = (parameters, start, isBeginning)
    }

    /// Describes a track of a container. Where there is no memory for it, it stays as it is.
    func describe(_ stream: UnsafeMutablePointer<AVStream>) {
        guard unsafe avcodec_parameters_copy(stream.pointee.codecpar, parameters.pointer) >= 0 else { return }
        unsafe stream.pointee.sample_aspect_ratio = parameters.pointer.pointee.sample_aspect_ratio
        guard isBeginning else { return }
        let (begun, length) = unsafe (known(stream.pointee.start_time), known(stream.pointee.duration))
        if let begun, let length { unsafe stream.pointee.duration = max(0, begun &+ length &- start) }
        unsafe stream.pointee.start_time = start
    }
}

extension TrackForm: Hashable {
    /// Each is itself only.
    public static func == (a: TrackForm, b: TrackForm) -> Bool { a === b }

    /// Hashes which it is.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension CodecParameters {
    /// Whether frames and samples of both have the same shape and colours.
    public func hasShape(of other: CodecParameters) -> Bool {
        let (a, b) = unsafe (pointer, other.pointer)
        let aspects = unsafe (a.pointee.sample_aspect_ratio, b.pointee.sample_aspect_ratio)
        let isShaped =
            unsafe a.pointee.width == b.pointee.width && a.pointee.height == b.pointee.height
            && a.pointee.format == b.pointee.format && a.pointee.sample_rate == b.pointee.sample_rate
        let isColored =
            unsafe a.pointee.color_primaries == b.pointee.color_primaries
            && a.pointee.color_trc == b.pointee.color_trc && a.pointee.color_space == b.pointee.color_space
            && a.pointee.color_range == b.pointee.color_range
        let isStretched =
            aspects.0.num > 0 && aspects.1.num > 0 && av_cmp_q(aspects.0, aspects.1) != 0
        return isShaped && isColored && !isStretched && channels(of: other)
    }

    private func channels(of other: CodecParameters) -> Bool {
        unsafe av_channel_layout_compare(&pointer.pointee.ch_layout, &other.pointer.pointee.ch_layout) == 0
    }

    /// A copy in which all that differs between two places of its track is as it is at the second one.
    /// - Parameters:
    ///   - first: of a decoder at the track's beginning.
    ///   - here: of a decoder at the place.
    ///   - extradata: the decoder's initialisation data there; nil: unchanged.
    public func changed(
        from first: CodecParameters, to here: CodecParameters, extradata: [UInt8]?
    ) throws(LibavError) -> CodecParameters {
        let other = try unsafe CodecParameters(
            copying: pointer, sideData: sideData, frameRate: frameRate, container: container)
        if let extradata { try other.setExtradata(extradata) }
        let (to, from, now) = unsafe (other.pointer, first.pointer, here.pointer)
        if unsafe from.pointee.width != now.pointee.width { unsafe to.pointee.width = now.pointee.width }
        if unsafe from.pointee.height != now.pointee.height { unsafe to.pointee.height = now.pointee.height }
        if unsafe from.pointee.format != now.pointee.format { unsafe to.pointee.format = now.pointee.format }
        if unsafe from.pointee.profile != now.pointee.profile {
            unsafe to.pointee.profile = now.pointee.profile
        }
        if unsafe from.pointee.level != now.pointee.level { unsafe to.pointee.level = now.pointee.level }
        if unsafe from.pointee.color_primaries != now.pointee.color_primaries {
            unsafe to.pointee.color_primaries = now.pointee.color_primaries
        }
        if unsafe from.pointee.color_trc != now.pointee.color_trc {
            unsafe to.pointee.color_trc = now.pointee.color_trc
        }
        if unsafe from.pointee.color_space != now.pointee.color_space {
            unsafe to.pointee.color_space = now.pointee.color_space
        }
        if unsafe from.pointee.color_range != now.pointee.color_range {
            unsafe to.pointee.color_range = now.pointee.color_range
        }
        if unsafe from.pointee.sample_rate != now.pointee.sample_rate {
            unsafe to.pointee.sample_rate = now.pointee.sample_rate
        }
        let aspect = unsafe now.pointee.sample_aspect_ratio
        if aspect.num > 0, unsafe av_cmp_q(from.pointee.sample_aspect_ratio, aspect) != 0 {
            unsafe to.pointee.sample_aspect_ratio = aspect
        }
        if !first.channels(of: here) {
            try LibavError.check(
                unsafe av_channel_layout_copy(&to.pointee.ch_layout, &now.pointee.ch_layout),
                "copying a channel layout")
        }
        // Decoders expect frames as far out of order as in any place.
        unsafe to.pointee.video_delay = unsafe max(to.pointee.video_delay, now.pointee.video_delay)
        return other
    }
}

extension Packet {
    /// The initialisation data that it tells decoders beside its bytes; nil: none.
    public var newHeader: [UInt8]? {
        sideData.first { $0.type == AV_PKT_DATA_NEW_EXTRADATA.rawValue }?.bytes
    }

    /// The initialisation data within its bytes, in the form of streams without a container; nil: none.
    /// - Parameter parameters: of its track.
    public func innerHeader(_ parameters: CodecParameters) -> [UInt8]? {
        guard let filter = try? BitstreamFilter("extract_extradata", parameters), let copy = try? copy(),
            (try? filter.send(copy)) != nil, (try? filter.receive(into: copy)) == true
        else { return nil }
        return copy.newHeader
    }
}

extension Demuxer {
    /// The tracks that the container knows by one of these numbers, such as PIDs.
    public func tracks(identified ids: Set<Int>) -> [Int] {
        (0..<ownTrackCount).filter { track in
            unsafe ownStream(track).map { ids.contains(Int(unsafe $0.pointee.id)) } ?? false
        }
    }

    /// The form of a track that begins where this demuxer does; nil if nothing of it is found, or it is not known how it is decoded.
    public func beginning(of track: Int) -> TrackForm? {
        guard !unknownTracks.contains(track), let parameters = try? CodecParameters(self, track: track),
            let start = unsafe ownStream(track).flatMap({ unsafe known($0.pointee.start_time) })
        else { return nil }
        return TrackForm(parameters, start: start, isBeginning: true)
    }
}
