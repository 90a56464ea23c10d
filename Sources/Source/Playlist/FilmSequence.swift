// Films one after the other, as a list or a request names them, as one source: each is probed, and begins when the one before is over. Runs
// on the caller's thread, in the sealed worker.
internal import Libav
internal import Media
internal import MediaTime
internal import Playlists
internal import Text

/// Films one after the other.
struct FilmSequence {
    /// They as one source; its descriptor is the list's, or that of the first.
    let file: SourceFile
    /// What is taken of each, in the time of the whole.
    let kept: [Span]
    /// Whether something of one of them is left out.
    let isCut: Bool

    /// A part of the whole.
    struct Span: Hashable {
        var start: Time, end: Time
    }

    /// A film as it is named.
    struct Entry: Hashable {
        /// Its number among the files.
        var number: Int
        /// Its name, and where it is named, for errors.
        var place: String
        /// What is taken of it.
        var range: RangeRequest
    }

    /// A film that was looked at.
    private struct Film {
        var entry: Entry
        var file: SourceFile
        var asset: Asset
        /// When it is first seen or heard, and when it is over, in asset time.
        var begin: Time, end: Time
        var length: Time { end - begin }

        /// It as a part of the whole.
        /// - Parameter isNamed: without chapters it is one, by the name of its file.
        func joined(isNamed: Bool) -> JoinedSource.Film {
            var ends: [Int: Time] = [:]
            for track in asset.tracks {
                let isMedia = track.kind == .video || track.kind == .audio
                let end = isMedia ? MediaEnd.of(track, asset, file) : track.end
                ends[track.index] = min(end ?? self.end, self.end) + asset.start
            }
            let own = asset.chapters.map {
                ContainerChapter(
                    start: max($0.start, begin) + asset.start, end: min($0.end, self.end) + asset.start,
                    title: $0.title)
            }
            let name = file.name.split(separator: "/").last ?? ""
            let whole = ContainerChapter(
                start: asset.start + begin, end: asset.start + self.end,
                title: name.lastIndex(of: ".").map { String(name[..<$0]) } ?? String(name))
            return JoinedSource.Film(
                file, start: asset.start + begin, length: length, ends: ends,
                chapters: own.isEmpty ? isNamed ? [whole] : [] : own.filter { $0.start < $0.end })
        }

        /// What is taken of it, from its beginning and in order.
        var taken: [Span] {
            get throws(MediaError) {
                guard entry.range != RangeRequest() else { return [Span(start: .zero, end: length)] }
                let diagnostics = Diagnostics()
                let times = TimeResolution(asset: asset, source: file, diagnostics: diagnostics)
                do throws(MediaError) {
                    let range = try PlaylistSource.resolved(entry.range, of: file.name)
                    let parts = try times.range(range).segments.all
                    let past = diagnostics.warnings.first { $0.code == .endClamped }?.time
                    if let past, past > end + FilmSequence.slack {
                        throw MediaError(
                            .invalidTime, "its end \(past) is behind that of the file", time: past,
                            remedy: "it lasts to \(end)")
                    }
                    return try parts.map { part throws(MediaError) in
                        let (from, to) = (max(part.start, begin), min(part.end ?? end, end))
                        guard from < to else {
                            throw MediaError(
                                .invalidTime, "nothing is taken of it from \(part.start) to \(to)",
                                remedy: "it lasts from \(begin) to \(end)")
                        }
                        return Span(start: from - begin, end: to - begin)
                    }
                } catch { throw FilmSequence.placed(error, entry) }
            }
        }
    }

    /// The films that a list names.
    /// - Parameter source: the file that lists them.
    init(
        _ list: ConcatList, of source: SourceFile, _ files: PlaylistFiles, namesFilms: Bool
    ) throws(MediaError) {
        let entries = list.entries.map { entry in
            Entry(
                number: files.number(of: entry.file.name),
                place: "\(source.name), line \(entry.file.line): \(entry.file.name)",
                range: RangeRequest(start: entry.inPoint, end: entry.outPoint))
        }
        try self.init(entries, of: source, files, namesFilms: namesFilms)
    }

