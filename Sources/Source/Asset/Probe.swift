// Reads a source into an `Asset`: the output of `trimctl probe` and the input of every plan. Reads headers, then a bounded run of
// packets; decodes nothing. Keyframes need the whole file and are read only on request.
internal import Codecs
internal import ISOMedia
public import Libav
public import Media
internal import MediaTime

/// Reads the properties of a source.
public struct Probe: Sendable {
    /// Returns the asset of a source.
    /// - Parameters:
    ///   - keyframes: read the whole file for the keyframes of the video tracks.
    ///   - properties: the requested ones, each reported as loaded or failed; nil: the usual ones.
    ///   - trustsHeaders: where the format allows it, nothing is decoded to learn what the headers leave out, such as a pixel format.
    public static func asset(
        of source: SourceFile, keyframes: Bool = false, properties: [AssetProperty]? = nil,
        trustsHeaders: Bool = false
    ) throws(MediaError) -> Asset {
        var wanted = properties.map(Set.init) ?? AssetProperty.usual
        if keyframes { wanted.insert(.keyframes) }
        // FFmpeg would guess the format of an empty file from its name.
        guard source.size > 0 else { throw MediaError(.notRecognized(format: nil), source: source) }
        let boxes = MovieBoxes(source)
        let demuxer: Demuxer
        do throws(OpenFailure) {
            // Chapters and metadata are in the header: no stream is probed for them.
            demuxer = try Demuxer(
                source, quick: trustsHeaders || wanted.isSubset(of: [.chapters, .metadata]))
        } catch {
            if case .damaged = error, boxes?.isProtected == true {
                throw MediaError(
                    .contentIsProtected, "\(source.name) is encrypted",
                    remedy: "export needs the unencrypted original")
            }
            throw MediaError(error, source: source)
        }
        let streams = streams(demuxer, source)
        let zero = origin(of: demuxer, streams)
        var states = Dictionary(
            uniqueKeysWithValues: AssetProperty.allCases.map {
                ($0.rawValue, PropertyState(wanted.contains($0) ? .loaded : .notAsked))
            })
        var sample = PacketSample()
        if wanted.contains(.timing) {
            do throws(LibavError) {
                demuxer.goToMainParameters()
                try sample.read(demuxer, streams)
            } catch { throw MediaError(error, fallback: .fileFailedToParse) }
        }
        let elements = demuxer.format.contains("matroska") ? MatroskaElements(source) : nil
        let tracks = tracks(demuxer, streams, boxes, elements, sample, zero: zero, source)
        var metadata = demuxer.containerMetadata
        let items = items(metadata, demuxer.format, tracks)
        let brand = metadata["major_brand"]
        for key in ["major_brand", "minor_version", "compatible_brands"] { metadata[key] = nil }
        var asset = Asset(
            container: Container(format: demuxer.format, name: demuxer.formatName, brand: brand), start: zero,
            duration: duration(demuxer, tracks, zero: zero), bytes: source.totalSize, tracks: tracks,
            chapters: demuxer.chapters.map {
                Chapter(start: $0.start - zero, end: $0.end - zero, title: $0.title)
            },
            metadata: metadata)
        asset.fileName = source.name
        asset.end(ofFieldsIn: source)
        asset.end(ofReorderedVideoIn: source)
        if demuxer.isDurationEstimated || asset.duration == nil { asset.countDuration(of: source) }
        asset.items = items
        asset.timecode = timecode(tracks, metadata)
        let end = elements?.end ?? boxes?.end ?? DeclaredEnd.of(source, format: demuxer.format)
        asset.faults = faults(asset, sample, demuxer, source, end: end)
        asset.faults += ClockJump.all(in: source, of: asset).map(\.fault)
        asset.faults += source.unread.map { Fault(.unreadRendition, $0) }
        asset.end(ofShiftedMatroskaIn: demuxer)
        if wanted.contains(.timing) {
            asset.end(ofLastPacketsIn: demuxer, isFragmented: boxes?.isFragmented == true)
        }
        var whole = WholeRead(wanted.intersection([.keyframes, .frameCounts]))
        if !whole.isEmpty {
            whole.read(source, &asset)
            for (property, error) in whole.failures {
                // Without a list of properties, any failure is an error.
                guard properties != nil else { throw error }
                states[property.rawValue] = PropertyState(.failed, error: error)
            }
        }
        guard properties != nil else { return asset }
        asset.properties = states
        asset.keep(wanted)
        return asset
    }

