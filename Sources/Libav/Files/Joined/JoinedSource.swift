// The pieces of a playlist as one source: which pieces there are, where each is on the one timeline, and which of its tracks is which
// track of the whole. Immutable; demuxers read by it.
internal import CFFmpeg
public import MediaTime

/// A source of several pieces whose timestamps or parameters begin anew.
public final class JoinedSource: Sendable {
    /// A track of a piece.
    struct PieceTrack: Sendable {
        /// Its number in the whole.
        let track: Int
        /// Seconds per tick in the piece.
        let timebase: Timebase
        /// Added to its times, in ticks of the whole.
        let offset: Int64
        /// Its first moment and its end, in ticks of the whole; nil: it has none.
        let start: Int64?, end: Int64?
        /// Which of the whole's sets of parameters it has.
        let parameters: Int
        /// The keyframe, by its time in the piece, behind which no player shows leading pictures; nil: there are none.
        let bareKey: Int64?
        /// Its frames that are shown longer than its media say.
        let held: Held
    }

    /// A piece.
    struct Piece: Sendable {
        let file: SourceFile
        /// How many discontinuities come before it.
        let part: Int
        /// Added to its timestamps.
        let offset: Time
        /// Its tracks, by their numbers in the piece.
        let tracks: [Int: PieceTrack]
    }

    /// A track of the whole.
    struct WholeTrack: Sendable {
        let timebase: Timebase
        /// The different parameters that its pieces have; those that most of the film has come first.
        let parameters: [CodecParameters]
        /// Decoders must be told the initialisation data of each piece.
        let tellsParameters: Bool
    }

    /// The frame that is shown from the beginning of the whole on, or of a film in it, though its media begin later.
    struct HeldFirst: Hashable, Sendable {
        /// When it is shown and decoded by its media, in ticks of the whole.
        let pts: Int64, dts: Int64?
        /// The ticks by which it is shown and decoded earlier.
        let lead: Int64
    }

    /// The frame that is shown to the end of the whole, though its media end earlier.
    struct HeldLast: Hashable, Sendable {
        /// When it is shown, in ticks of the whole.
        let pts: Int64
        /// For how long.
        let duration: Int64
    }

    /// Frames that are shown longer than their media say.
    struct Held: Hashable, Sendable {
        var first: HeldFirst?, last: HeldLast?
    }

    /// A time in which there is nothing of any track, or of one.
    public struct Hole: Hashable, Sendable {
        /// Where it is.
        public enum Place: Hashable, Sendable {
            case beginning, within, end
        }

        /// From and to, in the source's own time.
        public let start: Time, end: Time
        /// The track; nil: all.
        public let track: Int?
        /// Whether media come before and after it.
        public let place: Place
        /// A frame beside it is shown in it.
        public let isHeld: Bool

        /// The same of a source in which the numbers of tracks begin with another one.
        public func numbered(from number: Int) -> Hole {
            Hole(start: start, end: end, track: track.map { $0 + number }, place: place, isHeld: isHeld)
        }
    }

    let pieces: [Piece]
    let tracks: [WholeTrack]
    /// Where media are missing on purpose, and where pieces lack a track that others have; in order.
    public let holes: [Hole]
    /// Of audio alone with times without media, the end of the whole in its own time: until then there is silence where no audio is; nil:
    /// it has no such times, or there are frames to hold.
    public let silentUntil: Time?
    /// What is known of films of their own that it is made of; nil: its pieces are parts of one film.
    public let films: Films?
    let template: JoinedTemplate
    /// The format of all pieces, FFmpeg's short name and its name for people.
    let format: (name: String, longName: String)

    /// Films of their own, one after the other. All times are the source's own.
    public struct Films: Hashable, Sendable {
        /// Where one ends and the next one begins, in order: nothing goes on from one to the next.
        public let seams: [Time]
        /// Where the last one ends.
        public let end: Time
        /// Their chapters; FFmpeg knows none of a joined source.
        let chapters: [ContainerChapter]

        /// When each begins, and when it ends.
        /// - Parameter first: when the first begins.
        public func spans(from first: Time) -> [(begin: Time, end: Time)] {
            zip([first] + seams, seams + [end]).map { ($0, $1) }
        }

        /// The film that a time is in, by its number from 0, and when it begins; of the first that is its earliest time.
        public func film(at time: Time) -> (number: Int, begin: Time) {
            guard let last = seams.lastIndex(where: { $0 <= time }) else { return (0, .zero) }
            return (last + 1, seams[last])
        }
    }

    /// Its pieces are the links of a chained file.
    public var isChain: Bool { format.name == JoinedSource.chain && films == nil }

    /// The format of chained files: each of their links is decoded by itself.
    static let chain = "ogg"

    /// How many tracks it has.
    public var trackCount: Int { tracks.count }