    /// Several sources.
    /// - Parameter source: the first of them.
    init(
        _ parts: [SourcePart], of source: SourceFile, _ files: PlaylistFiles, namesFilms: Bool
    ) throws(MediaError) {
        var numbers: [String: Int] = [:]
        for (number, part) in parts.enumerated() where numbers[part.path] == nil {
            numbers[part.path] = number
        }
        let entries = parts.map { part in
            Entry(number: numbers[part.path] ?? 0, place: part.path, range: part.range)
        }
        try self.init(entries, of: source, files, namesFilms: namesFilms)
    }

    private init(
        _ entries: [Entry], of list: SourceFile, _ files: PlaylistFiles, namesFilms: Bool
    ) throws(MediaError) {
        let pool = SegmentPool(fileCount: files.names.count) { files.open($0) }
        var first: [Int: Entry] = [:]
        for entry in entries.reversed() { first[entry.number] = entry }
        /// An error of a file, with where it is named.
        func placed(_ error: MediaError, _ number: Int) -> MediaError {
            first[number].map { FilmSequence.placed(error, $0) } ?? error
        }
        var opened: [Int: SourceFile] = [:]
        try files.measure { number, result throws(MediaError) in
            do throws(MediaError) {
                let segment = try result.get()
                opened[number] = SourceFile(
                    descriptor: list.descriptor,
                    segments: SegmentedFile(
                        parts: [SegmentedFile.Part(file: number, offset: 0, length: segment.size)],
                        identity: segment.identity, pool: pool), name: files.names[number])
            } catch { throw placed(error, number) }
        }
        // Each is read when all are known: readers open some ahead.
        var known: [Int: Film] = [:]
        for (number, file) in opened.sorted(by: { $0.key < $1.key }) {
            guard let entry = first[number] else { continue }
            do throws(MediaError) { known[number] = try FilmSequence.film(entry, file) } catch {
                throw placed(error, number)
            }
        }
        var films: [Film] = []
        var total: Int64 = 0
        for entry in entries {
            guard var film = known[entry.number] else { continue }
            film.entry = entry
            let shown = films.first { $0.asset.mainVideo != nil }
            if let first = shown, let why = film.asset.obstacle(behind: first.asset) {
                throw FilmSequence.placed(
                    MediaError(.operationNotSupported, "it cannot be joined with \(first.file.name): \(why)"),
                    entry)
            }
            films.append(film)
            let (sum, isTooLarge) = total.addingReportingOverflow(film.file.size)
            guard !isTooLarge, sum <= FilmSequence.mostBytes else {
                throw MediaError(.limitReached, "\(list.name): its films together are larger than any film")
            }
            total = sum
        }
        let bytes = SegmentedFile(
            parts: films.map { film in
                SegmentedFile.Part(file: film.entry.number, offset: 0, length: film.file.size)
            }, identity: files.identity, pool: pool)
        do throws(JoinError) {
            file = try JoinedSource.sequence(
                films.map { $0.joined(isNamed: namesFilms) }, of: list, bytes: bytes, pool)
        } catch {
            let why = MediaError(
                error.isRefusal ? .operationNotSupported : .fileFailedToParse,
                "it cannot be joined with what is before it: \(error.reason)")
            throw films.first { $0.file.name == error.place }.map { FilmSequence.placed(why, $0.entry) }
                ?? why
        }
        // Where the films are is rounded to ticks.
        guard let first = films.first, let origin = Probe.origin(of: file),
            let places = file.joined?.films?.spans(from: first.asset.start + first.begin)
        else { throw MediaError(.fileFailedToParse, "\(list.name): nothing of it can be read") }
        var kept: [Span] = []
        var isCut = false
        for (film, place) in zip(films, places) {
            let own = try film.taken
            isCut = isCut || own != [Span(start: .zero, end: film.length)]
            kept += own.map { span in
                let end = span.end == film.length ? place.end : min(place.begin + span.end, place.end)
                return Span(start: min(place.begin + span.start, end) - origin, end: end - origin)
            }
        }
        (self.kept, self.isCut) = (kept, isCut)
    }