    /// The container's streams; those that begin late are probed further on.
    private static func streams(_ demuxer: Demuxer, _ source: SourceFile) -> [StreamInfo] {
        var streams = demuxer.streams
        let unknown = demuxer.unknownTracks
        // A container with a header already lists everything.
        guard ["mpegts", "mpeg"].contains(demuxer.format), !unknown.isEmpty,
            let deep = try? Demuxer(source, deep: true)
        else { return streams }
        let found = deep.streams
        for index in unknown where index < found.count && found[index].codec == streams[index].codec {
            streams[index] = found[index]
        }
        return streams
    }

    private static func tracks(
        _ demuxer: Demuxer, _ streams: [StreamInfo], _ boxes: MovieBoxes?, _ elements: MatroskaElements?,
        _ sample: PacketSample, zero: Time, _ source: SourceFile
    ) -> [Track] {
        let isISOMedia = demuxer.isISOMedia
        var tracks = streams.map { stream -> Track in
            var facts =
                isISOMedia && boxes?.tracks.count ?? 0 > stream.index ? boxes?.tracks[stream.index] : nil
            // Of films one after the other, each has edits of its own.
            if source.isSequence { facts?.edits = [] }
            return track(stream, zero: zero, sample: sample, facts: facts, movie: boxes?.movieTimescale ?? 0)
        }
        for (index, isEncrypted) in (elements?.isEncrypted ?? []).enumerated() where isEncrypted {
            guard let position = tracks.firstIndex(where: { $0.index == index }) else { continue }
            (tracks[position].isProtected, tracks[position].isDecodable) = (true, false)
        }
        for index in tracks.indices { tracks[index].role = role(tracks[index], isISOMedia ? boxes : nil) }
        if demuxer.format.contains("matroska") { label(&tracks, MatroskaLanguages.tags(source)) }
        return tracks
    }

    /// The timecode of asset time 0: a track's, otherwise the container's.
    private static func timecode(_ tracks: [Track], _ metadata: [String: String]) -> String? {
        for tags in tracks.map(\.metadata) + [metadata] {
            if let code = tags.first(where: { $0.key.lowercased() == "timecode" })?.value { return code }
        }
        return nil
    }

    /// The container time of a source's asset time 0; nil if it cannot be opened.
    static func origin(of source: SourceFile) -> Time? {
        guard let demuxer = try? Demuxer(source) else { return nil }
        return origin(of: demuxer, streams(demuxer, source))
    }

    /// Asset time 0: the exact container time that FFmpeg rounds to its start_time.
    static func origin(of demuxer: Demuxer, _ streams: [StreamInfo]) -> Time {
        guard let start = demuxer.startMicroseconds else { return .zero }
        for stream in streams {
            guard let ticks = stream.start, Demuxer.microseconds(ticks, stream.timebase) == start else {
                continue
            }
            return stream.timebase.time(ofTicks: ticks)
        }
        return Timebase.microseconds.time(ofTicks: start)
    }

    private static func track(
        _ stream: StreamInfo, zero: Time, sample: PacketSample, facts: MovieBoxes.TrackFacts?, movie: Int64
    ) -> Track {
        let kind: TrackKind =
            switch stream.kind {
            case .video: .video
            case .audio: .audio
            case .subtitle: .subtitle
            case .data: .data
            case .attachment: .attachment
            }
        var track = Track(index: stream.index, kind: kind, codec: stream.codec, timebase: stream.timebase)
        track.profile = stream.profile
        track.level = stream.level > 0 ? VideoCodecs.named(stream.codec).levelText(stream.level) : nil
        track.codecTag = stream.tag
        track.start = stream.start.map { stream.timebase.time(ofTicks: $0) - zero }
        track.duration = stream.duration.map { stream.timebase.time(ofTicks: $0) }
        track.samples = stream.samples > 0 ? stream.samples : nil
        track.bitRate = stream.bitRate > 0 ? stream.bitRate : nil
        track.language = stream.metadata["language"].flatMap { $0 == "und" ? nil : $0 }
        track.title = stream.metadata["title"] ?? stream.metadata["handler_name"].map(title(ofHandler:))
        track.dispositions = stream.dispositions
        if stream.isForcedText, !track.dispositions.contains("forced") { track.dispositions.append("forced") }
        track.metadata = stream.metadata
        if let facts { label(&track, facts) }
        track.isProtected =
            stream.hasEncryptionInfo || sample.encrypted.contains(stream.index) || facts?.isProtected == true
        let isMedia = kind == .video || kind == .audio || kind == .subtitle
        if track.isProtected, isMedia {
            track.obstacle = .protected
        } else if !stream.hasDecoder, isMedia {
            track.obstacle = .noDecoder
        } else if kind == .video
            ? stream.width == 0 || stream.height == 0
            : kind == .audio && stream.sampleRate == 0
        {
            track.obstacle = .unknownFormat
        }
        track.isDecodable = isMedia && track.obstacle == nil
        if let facts, !facts.edits.isEmpty { track.edits = edits(facts, movie: movie) }
        if kind == .video { track.duration = shown(track.edits, of: track.duration) ?? track.duration }
        if kind == .video {
            track.video = videoFormat(stream, sample)
            track.video?.crop = facts?.aperture.flatMap {
                crop($0, width: stream.width, height: stream.height)
            }
            if facts?.videoBoxes.contains(where: { $0.name == "lhvC" }) == true {
                track.video?.hasSecondView = true
            }
        } else if kind == .audio {
            track.audio = AudioFormat(
                sampleRate: stream.sampleRate, channels: stream.channels, channelLayout: stream.channelLayout,
                sampleFormat: stream.sampleFormat,
                priming: max(stream.initialPadding, sample.skipped[stream.index] ?? 0))
            let isLossless = track.audioCodec.isLossless
            track.audio?.storedBits = isLossless ? stream.storedBits : nil
        }
        return track
    }

