// The metadata, artwork, attachments and tracks that are copied besides video and audio; which of them the output cannot hold,
// and why. Decided before anything is written; the pipeline executes it.
package import Libav
package import Media
internal import MediaTime
package import Source
internal import Text

/// Everything that is copied besides video and audio.
package struct PassthroughPlan: Sendable {
    /// A file attached to the container.
    struct Attachment: Sendable {
        let bytes: [UInt8]
        let name: String
        let type: String
    }
    private(set) var fileType = FileType.mp4
    /// The container's metadata.
    private(set) var tags = TagTranslation(Tags(), artwork: nil, muxer: "")
    private var policy = MetadataPolicy.keep
    /// The subtitle tracks, each with how it is handled; changed here and in PassthroughPlan+Text only.
    var text: [TextPlan] = []
    /// Copied data tracks, with their sample entries from the source's header.
    private(set) var data: [(track: Track, entry: [UInt8], handler: [UInt8])] = []
    /// Additional video boxes of the source's header.
    private(set) var videoBoxes: VideoBoxes?
    /// Where the range ends, and video and audio with it: a late text event does not extend the output.
    private(set) var end: Time?
    /// Where video and audio of the source end, in asset time.
    private(set) var mediaEnd: Time?
    /// The source, whose timecode the output's first frame continues.
    private(set) var timed: Asset?
    private(set) var start = Time.zero
    /// Where the parts of the source begin, in output order.
    private(set) var starts: [Time] = []
    /// The title of an Ogg file, which FFmpeg calls one of its tracks'.
    private var fileTitle: String?
    private(set) var attachments: [Attachment] = []
    /// The pictures of the chapters, and the source's track of them.
    private var chapterPictures: (track: Track, pictures: ChapterPictures)?
    /// Items of the source that the output will not have.
    private(set) var dropped: [DroppedItem] = []

    /// Nothing is copied.
    init() {}

    /// Decides.
    /// - Parameter artwork: the image that the request names.
    package init(
        _ asset: Asset, _ request: ExportRequest, range: ResolvedRange, fileType: FileType,
        source: SourceFile, artwork: SourceFile?
    ) throws(MediaError) {
        self.fileType = fileType
        let (requested, options) = (request.metadata, request.options ?? ExportOptions())
        policy = requested?.policy ?? .keep
        var known = Tags(
            asset.items ?? [], requested, start: range.segments.all.first?.start ?? range.start,
            rate: asset.audioTracks.first?.audio?.sampleRate)
        if asset.container.format == "ogg" { fileTitle = Tags(asset.items ?? []).values["title"] }
        if options.loudness != nil {
            let gone = known.dropLoudness(except: requested)
            if !gone.isEmpty {
                dropped.append(
                    DroppedItem(
                        what: "metadata \(gone.joined(separator: ", "))",
                        reason: "it describes the loudness before it was changed"))
            }
        }
        if let count = range.chapters?.count, count > 0, !fileType.holdsChapters {
            dropped.append(
                DroppedItem(
                    what: quantity(count, "chapter"),
                    reason: ".\(fileType.rawValue) cannot hold \(count == 1 ? "it" : "them")"))
        }
        if fileType.holdsOneTrack, policy != .strip {
            let selected = TrackSelection(options, of: asset).audio
            known.add(language: TrackChoice.standard.tracks(of: selected).first?.language, requested)
        }
        let own: Artwork?
        if let artwork {
            own = try Artwork(artwork)
        } else if requested?.artwork != nil {
            throw MediaError(.invalidRequest, "no descriptor of the artwork came with the request")
        } else {
            own = nil
        }
        let given = requested?.policy == .strip ? nil : Artwork.ofSource(asset, source)
        tags = TagTranslation(known, artwork: own ?? given, muxer: fileType.muxer)
        for name in tags.lost {
            dropped.append(
                DroppedItem(what: "metadata \(name)", reason: ".\(fileType.rawValue) cannot hold it"))
        }
        if !known.withheld.isEmpty {
            let why = requested?.policy == .strip ? "all metadata is to be left out" : "it is not for sharing"
            dropped.append(
                DroppedItem(what: "metadata \(known.withheld.joined(separator: ", "))", reason: why))
        }
        let hasText = asset.tracks.contains { $0.kind == .subtitle }
        let last = hasText ? MediaEnd.of(asset, source) : asset.duration
        mediaEnd = last
        (end, start) = ([range.end, last].compactMap(\.self).min(), range.start)
        starts = range.segments.all.map(\.start)
        // At another speed, neither would be true.
        let isPlayed = options.speed != nil
        if asset.timecode != nil, !isPlayed { timed = asset }
        if let track = asset.mainVideo {
            let facts = asset.container.isISOMedia ? MovieBoxes(source)?.tracks : nil
            let own = facts?.indices.contains(track.index) == true ? facts?[track.index] : nil
            videoBoxes = VideoBoxes(track, own, FrameEdit(options))
        }
        attach(asset, source)
        decidePictures(asset, source, range, request)
        let isJoined = range.segments.all.count > 1
        decideText(asset, options, isJoined)
        if isJoined || isPlayed {
            let why = isJoined ? "parts are joined, and its samples extend past them" : "the speed is changed"
            for track in asset.tracks where track.role == nil && track.kind == .data { drop(track, why) }
        } else {
            decideData(asset, source)
        }
        nameDropped(asset, isReplaced: own != nil, policy: policy, hasArtwork: given != nil)
    }

    /// Adds fonts and similar files, where the container can hold them.
    private mutating func attach(_ asset: Asset, _ source: SourceFile) {
        guard fileType.muxer == "matroska" else { return }
        let tracks = asset.tracks.filter { $0.kind == .attachment }
        guard !tracks.isEmpty, let demuxer = try? Demuxer(source, quick: true) else { return }
        for track in tracks {
            guard let (bytes, name, type) = demuxer.attachment(track.index) else { continue }
            attachments.append(Attachment(bytes: bytes, name: name, type: type))
        }
    }

    /// Pictures of chapters stay with the source's own chapters, in movies.
    private mutating func decidePictures(
        _ asset: Asset, _ source: SourceFile, _ range: ResolvedRange, _ request: ExportRequest
    ) {
        guard let track = asset.tracks.first(where: { $0.kind == .video && $0.role == .chapters }) else {
            return
        }
        let why: String
        if policy == .strip {
            why = "all metadata is to be left out"
        } else if range.chapters?.isEmpty ?? true {
            why = "the output has no chapters"
        } else if request.chapters?.marks != nil {
            why = "other chapters are set"
        } else if !fileType.holdsChapterPictures {
            let others = FileType.allCases.filter(\.holdsChapterPictures).map { ".\($0.rawValue)" }
            why =
                ".\(fileType.rawValue) holds no pictures of chapters; \(others.joined(separator: ", ")) do"
        } else if let pictures = ChapterPictures(
            track, of: asset, source, range.segments, speed: request.options?.speed ?? Ratio(1))
        {
            chapterPictures = (track, pictures)
            return
        } else {
            why =
                "pictures of chapters are copied that are JPEG or PNG, and \(Artwork.largest >> 20) MiB together at most"
        }
        drop(track, why)
    }

    private mutating func decideData(_ asset: Asset, _ source: SourceFile) {
        let tracks = asset.tracks.filter { $0.kind == .data && $0.role == nil }
        guard !tracks.isEmpty else { return }
        let boxes = MovieBoxes(source)
        for track in tracks {
            let facts = boxes.flatMap {
                $0.tracks.indices.contains(track.index) ? $0.tracks[track.index] : nil
            }
            if policy != .keep {
                let why =
                    policy == .strip ? "all metadata is to be left out" : "it may name a place or a device"
                drop(track, why)
            } else if fileType != .mp4, fileType != .mov {
                drop(track, ".\(fileType.rawValue) holds no data tracks; .mov and .mp4 do")
            } else if let facts, let entry = facts.dataEntry, asset.container.isISOMedia {
                data.append((track, entry, facts.handler))
            } else {
                drop(track, "nothing says what it holds")
            }
        }
    }

    mutating func drop(_ track: Track, _ why: String) {
        dropped.append(DroppedItem(what: ExportPlan.name(track), reason: why, track: track.index))
    }

    private mutating func nameDropped(
        _ asset: Asset, isReplaced: Bool, policy: MetadataPolicy, hasArtwork: Bool
    ) {
        var pictures = 0
        for track in asset.tracks where track.role == nil {
            let why: String?
            switch track.kind {
            case .video where track.isPicture:
                pictures += 1
                if isReplaced {
                    why = "other artwork was given"
                } else if policy == .strip {
                    why = "all metadata is to be left out"
                } else if tags.lost.contains("artwork") || !hasArtwork {
                    why = hasArtwork ? nil : "only JPEG and PNG artwork is copied"
                } else {
                    why = pictures > 1 ? "an output has one artwork image" : nil
                }
            case .attachment:
                why = fileType.muxer == "matroska" ? nil : ".\(fileType.rawValue) holds no attachments"
            default: why = nil
            }
            if let why {
                dropped.append(DroppedItem(what: ExportPlan.name(track), reason: why, track: track.index))
            }
        }
    }

    // MARK: Execution

    /// Writer names that are stored as track titles.
    private static let makers = [
        "handler", "core media", "mainconcept", "gpac", "gopro", "isomedia", "apple",
    ]

    /// The labels of an output's track; no title where the source's was set by the program or device that wrote it.
    func labels(of track: Track) -> TrackLabels {
        TrackLabels(
            track, title: policy == .keep ? title(of: track) : nil, fileType: fileType)
    }

    private func title(of track: Track) -> String? {
        guard let title = track.title, title != fileTitle else { return nil }
        let isMaker =
            track.metadata["title"] == nil
            && PassthroughPlan.makers.contains { title.lowercased().contains($0) }
        return isMaker ? nil : title
    }

    /// Labels of a track that the output will not have.
    func lostLabels(of track: Track) -> [DroppedItem] {
        var lost = labels(of: track).lost
        if policy != .keep, let title = title(of: track) {
            lost.append(
                (
                    "title '\(title)'",
                    policy == .strip ? "all metadata is to be left out" : "it may name a person or a place"
                ))
        }
        return lost.map {
            DroppedItem(what: "\($0.what) of track \(track.index)", reason: $0.why, track: track.index)
        }
    }

    /// Sets the muxer's header data.
    /// - Returns: the track for the artwork, if it has one.
    func open(
        _ muxer: borrowing MuxerSetup, timecode: TimecodePlan?, chapters: [Chapter], codecs: [String]
    ) throws(LibavError) -> Int? {
        var dictionary = tags.dictionary
        if fileType.hasChapterComments(codecs) {
            dictionary.merge(ChapterList.comments(chapters)) { own, _ in own }
        }
        // Matroska has no timecode track, but a tag.
        if let timecode, fileType.muxer == "matroska" { dictionary["TIMECODE"] = "\(timecode.timecode)" }
        if let timecode, fileType == .mxf { dictionary["timecode"] = "\(timecode.timecode)" }
        muxer.setMetadata(dictionary)
        for file in attachments { try muxer.addAttachment(file.bytes, name: file.name, type: file.type) }
        guard let artwork = tags.artwork else { return nil }
        if fileType.muxer == "matroska" {
            try muxer.addAttachment(
                artwork.bytes, name: artwork.format.fileName, type: artwork.format.mimeType)
            return nil
        }
        return try muxer.addPicture(
            codec: artwork.format.codec, width: artwork.width, height: artwork.height)
    }

    /// Writes the artwork, after the header.
    func writePicture(_ muxer: borrowing Muxer, to track: Int) throws(LibavError) {
        if let artwork = tags.artwork { try muxer.writePicture(artwork.bytes, to: track) }
    }

    /// Approximate size of metadata and artwork in bytes.
    var bytesBeside: Int {
        tags.dictionary.reduce(0) { $0 + $1.key.utf8.count + $1.value.utf8.count + 32 }
            + (tags.movie?.size ?? 0)
            + (tags.artwork?.bytes.count ?? 0) + (chapterPictures?.pictures.bytes ?? 0)
            + attachments.reduce(0) { $0 + $1.bytes.count }
    }

    /// Approximate size in bytes of the copied items in a movie's header.
    /// - Parameter tracks: the output's tracks of video and audio, including their titles and kinds.
    func headerBytes(tracks: Int) -> Int {
        let texts = tags.dictionary.reduce(0) { $0 + $1.key.utf8.count + 2 * $1.value.utf8.count + 64 }
        // A text, data or timecode track, with about one event per second for an hour.
        let labels = (tracks + text.count + data.count) * 256
        return texts + labels + (tags.movie?.size ?? 0) + (text.count + data.count) * 64_000
            + (timed == nil ? 0 : 2048) + (videoBoxes?.size ?? 0)
            + (chapterPictures?.pictures.headerBytes ?? 0)
    }

    /// Adds to a finished movie what the muxer cannot write.
    /// - Parameters:
    ///   - tracks: the output's tracks with their sources.
    ///   - labels: their labels, by track index in the output.
    ///   - gapless: the playable range of an .m4a's audio.
    ///   - clones: knows what the output lacks; nil: nothing.
    /// - Returns: video properties in the source's header that the output's lacks.
    func finish(
        output: Int32, tracks: [TrackResult], labels: [Int: TrackLabels], gapless: GaplessNote?,
        clones: CloneWriter? = nil
    ) throws(MediaError) -> [DroppedItem] {
        let shown = tracks.first { $0.kind == .video }
        let said = shown.flatMap { videoBoxes?.carried($0, fileType) } ?? (kept: [], lost: [])
        var lost = said.lost.map { DroppedItem(what: $0.what, reason: $0.why, track: shown?.source) }
        guard var metadata = tags.movie ?? gapless.map({ _ in MovieMetadata() }) else {
            return lost
        }
        if let gapless { metadata.freeForm.append(("iTunSMPB", gapless.text)) }
        guard var edit = MovieEdit(SourceFile(descriptor: output, name: "the output")) else {
            throw MediaError(.encodeFailed, "the movie that was written has no header that can be read")
        }
        edit.set(metadata)
        for own in data {
            guard let index = tracks.first(where: { $0.source == own.track.index })?.index else { continue }
            edit.change(track: index) { $0.describe(entry: own.entry, handler: own.handler) }
        }
        if let shown, let videoBoxes {
            edit.change(track: shown.index) { videoBoxes.write(said.kept, into: &$0) }
        }
        for (index, labels) in labels { edit.change(track: index) { $0.label(labels) } }
        if let (track, pictures) = chapterPictures, !pictures.add(to: &edit) {
            lost.append(
                DroppedItem(
                    what: ExportPlan.name(track), reason: "no track of the output names its chapters",
                    track: track.index))
        }
        try edit.write { () throws(LibavError) in try clones?.fill(output) }
        return lost
    }
}