    /// As much may the end of a film be rounded up in a list.
    private static let slack = Time(1, 1000)

    /// A petabyte: a list may name the same file again and again.
    private static let mostBytes: Int64 = 1 << 50

    /// A range of the whole, or what the list takes of its films where it is all.
    func resolved(_ range: RangeRequest) throws(MediaError) -> RangeRequest {
        guard isCut else { return range }
        guard range.start == nil, range.end == nil, range.duration == nil, (range.keep ?? []).isEmpty,
            (range.remove ?? []).isEmpty
        else {
            throw MediaError(
                .invalidRequest,
                "\(file.name) says what is taken of its files, and a range of that was asked for",
                remedy: "leave out the range, or the list's inpoint and outpoint")
        }
        var range = range
        range.keep = kept.map { RangeSpelling(start: .time($0.start), end: .time($0.end)) }
        return range
    }

    /// A film by itself.
    private static func film(_ entry: Entry, _ file: SourceFile) throws(MediaError) -> Film {
        guard !PlaylistSignature.isAtStart(of: head(of: file)) else {
            throw MediaError(.playlist, "it is a playlist itself, and a film is expected")
        }
        let asset = try Probe.asset(of: file)
        if let why = obstacle(asset, file) {
            throw MediaError(
                .operationNotSupported, "it cannot be joined: \(why)", remedy: "export it by itself first")
        }
        if let fault = asset.faults.first(where: { $0.code == .truncated }) {
            throw MediaError(
                .damagedMedia, fault.message,
                remedy: "get the file again, whole, or export what there is of it first")
        }
        let media = asset.tracks.filter { ($0.kind == .video && !$0.isPicture) || $0.kind == .audio }
        guard !media.contains(where: \.isProtected) else {
            throw MediaError(
                .contentIsProtected, "it is encrypted", remedy: "export needs the unencrypted original")
        }
        let begin = begin(of: asset)
        guard let end = end(of: asset, file), end > begin else {
            throw MediaError(.operationNotSupported, "how long it is is not known")
        }
        return Film(entry: entry, file: file, asset: asset, begin: begin, end: end)
    }

    /// Why a film is read otherwise in a list than by itself, or to other times; nil: it is not.
    private static func obstacle(_ asset: Asset, _ file: SourceFile) -> String? {
        let media = asset.tracks.filter { ($0.kind == .video && !$0.isPicture) || $0.kind == .audio }
        if media.contains(where: { ($0.edits ?? []).filter { $0.mediaTime != nil }.count > 1 }) {
            return "its edit list has several parts"
        }
        if media.contains(where: { $0.timebase.numerator != 1 }) {
            return "\(asset.container.name) counts its times in no whole parts of a second"
        }
        if OggLinks.begins(head(of: file)), OggLinks(file).ranges.count > 1 { return "it is chained" }
        if let programs = TransportPrograms(file), !programs.late.isEmpty {
            return "it announces streams late"
        }
        return nil
    }

    private static func head(of file: SourceFile) -> [UInt8] {
        file.bytes(at: 0, count: PlaylistSignature.length)
    }

    /// When a film is first seen or heard. Matroska counts what decoders skip at the beginning of audio.
    private static func begin(of asset: Asset) -> Time {
        guard asset.container.format.contains("matroska") else { return .zero }
        let media = asset.tracks.filter { ($0.kind == .video && !$0.isPicture) || $0.kind == .audio }
        let begins = media.compactMap { track -> Time? in
            guard let audio = track.audio, audio.sampleRate > 0 else { return track.start }
            return track.start.map { $0 + Time(Int64(audio.priming), Int32(clamping: audio.sampleRate)) }
        }
        return max(begins.min() ?? .zero, .zero)
    }