    /// The container's metadata, item by item; in Ogg the track's.
    private static func items(
        _ metadata: [String: String], _ format: String, _ tracks: [Track]
    ) -> [MetadataItem] {
        var all = metadata
        if format.contains("ogg"), let track = tracks.first(where: { $0.kind == .audio || $0.kind == .video })
        {
            all.merge(track.metadata) { mine, _ in mine }
        }
        let brand = metadata["major_brand"]
        return all.filter { !["major_brand", "minor_version", "compatible_brands"].contains($0.key) }
            .sorted { $0.key < $1.key }
            .map { key, value in
                MetadataItem(
                    key: key, space: KeySpace(of: key, format: format, brand: brand),
                    common: MetadataKey.named(key)?.common, value: value)
            }
    }

    private static func role(_ track: Track, _ boxes: MovieBoxes?) -> TrackRole? {
        if boxes?.chapterTracks.contains(track.index) == true { return .chapters }
        return track.codecTag == "tmcd" && track.kind == .data ? .timecode : nil
    }

    private static func edits(_ facts: MovieBoxes.TrackFacts, movie: Int64) -> [Edit]? {
        guard let movie = Int32(exactly: movie), movie > 0, let media = Int32(exactly: facts.mediaTimescale),
            media > 0
        else { return nil }
        return facts.edits.map { entry in
            Edit(
                duration: Time(entry.duration, movie),
                mediaTime: entry.mediaTime < 0 ? nil : Time(entry.mediaTime, media),
                rate: Ratio(entry.rateFixed, 65536) ?? Ratio(1))
        }
    }

    /// The video duration of the edit list, where it is shorter than FFmpeg's, which ignores a leading empty edit and includes
    /// some samples after its end; nil if both agree within rounding to movie ticks.
    private static func shown(_ edits: [Edit]?, of duration: Time?) -> Time? {
        guard let duration, let edits else { return nil }
        let shown = edits.drop { $0.mediaTime == nil }.map(\.duration).reduce(.zero, +)
        guard let tick = edits.first.map({ Time(1, $0.duration.timescale) }), shown > .zero,
            duration - shown > tick
        else { return nil }
        return shown
    }

    /// To the end of the track that ends last; the container's duration counts where a track has none.
    private static func duration(_ demuxer: Demuxer, _ tracks: [Track], zero: Time) -> Time? {
        end(of: tracks) ?? demuxer.durationMicroseconds.map { Timebase.microseconds.time(ofTicks: $0) }
    }

    /// Where the track that ends last ends; nil if one does not say.
    static func end(of tracks: [Track]) -> Time? {
        let media = tracks.filter { ($0.kind == .video && !$0.isPicture) || $0.kind == .audio }
        let ends = media.map { track in track.duration.map { (track.start ?? .zero) + $0 } }
        guard !ends.isEmpty, let all = ends as? [Time] else { return nil }
        return all.max()
    }
}

extension KeySpace {
    /// The space of a key that FFmpeg reports for a container.
    fileprivate init(of key: String, format: String, brand: String?) {
        let formats = format.split(separator: ",")
        self =
            if formats.contains("mov") {
                if key.hasPrefix("com.apple.quicktime.") {
                    .quickTimeMetadata
                } else if brand == "qt  " || ["make", "model", "location"].contains(key) {
                    .quickTimeUserData
                } else {
                    .iTunes
                }
            } else if formats.contains("matroska") {
                .matroska
            } else if formats.contains("ogg") || formats.contains("flac") {
                .vorbis
            } else if !formats.allSatisfy({ !["mp3", "aac", "aiff", "tta"].contains($0) }) {
                .id3
            } else if formats.contains("wav") || formats.contains("avi") {
                .riff
            } else if formats.contains("mpegts") {
                .mpegts
            } else {
                .other
            }
    }
}

