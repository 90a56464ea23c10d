// How a pipeline opens its muxer: tracks, labels, chapters and options, then the header.
internal import Codecs
internal import Libav
internal import Media
internal import MediaTime
internal import Source

extension Pipeline {
    /// A container with its header, and the heads of its lanes.
    struct Opened: ~Copyable {
        let muxer: Muxer
        let heads: [Head]
    }

    /// Shorter audio could fit one page of Ogg, which FFmpeg ends after a second.
    private static let short = Time(3, 1)

    /// Adds the tracks of all lanes and writes the header.
    func open(_ descriptor: Int32, _ openings: [(any Lane, LaneOpening)]) throws(LibavError) -> Opened {
        let codecs = openings.map(\.1.result.codec)
        let setup = try MuxerSetup(format: plan.fileType.muxer(for: codecs), descriptor: descriptor)
        if plan.isReproducible { setup.omitRandomBytes() }
        var outputs: [Int] = []
        let all = openings.map { labels(of: $0.1, among: openings.map(\.1)) }
        for ((_, opening), labels) in zip(openings, all) {
            let (language, title, isFirst) = (labels.language, labels.title, labels.isDefault)
            let parameters: CodecParameters
            switch opening.coding {
            case .encoded(let format):
                parameters = try format.parameters(
                    tag: tag(of: opening), hasPriming: priming(of: opening) != .omitted)
            case .stored(let stored): parameters = stored
            }
            outputs.append(
                try setup.addTrack(
                    parameters, timebase: opening.timebase, language: language, title: title,
                    isDefault: isFirst))
        }
        for (labels, output) in zip(all, outputs) {
            setup.setDispositions(labels.uses + (labels.isDefault ? ["default"] : []), of: output)
            guard plan.fileType.hasEditLists, let title = labels.title else { continue }
            // QuickTime reads it as Mac OS Roman.
            let isPlain = title.utf8.allSatisfy { $0 < 0x80 }
            if isPlain || plan.fileType != .mov { setup.setHandler(title, of: output) }
        }
        let timecode = plan.passthrough.timecode(rate: plan.frameRate)
        let picture = try plan.passthrough.open(
            setup, timecode: timecode, chapters: plan.chapters, codecs: codecs)
        // Movies count chapters in movie ticks, in which the range's end is whole; an end is never rounded up, since that
        // would lengthen the movie.
        let ticks =
            plan.fileType.hasEditLists
            ? Timebase(perSecond: Int(plan.movieTimescale)) ?? .microseconds : .microseconds
        for chapter in plan.chapters {
            let end =
                plan.passthrough.end.map { min(chapter.end, plan.segments.output($0)) } ?? chapter.end
            guard chapter.start < end else { continue }
            try setup.addChapter(
                start: ticks.ticks(of: chapter.start, rounding: .halfAwayFromZero).ticks,
                end: ticks.ticks(of: end, rounding: .towardZero).ticks, timebase: ticks,
                // A movie's chapters are text samples; without a title there would be none.
                title: chapter.title ?? (plan.fileType.hasEditLists ? "" : nil))
        }
        var options = plan.fileType.muxerOptions(codecs).map { ($0.name, $0.value) }
        if plan.passthrough.tags.isBroadcast, plan.fileType == .wav { options.append(("write_bext", "1")) }
        let length = plan.segments.length ?? plan.passthrough.mediaEnd.map(plan.segments.output)
        if plan.fileType.audioEnds == .position, length.map({ $0 < Pipeline.short }) ?? false {
            // From the first page's position, readers tell when the audio begins, but not if that page is also the last.
            options.append(("page_duration", "10000"))
        }
        if plan.fileType.hasEditLists {
            let video = openings.firstIndex { $0.1.result.kind == .video }
            if let timecode, let rate = plan.frameRate, let video {
                setup.setTimecode("\(timecode.timecode)", rate: rate, of: outputs[video])
                options.append(("write_tmcd", "1"))
            }
            options.append(("movie_timescale", "\(plan.movieTimescale)"))
            if let timebase = plan.video?.timebase ?? plan.smartTrim?.timebase {
                options.append(("video_track_timescale", "\(timebase.denominator)"))
            }
        }
        // Room for data written into the header of a Matroska file when it is complete.
        let room = plan.fileType.isMatroska ? max(plan.reserve, 128) : 0
        let muxer = try setup.begin(
            options: options, reserve: plan.fileType.hasEditLists ? plan.reserve : 0, room: room,
            clones: clones)
        if let picture { try plan.passthrough.writePicture(muxer, to: picture) }
        var heads: [Head] = []
        for ((lane, opening), output) in zip(openings, outputs) {
            let timebase = muxer.timebase(of: output)
            // Containers with edit lists use the requested timebase; others have fixed ones.
            guard timebase == opening.timebase || !plan.fileType.hasEditLists else {
                throw LibavError(
                    "writing the header",
                    cause: "the container counts track \(output) in \(timebase), not \(opening.timebase)")
            }
            var result = opening.result
            if result.kind == .video { result.reason = plan.reason ?? plan.smartTrim?.obstacle }
            result.index = output
            let head = Head(
                lane: lane, opening: opening, output: output, timebase: timebase, result: result)
            switch opening.coding {
            case .encoded(let format):
                if result.kind == .audio, priming(of: opening) == .delayed {
                    head.delay = Int64(format.priming)
                    head.hidesPriming =
                        head.delay > 0 && AudioCodecs.named(result.codec).discardsPriming
                }
            case .stored:
                head.delay = opening.delay
                head.isStored = CloneDecision.isStored(opening.track)
            }
            if plan.fileType.isProgramStream {
                head.delay +=
                    opening.timebase.ticks(of: plan.fileType.zero, rounding: .halfAwayFromZero).ticks
            }
            heads.append(head)
        }
        return Opened(muxer: muxer, heads: heads)
    }