    /// When a film is no more seen or heard. Most containers of audio alone count what decoders skip at the end, and Matroska of audio
    /// beside video too.
    private static func end(of asset: Asset, _ file: SourceFile) -> Time? {
        let end = MediaEnd.of(asset, file)
        let isAlone = asset.mainVideo == nil && asset.audioTracks.count == 1
        guard !asset.container.isISOMedia, isAlone || asset.container.format.contains("matroska") else {
            return end
        }
        var ends: [Time] = []
        for track in asset.tracks where (track.kind == .video && !track.isPicture) || track.kind == .audio {
            // Of others it is known when they end.
            let heard = track.kind == .audio ? heardEnd(of: track, asset, file, isAlone: isAlone) : nil
            guard let last = heard ?? MediaEnd.of(track, asset, file) ?? track.end else { return end }
            ends.append(last)
        }
        return [ends.max(), end].compactMap(\.self).min()
    }

    /// The packets before the end that are read to find out what is skipped of the last one.
    private static let endSpan = Time(2, 1)

    /// When the last sample of an audio track has been heard; nil: nothing of it is skipped.
    /// - Parameter isAlone: it is all that there is, and is read whole: not all containers of audio have an index.
    private static func heardEnd(
        of track: Track, _ asset: Asset, _ file: SourceFile, isAlone: Bool
    ) -> Time? {
        guard let reader = try? SampleReader(file, quick: true), let packet = try? Packet(),
            let rate = track.audio?.sampleRate, rate > 0
        else { return nil }
        reader.select(track: track.index)
        if !isAlone, let end = asset.duration, end > endSpan {
            let from = track.timebase.ticks(
                of: end - endSpan + asset.start, rounding: .towardNegativeInfinity)
            _ = reader.seek(track: track.index, toTicks: from.ticks)
        }
        var heard: Time?
        var hasSkipped = track.audio?.priming ?? 0 > 0
        while case .packet = reader.read(into: packet) {
            guard packet.track == track.index, let pts = packet.pts, packet.duration > 0 else { continue }
            hasSkipped = hasSkipped || packet.skippedSamples > 0 || packet.discardedSamples > 0
            // FFmpeg leaves out of the durations of Ogg what decoders discard.
            let discarded = asset.container.format == "ogg" ? 0 : Int64(packet.discardedSamples)
            let length =
                track.timebase.time(ofTicks: packet.duration) - Time(discarded, Int32(clamping: rate))
            let last = track.timebase.time(ofTicks: pts) + length - asset.start
            heard = max(heard ?? last, last)
        }
        return hasSkipped ? heard : nil
    }

    /// An error of a file, with where it is named.
    private static func placed(_ error: MediaError, _ entry: Entry) -> MediaError {
        MediaError(error.code, "\(entry.place): \(error.message)", time: error.time, remedy: error.remedy)
    }
}

extension Asset {
    /// Why it cannot follow another asset in one source; nil: its tracks can.
    fileprivate func obstacle(behind first: Asset) -> String? {
        guard let own = mainVideo?.video, let other = first.mainVideo?.video else { return nil }
        func turned(_ format: VideoFormat) -> String {
            format.isMirrored ? "mirrored" : "turned by \(format.rotation)°"
        }
        // Turned frames are turned; mirrored ones only follow others that are.
        if own.isMirrored != other.isMirrored || own.isMirrored && own.rotation != other.rotation {
            return "its frames are \(turned(own)), and those there are \(turned(other))"
        }
        if own.crop != other.crop {
            return "its frames have another clean aperture"
        }
        // Frames of one dynamic range look wrong in the other, whatever encodes them.
        func range(_ format: VideoFormat) -> String? {
            format.color.dynamicRange == nil ? nil : format.color.transfer
        }
        if range(own) != range(other) {
            return "its frames are \(range(own) ?? "SDR"), and those there are \(range(other) ?? "SDR")"
        }
        if mainVideo?.isBottomFieldFirst != first.mainVideo?.isBottomFieldFirst {
            return "the fields of its frames are stored otherwise"
        }
        return nil
    }
}