    init(
        pieces: [Piece], tracks: [WholeTrack], holes: [Hole], silentUntil: Time?, films: Films?,
        template: JoinedTemplate, format: (name: String, longName: String)
    ) {
        (self.pieces, self.tracks, self.holes) = (pieces, tracks, holes)
        (self.silentUntil, self.films) = (silentUntil, films)
        (self.template, self.format) = (template, format)
    }

    /// The first moment in a range at which a track has other parameters than in most of the film; nil: it has the same throughout.
    /// - Parameters:
    ///   - from: in the source's own time.
    ///   - to: the same; nil: the end.
    public func change(of track: Int, from: Time, to: Time?) -> Time? {
        pieces(of: track, from: from, to: to).first { $0.own.parameters != 0 }.map { max($0.start, from) }
    }

    /// The pieces that show a track in a range.
    private func pieces(of track: Int, from: Time, to: Time?) -> [(start: Time, own: PieceTrack)] {
        guard tracks.indices.contains(track) else { return [] }
        let base = tracks[track].timebase
        return pieces.flatMap { piece in
            piece.tracks.values.compactMap { own in
                guard own.track == track, let start = own.start.map(base.time(ofTicks:)),
                    let end = own.end.map(base.time(ofTicks:)), end > from, to.map({ start < $0 }) ?? true
                else { return nil }
                return (start, own)
            }
        }
    }

    /// Where the second link of a chained file begins that a range of an audio track has: what its codec puts before the first sample and
    /// behind the last one of a link would be heard in a copy. Nil: the range is within one link, or the source is no chain.
    public func link(of track: Int, from: Time, to: Time?) -> Time? {
        guard isChain else { return nil }
        let found = pieces(of: track, from: from, to: to)
        guard let first = found.first?.own.parameters,
            unsafe tracks[track].parameters[first].pointer.pointee.codec_type == AVMEDIA_TYPE_AUDIO
        else { return nil }
        return found.dropFirst().first?.start
    }

    /// The same source, its tracks described by the parameters that they have in a range; nil: it is described so, or there are several.
    /// - Parameters:
    ///   - ranges: in the source's own time, from and to; nil: the end.
    public func described(in ranges: [(from: Time, to: Time?)]) -> JoinedSource? {
        var mains: [Int: Int] = [:]
        for track in tracks.indices where tracks[track].parameters.count > 1 {
            let all = Set(
                ranges.flatMap { pieces(of: track, from: $0.from, to: $0.to) }.map(\.own.parameters))
            if all.count == 1, let only = all.first, only != 0 { mains[track] = only }
        }
        guard !mains.isEmpty, let template = try? JoinedTemplate(copying: template) else { return nil }
        func number(_ own: PieceTrack) -> Int {
            guard let main = mains[own.track] else { return own.parameters }
            return own.parameters == main ? 0 : own.parameters == 0 ? main : own.parameters
        }
        for (track, main) in mains { template.describe(track, by: tracks[track].parameters[main]) }
        return JoinedSource(
            pieces: pieces.map { piece in
                Piece(
                    file: piece.file, part: piece.part, offset: piece.offset,
                    tracks: piece.tracks.mapValues { own in
                        PieceTrack(
                            track: own.track, timebase: own.timebase, offset: own.offset, start: own.start,
                            end: own.end, parameters: number(own), bareKey: own.bareKey, held: own.held)
                    })
            },
            tracks: tracks.enumerated().map { index, track in
                var parameters = track.parameters
                if let main = mains[index] { parameters.swapAt(0, main) }
                return WholeTrack(
                    timebase: track.timebase, parameters: parameters,
                    tellsParameters: track.tellsParameters)
            }, holes: holes, silentUntil: silentUntil, films: films,
            template: template, format: format)
    }

    /// Where the parameters of a track change, from its beginning on: whether it has those of most of the film from there on. One entry:
    /// they never change.
    public func changes(of track: Int) -> [(start: Time, isMain: Bool)] {
        guard tracks.indices.contains(track) else { return [] }
        var changes: [(start: Time, isMain: Bool)] = []
        for piece in pieces {
            for own in piece.tracks.values where own.track == track {
                guard let start = own.start, changes.last?.isMain != (own.parameters == 0) else { continue }
                changes.append((tracks[track].timebase.time(ofTicks: start), own.parameters == 0))
            }
        }
        return changes
    }

    /// Whether pieces of a video track have pixels of different shapes.
    func changesAspect(of track: Int) -> Bool {
        guard tracks.indices.contains(track) else { return false }
        let all = tracks[track].parameters.map { unsafe $0.pointer.pointee.sample_aspect_ratio }
        return all.contains { $0.num != all[0].num || $0.den != all[0].den }
    }

    /// The time that is added to the timestamps of the media between two discontinuities; nil: there are no media.
    /// - Parameter part: how many discontinuities come before them.
    public func offset(ofPart part: Int) -> Time? { pieces.first { $0.part == part }?.offset }