// Finds anomalies and faults of a file in its headers and first packets.
extension Probe {
    package static func faults(
        _ asset: Asset, _ sample: PacketSample, _ demuxer: Demuxer, _ source: SourceFile, end: Int64?
    ) -> [Fault] {
        var faults = source.faults(ofHoles: asset.start)
        if asset.duration == nil {
            faults.append(Fault(.missingDuration, "the container does not say how long it is"))
        } else if demuxer.isDurationEstimated, !asset.isCounted {
            faults.append(Fault(.estimatedDuration, "the duration is estimated from the bit rate"))
        }
        if let last = demuxer.lastIndexedByte, last > source.size {
            faults.append(
                Fault(
                    .truncated,
                    "file truncated: \(source.size) bytes, index refers to \(last)"
                ))
        } else if let end, end > source.size {
            faults.append(
                Fault(
                    .truncated,
                    "file truncated: \(source.size) bytes, \(Probe.parts(demuxer.format)) extend to \(end)"
                ))
        } else if demuxer.format == "flac", let found = FLACEnd(source), found.samples < found.total {
            let (end, total) = found.times
            faults.append(
                Fault(
                    .truncated,
                    "file truncated: \(source.size) bytes, its frames end at \(end.clock()) of \(total.clock())"
                ))
        } else if let broken = sample.broken {
            faults.append(Fault(.truncated, "the file breaks off: \(broken)"))
        }
        for track in asset.tracks where track.kind == .video || track.kind == .audio {
            let index = track.index
            if track.isProtected {
                faults.append(Fault(.encrypted, "the samples are encrypted", track: index))
            }
            if let start = track.start, start > .zero, track.kind == .video || start > Time(1, 10) {
                faults.append(Fault(.lateTrack, "it begins at \(start.clock())", track: index))
            }
            if let edit = track.edits?.first(where: { $0.mediaTime != nil && $0.rate != Ratio(1) }) {
                faults.append(
                    Fault(
                        .editRate,
                        "its edit list plays media at a rate of \(edit.rate), which is not applied: it is read at its own rate",
                        track: index))
            }
            guard track.video != nil, !track.isPicture else { continue }
            if sample.openGOP.contains(index) {
                faults.append(
                    Fault(
                        .openGOP, "frames refer to frames before the keyframe they follow (open GOP)",
                        track: index))
            }
            if sample.untimed.contains(index) {
                faults.append(Fault(.noTimestamps, "the samples have no times", track: index))
            }
            if let first = sample.firstKey[index], first > 0 {
                faults.append(
                    Fault(
                        .noInitialKeyframe,
                        "the first keyframe is packet \(first): what is before cannot be decoded",
                        track: index))
            }
        }
        return faults
    }

    /// The word for what a container consists of.
    private static func parts(_ format: String) -> String {
        switch format {
        case "ogg": "pages"
        case "mp3": "frames"
        case let name where name.contains("matroska"): "elements"
        case let name where name.contains("mov"): "boxes"
        default: "chunks"
        }
    }
}

// Track labels that FFmpeg does not read: titles and uses in movies, and complete language tags.
extension Probe {
    /// Applies labels from a movie that FFmpeg does not read.
    package static func label(_ track: inout Track, _ facts: MovieBoxes.TrackFacts) {
        if let title = facts.title { (track.title, track.metadata["title"]) = (title, title) }
        if let tag = facts.languageTag { track.language = tag }
        for use in facts.characteristics.compactMap(MovieLabels.use) where !track.dispositions.contains(use) {
            track.dispositions.append(use)
        }
    }

    /// The name of a track's handler, without the length that some writers of ISO files put first as QuickTime's do (a Pascal string);
    /// FFmpeg leaves that out of QuickTime movies alone. A letter or digit is no length: a name may begin with it.
    package static func title(ofHandler name: String) -> String {
        guard let length = name.utf8.first, Int(length) == name.utf8.count - 1,
            !Character(Unicode.Scalar(length)).isLetter, !Character(Unicode.Scalar(length)).isNumber
        else { return name }
        return String(decoding: name.utf8.dropFirst(), as: UTF8.self)
    }

    /// Applies Matroska's language tags. A tag that says no more than FFmpeg's code keeps its stored form.
    package static func label(_ tracks: inout [Track], _ tags: [String?]) {
        for (index, tag) in tags.enumerated() where tracks.indices.contains(index) {
            guard let tag, tag.contains("-") || tracks[index].language == nil else { continue }
            tracks[index].language = tag
        }
    }
}

