// The parameters of tracks where a range begins. A container describes a track once, by its first samples; a recording may go on with
// another size, other parameter sets or other channels. Reads up to the sample that is on screen, or heard, at the beginning of the
// range, and decodes it. Runs on the caller's thread.
internal import Codecs
package import Libav
package import Media
internal import MediaTime

/// The parameters of a source's tracks at a time.
package struct RangeFormat {
    private let source: SourceFile
    private let asset: Asset
    private let start: Time

    /// The most packets that are read of a track: a minute of frames, or of audio.
    private static let most = 4000
    /// The most bytes.
    private static let mostBytes = 256 << 20

    /// A source and its asset as they are in a range: described by what is there.
    /// - Parameter segments: the range; nil: it is not known.
    package static func of(
        _ segments: Segments?, _ source: SourceFile, _ asset: Asset
    ) -> (source: SourceFile, asset: Asset) {
        guard let segments else { return (source, asset) }
        if let joined = source.joined {
            let ranges = segments.all.map { ($0.start + asset.start, $0.end.map { $0 + asset.start }) }
            guard let described = joined.described(in: ranges).map(source.joined(as:)),
                let there = try? Probe.asset(of: described)
            else { return (source, asset) }
            return (described, asset.described(as: there))
        }
        let start = segments.start
        guard start > .zero else { return (source, asset) }
        let format = RangeFormat(source: source, asset: asset, start: start)
        var described = source
        for track in asset.audioTracks + [asset.mainVideo].compactMap(\.self) where track.isDecodable {
            if let form = format.form(of: track) { described.forms[track.index] = form }
        }
        guard described.forms != source.forms, let there = try? Probe.asset(of: described) else {
            return (source, asset)
        }
        return (described, asset.described(as: there))
    }

    /// A place of a track.
    private struct Found {
        var parameters: CodecParameters
        /// The decoder's initialisation data, where the samples say it.
        var header: [UInt8]?
        /// When the first sample that was decoded is shown, in ticks.
        var start: Int64
    }

    /// The parameters of a track at the beginning of the range; nil: the container gives them, or nothing there decodes.
    private func form(of track: Track) -> TrackForm? {
        guard let (stored, here) = here(track) else { return nil }
        if here.header.map({ $0 == stored.extradata }) ?? true, here.parameters.hasShape(of: stored) {
            return nil
        }
        // A container may give something else than the samples do: what they do not change stays as it is.
        guard
            let beginning = try? TrackReader.open(
                source, track: track, origin: asset.start, at: .zero, back: .zero),
            let first = found(beginning, track, stored, until: nil)
        else { return nil }
        let isChanged = here.header != first.header && track.hasParameterSets(here.header)
        guard isChanged || !here.parameters.hasShape(of: first.parameters),
            let changed = try? stored.changed(
                from: first.parameters, to: here.parameters, extradata: isChanged ? here.header : nil)
        else { return nil }
        return TrackForm(changed, start: here.start)
    }

    /// The container's description of a track, and what is found where the range begins. A container without an index is read from further
    /// and further back, until a keyframe is found.
    private func here(_ track: Track) -> (stored: CodecParameters, found: Found)? {
        for back in track.kind == .video ? LookBack.video : [.zero] {
            guard
                let reader = try? TrackReader.open(
                    source, track: track, origin: asset.start, at: start, back: back),
                let stored = try? CodecParameters(reader.demuxer, track: track.index)
            else { return nil }
            if let found = found(reader, track, stored, until: start) { return (stored, found) }
            if reader.isFromBeginning || reader.demuxer.hasIndex { return nil }
        }
        return nil
    }

    /// Decodes the last sample up to a time that decoding can begin with.
    /// - Parameter end: in asset time; nil: the first sample is enough.
    private func found(
        _ reader: TrackReader, _ track: Track, _ stored: CodecParameters, until end: Time?
    ) -> Found? {
        let read = packets(reader, track, until: end)
        guard let first = read.packets.first, let start = first.pts ?? first.dts else { return nil }
        let own = read.header.flatMap { try? CodecParameters(stored, extradata: $0, tag: nil) } ?? stored
        guard let decoder = try? Decoder(own, timebase: track.timebase, threads: 1), let frame = try? Frame()
        else { return nil }
        var isFound = false
        for packet in read.packets.map(Optional.some) + [nil] {
            guard (try? decoder.send(packet)) != nil else { return nil }
            while case .frame? = try? decoder.receive(into: frame) { isFound = true }
        }
        guard isFound, let parameters = try? decoder.found() else { return nil }
        // Between lengths, start codes are found that are none.
        let isPlain = track.videoCodec.framing(extradata: stored.extradata) == .annexB
        let inner = isPlain ? first.innerHeader(stored) : nil
        return Found(parameters: parameters, header: read.header ?? inner, start: start)
    }

    /// The last keyframe up to a time and what must be decoded with it, or the last packets of audio; and the header that the container
    /// says beside them.
    private func packets(
        _ reader: TrackReader, _ track: Track, until end: Time?
    ) -> (packets: [Packet], header: [UInt8]?) {
        let quiet = Diagnostics()
        let isISOMedia = reader.demuxer.isISOMedia
        var (packets, header): ([Packet], [UInt8]?) = ([], nil)
        var bytes = 0
        func isLater(_ ticks: Int64?) -> Bool {
            guard let end, let ticks else { return false }
            return track.timebase.time(ofTicks: ticks) - asset.start > end
        }
        for _ in 0..<RangeFormat.most where bytes < RangeFormat.mostBytes {
            guard let packet = try? Packet(), reader.read(into: packet, quiet) else { break }
            bytes += packet.size
            if let new = packet.newHeader { header = new }
            // Samples of a movie are as its header says, unless it has several.
            if isISOMedia, header == nil, end != nil { break }
            if isLater(packet.dts ?? packet.pts) { break }
            if isLater(packet.pts) { continue }
            if track.kind == .audio {
                packets = packets.suffix(RangeFormat.lead - 1) + [packet]
                if end == nil, packets.count == RangeFormat.lead { break }
            } else if packet.isKey {
                packets = [packet]
                if end == nil { break }
            } else if !packets.isEmpty, track.mayChangeWithin {
                packets.append(packet)
            }
        }
        return (packets, header)
    }

    /// Packets of audio that are decoded: some codecs return nothing for the first ones.
    private static let lead = 8
}

extension Asset {
    /// This asset, its tracks in the formats of another one of the same source.
    fileprivate func described(as other: Asset) -> Asset {
        var asset = self
        for index in asset.tracks.indices {
            guard let track = other.tracks.first(where: { $0.index == asset.tracks[index].index }) else {
                continue
            }
            (asset.tracks[index].video, asset.tracks[index].audio) = (track.video, track.audio)
            (asset.tracks[index].profile, asset.tracks[index].level) = (track.profile, track.level)
            (asset.tracks[index].codec, asset.tracks[index].codecTag) = (track.codec, track.codecTag)
        }
        return asset
    }
}

extension Track {
    /// Whether frames that are not keyframes may have another size than those before.
    fileprivate var mayChangeWithin: Bool { videoCodec is VP9Codec.Type }

    /// Whether a header has all that decoders of the track need.
    fileprivate func hasParameterSets(_ header: [UInt8]?) -> Bool {
        guard let header else { return false }
        return !(videoCodec is any NALCodec.Type) || videoCodec.parameterSets(extradata: header) != nil
    }
}