    /// When a track begins to have the parameters that it has in most of the film, in ticks of the whole; nil: from its beginning on.
    func mainStart(of track: Int) -> Int64? {
        guard tracks.indices.contains(track), tracks[track].parameters.count > 1 else { return nil }
        for (index, piece) in pieces.enumerated() {
            for own in piece.tracks.values where own.track == track && own.parameters == 0 {
                guard let start = own.start else { continue }
                return index == 0 ? nil : start
            }
        }
        return nil
    }

    /// The last piece that shows a track at or before a time in ticks of the whole; nil: none does.
    func piece(of track: Int, at ticks: Int64) -> Int? {
        pieces.lastIndex { piece in
            piece.tracks.values.contains { own in
                own.track == track && own.start.map { $0 <= ticks } ?? false
            }
        }
    }
}

extension JoinedSource: Hashable {
    /// Each is itself only.
    public static func == (a: JoinedSource, b: JoinedSource) -> Bool { a === b }

    /// Hashes which it is.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension SourceFile {
    /// This file as another joined source.
    public func joined(as joined: JoinedSource) -> SourceFile {
        guard let segments else { return self }
        var source = SourceFile(
            descriptor: descriptor, segments: segments, joined: joined, name: name, companions: companions)
        source.unread = unread
        return source
    }

    /// Whether it is several films one after the other.
    public var isSequence: Bool { joined?.films != nil }

    /// The joined source that holds a track of the asset, and its number there; nil: it is in a source of one piece.
    public func joined(of track: Int) -> (source: JoinedSource, track: Int)? {
        var first = 0
        for source in [self] + companions.map(\.file) {
            guard let joined = source.joined else { return nil }
            if track < first + joined.tracks.count { return (joined, track - first) }
            first += joined.tracks.count
        }
        return nil
    }
}

// Links of one file, each a container of its own with its own headers and times, as one source: chained Ogg.
extension JoinedSource {
    /// A file whose links follow one another.
    /// - Parameter links: the bytes of each, in order.
    public static func chain(_ links: [Range<Int64>], of file: SourceFile) throws(JoinError) -> SourceFile {
        let pool = file.pool
        let builder: JoinedBuilder
        do throws(LibavError) { builder = try JoinedBuilder(file, pool) } catch {
            throw JoinError(place: file.name, reason: "\(error)", isRefusal: false)
        }
        for (number, link) in links.enumerated() {
            let piece = PieceFile(
                part: number, header: nil, segments: [file.part(link)], gap: .zero,
                place: "link \(number + 1)")
            _ = try builder.add(piece, length: .zero)
        }
        return SourceFile(
            descriptor: file.descriptor,
            segments: SegmentedFile(parts: links.map(file.part), identity: "", pool: pool),
            joined: JoinedBuilder.join([builder]).first, name: file.name)
    }
}

// Films of their own, each in a file, one after the other as one source.
extension JoinedSource {
    /// A film of a sequence.
    public struct Film: Hashable, Sendable {
        let file: SourceFile
        /// When it begins, by its own timestamps, and how long it is.
        let start: Time, length: Time
        /// When its tracks end, by its own timestamps and by their numbers; those that have nothing are not among them.
        let ends: [Int: Time]
        /// Its chapters, by its own timestamps.
        let chapters: [ContainerChapter]

        /// Creates a film.
        public init(
            _ file: SourceFile, start: Time, length: Time, ends: [Int: Time], chapters: [ContainerChapter]
        ) {
            (self.file, self.start, self.length) = (file, start, length)
            (self.ends, self.chapters) = (ends, chapters)
        }
    }

    /// Films one after the other: each begins when the one before has been as long as it is, whatever its tracks say. At least one.
    /// - Parameters:
    ///   - list: the file that lists them; its descriptor and name are the source's.
    ///   - bytes: those of all films, in order.
    public static func sequence(
        _ films: [Film], of list: SourceFile, bytes: SegmentedFile, _ pool: SegmentPool
    ) throws(JoinError) -> SourceFile {
        let builder: JoinedBuilder
        do throws(LibavError) { builder = try JoinedBuilder(list, pool) } catch {
            throw JoinError(place: list.name, reason: "\(error)", isRefusal: false)
        }
        var places: [JoinedBuilder.FilmPlace] = []
        var at = films.first?.start ?? .zero
        for (number, film) in films.enumerated() {
            guard try builder.add(PieceFile(part: number, film), length: film.length) else {
                throw JoinError(
                    place: film.file.name, reason: "nothing in it can be shown", isRefusal: false)
            }
            let place = JoinedBuilder.FilmPlace(
                start: film.start, begin: at, end: at + film.length, chapters: film.chapters)
            places.append(place)
            at = place.end
        }
        return SourceFile(
            descriptor: list.descriptor, segments: bytes, joined: builder.join(places),
            name: list.name)
    }
}