// The timecode of an output: whether it has one, and what of the source's is not in it. Decided before anything is written.
extension PassthroughPlan {
    /// Items of the source that the output will not have, at a given frame rate.
    func dropped(_ asset: Asset, _ rate: Ratio?) -> [DroppedItem] {
        let plan = timecode(rate: rate)
        var items = dropped
        if let timecode = asset.timecode, plan == nil {
            let track = asset.tracks.first { $0.role == .timecode }
            items.append(
                DroppedItem(
                    what: track.map(ExportPlan.name) ?? "start timecode \(timecode)",
                    reason: whyNoTimecode(rate), track: track?.index))
        }
        return items + partTimecodes(plan)
    }

    /// Why an output with this frame rate has no timecode.
    private func whyNoTimecode(_ rate: Ratio?) -> String {
        guard let rate else { return "there are no frames to count" }
        guard timed != nil else { return "the speed is changed" }
        guard holdsTimecode else { return "the container cannot store it" }
        return "timecode of its kind is not counted at \(rate) frames a second"
    }

    private var holdsTimecode: Bool { ["mp4", "ipod", "mov", "matroska", "mxf"].contains(fileType.muxer) }

    /// The timecodes at which joined parts begin, of which an output has at most the first.
    private func partTimecodes(_ plan: TimecodePlan?) -> [DroppedItem] {
        guard starts.count > 1, let timed, let rate = timed.mainVideo?.video?.frameRate else { return [] }
        let codes = starts.compactMap { TimecodePlan(timed, start: $0, rate: rate)?.timecode }
        guard codes.count == starts.count else { return [] }
        let most = 4
        let shown = codes.prefix(most).map { "\($0)" }.joined(separator: ", ")
        let more = codes.count > most ? " and \(codes.count - most) more" : ""
        let why =
            plan.map { "they are joined, and the output counts on from \($0.timecode)" }
            ?? "they are joined, and the output has no timecode"
        return [DroppedItem(what: "start timecodes of the parts \(shown)\(more)", reason: why)]
    }

    /// The timecode of an output with this frame rate; nil if there is none, or the container cannot hold one.
    func timecode(rate: Ratio?) -> TimecodePlan? {
        guard let timed, let rate, holdsTimecode else { return nil }
        return TimecodePlan(timed, start: start, rate: rate)
    }
}