// Derives the video format from a container and its first packets: size, shape, rate, fields and colour.
extension Probe {
    /// The clean aperture in whole pixels; nil if it is the whole frame or not inside it.
    package static func crop(_ aperture: MovieBoxes.Aperture, width: Int, height: Int) -> VideoCrop? {
        guard aperture.width <= Double(width), aperture.height <= Double(height) else { return nil }
        let size = (Int(aperture.width.rounded()), Int(aperture.height.rounded()))
        let left = (Double(width - size.0) / 2 + aperture.right).rounded()
        let top = (Double(height - size.1) / 2 + aperture.down).rounded()
        // An offset that leads out of the frame is an error in the file.
        guard left >= 0, top >= 0, left <= Double(width - size.0), top <= Double(height - size.1),
            size != (width, height)
        else { return nil }
        return VideoCrop(left: Int(left), top: Int(top), width: size.0, height: size.1)
    }

    package static func videoFormat(_ stream: StreamInfo, _ sample: PacketSample) -> VideoFormat {
        var format = VideoFormat(
            width: stream.width, height: stream.height, sampleAspect: stream.sampleAspect ?? Ratio(1))
        if stream.isAspectByFrames { format.aspectByFrames = true }
        (format.rotation, format.isMirrored) = DisplayMatrix.orientation(stream.displayMatrix)
        format.pixelFormat = stream.pixelFormat
        format.bitDepth = stream.bitDepth
        format.hasAlpha = stream.hasAlpha
        format.fieldOrder =
            switch stream.fieldOrder {
            case "progressive": .progressive
            case "tt", "tb": .topFieldFirst
            case "bb", "bt": .bottomFieldFirst
            default: .unknown
            }
        if sample.reordered.contains(stream.index) { format.isReordered = true }
        format.x264Build = sample.x264Builds[stream.index]
        let fields = sample.fields[stream.index]
        if let fields {
            // FFmpeg's MPEG-2 parser derives this from a bit that only coded frames have.
            format.fieldOrder = fields.isBottomFirst ? .bottomFieldFirst : .topFieldFirst
            format.fieldCoding = fields.areSamples ? .separateSamples : .oneSample
            // The size is that of a field.
            if VideoCodecs.named(stream.codec).codesFieldsAsPictures { format.height *= 2 }
        }
        let named = [stream.averageRate, stream.realRate].compactMap(\.self)
        let timing = FrameTiming(
            numbered: sample.times[stream.index] ?? [], timebase: stream.timebase,
            nominal: fields == nil ? named : named + named.compactMap(FrameTiming.halved))
        format.isVariable = timing.isVariable || isUneven(stream, sample, timing)
        // Some containers count samples that are not frames.
        let counted = sample.lastDurations[stream.index] != nil ? timing.rate?.value ?? 0 : 0
        let average = stream.averageRate.flatMap { counted > 0 && $0.value > 1.2 * counted ? nil : $0 }
        format.frameRate =
            format.isVariable ? (fields?.areSamples == true ? nil : average) ?? timing.rate : timing.rate
        format.nominalRate = stream.realRate
        if let rate = timing.rate, !format.isVariable, format.fieldOrder != .progressive,
            let twice = stream.realRate.map({ $0.value / rate.value }), abs(twice - 2) < 0.001
        {
            // FFmpeg counts fields there.
            format.nominalRate = rate
        }
        format.color.primaries = stream.primaries
        format.color.transfer = stream.transfer
        format.color.matrix = stream.matrix
        format.color.range = stream.range
        format.color.contentLight = stream.contentLight
        format.color.masteringLuminance = stream.masteringLuminance
        format.dolbyVision = stream.dolbyVision.map {
            DolbyVision(
                profile: $0.profile, level: $0.level, compatibility: $0.compatibility,
                hasEnhancementLayer: $0.isLayered)
        }
        format.projection = stream.projection
        return format
    }

    /// Frames of a movie last unevenly after those that were read, or the last one lasts longer than the others.
    private static func isUneven(
        _ stream: StreamInfo, _ sample: PacketSample, _ timing: FrameTiming
    ) -> Bool {
        guard stream.hasIndex, sample.fields[stream.index]?.areSamples != true else { return false }
        guard let last = sample.lastDurations[stream.index] else { return stream.hasGaps }
        guard let rate = timing.rate, !timing.isVariable else { return false }
        return stream.timebase.time(ofTicks: last).seconds * rate.value > 1.75
    }
}