    /// How the priming of an encoded track is handled.
    private func priming(of opening: LaneOpening) -> AudioPriming {
        AudioPriming(of: AudioCodecs.named(opening.result.codec), in: plan.fileType)
    }

    /// The sample entry of an encoded track; nil: the muxer's.
    func tag(of opening: LaneOpening) -> String? {
        plan.fileType.hasEditLists ? VideoCodecs.named(opening.result.codec).movieTag : nil
    }

    /// The error of a packet that is too long after the one before, or too long, for a movie, which counts the ticks between two
    /// samples in 32 bits; nil: the container can express it.
    func movieOverflow(_ packet: Packet, in head: Head) -> MediaError? {
        guard plan.fileType.hasEditLists, let dts = packet.dts ?? packet.pts else { return nil }
        let before = head.lastWritten
        head.lastWritten = dts
        let most = Int64(Int32.max)
        let isShort = { (from: Int64, to: Int64) in to &- from <= most }
        let (shown, end) = (packet.pts ?? dts, dts &+ packet.duration)
        if isShort(before ?? dts, dts), isShort(dts, shown), isShort(dts, end) { return nil }
        // Where frames are reordered, one that is decoded before the pause is shown after it.
        let pauses = [
            (from: before ?? dts, to: dts), (from: dts, to: shown), (from: dts, to: end),
        ]
        guard let pause = pauses.max(by: { $0.to &- $0.from < $1.to &- $1.from }) else { return nil }
        let timebase = head.timebase
        let from = plan.segments.source(timebase.time(ofTicks: max(0, pause.from)))
        let length = timebase.time(ofTicks: pause.to &- pause.from)
        let longest = timebase.time(ofTicks: most)
        let type = plan.fileType.rawValue
        return MediaError(
            .operationNotSupported,
            "track \(head.result.source) pauses for \(length.clock(digits: 0)) at \(from.clock()), and .\(type) holds no pause beyond \(longest.clock(digits: 0))",
            time: from, track: head.result.source,
            remedy: "leave the pause out with --remove, or choose .mkv")
    }
}
