// Parses HLS playlists (RFC 8216 and its successor's drafts), and knows FFmpeg's lists: bytes to values, with the line of each error. It refuses what no
// export can be made of: streams that go on, encryption, files elsewhere. It opens nothing. Pure.
internal import MediaTime
internal import Text

extension Playlist {
    /// Parses a playlist.
    public init(parsing bytes: [UInt8]) throws(PlaylistError) {
        var lines = try PlaylistLines(bytes)
        let first = try lines.next()
        if let first, first.hasPrefix(PlaylistSignature.concat) {
            guard first.split(separator: " ") == ["ffconcat", "version", "1.0"] else {
                throw PlaylistError(
                    .malformed, line: lines.number, "it does not begin with 'ffconcat version 1.0'")
            }
            self = .concat(try ConcatList(&lines))
            return
        }
        guard first == PlaylistSignature.line else {
            throw PlaylistError(.malformed, line: 1, "it does not begin with \(PlaylistSignature.line)")
        }
        var parser = PlaylistParser(lines)
        self = try parser.run()
    }
}

/// The state of parsing.
struct PlaylistParser {
    private var lines: PlaylistLines
    private var segments: [PlaylistSegment] = []
    private var variants: [PlaylistVariant] = []
    private var renditions: [PlaylistRendition] = []
    private var hasEnd = false
    private var hasMediaTags = false
    /// Of all segments so far, in microseconds.
    private var length: Int64 = 0

    // Of the segment that comes next.
    private var duration: Int64?
    private var range: (count: Int64, offset: Int64?)?
    private var map: PlaylistResource?
    private var part = 0
    private var isGap = false
    private var date: String?
    private var marks = PlaylistMarks()
    /// The variant that the next line names.
    private var variant: (attributes: PlaylistAttributes, line: Int)?

    /// - Parameter lines: those after the first.
    init(_ lines: PlaylistLines) { self.lines = lines }

    mutating func run() throws(PlaylistError) -> Playlist {
        while let line = try lines.next() {
            if line.hasPrefix("#EXT") {
                let name = line.prefix { $0 != ":" }
                try read(String(name), line.dropFirst(name.count + 1))
            } else if !line.hasPrefix("#") {
                try readName(line)
            }
        }
        return try result()
    }

    private mutating func result() throws(PlaylistError) -> Playlist {
        if let variant {
            throw PlaylistError(.malformed, line: variant.line, "no playlist follows EXT-X-STREAM-INF")
        }
        if !variants.isEmpty {
            guard segments.isEmpty else {
                throw PlaylistError(.malformed, "it lists both segments and playlists")
            }
            return .multivariant(MultivariantPlaylist(variants: variants, renditions: renditions))
        }
        guard hasMediaTags else {
            throw PlaylistError(
                .refused, "it is a list of files, not an HLS playlist", remedy: "export the files it lists")
        }
        guard hasEnd else {
            throw PlaylistError(
                .refused, "it is live: it does not end with EXT-X-ENDLIST",
                remedy: "wait until the stream has ended")
        }
        guard !segments.isEmpty else { throw PlaylistError(.malformed, "it lists no segment") }
        let interstitials = try marks.interstitials(segments)
        return .media(
            MediaPlaylist(segments: segments, interstitials: interstitials, problems: marks.problems))
    }

    private func malformed(_ why: String) -> PlaylistError {
        PlaylistError(.malformed, line: lines.number, why)
    }

    private mutating func read(_ tag: String, _ value: Substring) throws(PlaylistError) {
        switch tag {
        case "#EXTINF": try readDuration(value)
        case "#EXT-X-TARGETDURATION": hasMediaTags = true
        case "#EXT-X-ENDLIST": hasEnd = true
        case "#EXT-X-BYTERANGE": range = try byteRange(value)
        case "#EXT-X-DISCONTINUITY": if !segments.isEmpty { part += 1 }
        case "#EXT-X-GAP": isGap = true
        case "#EXT-X-PROGRAM-DATE-TIME": date = String(value)
        case "#EXT-X-MAP": map = try header(try attributes(value))
        case "#EXT-X-KEY", "#EXT-X-SESSION-KEY": try readKey(try attributes(value))
        case "#EXT-X-STREAM-INF": variant = (try attributes(value), lines.number)
        case "#EXT-X-MEDIA": try readRendition(try attributes(value))
        case "#EXT-X-I-FRAMES-ONLY":
            throw PlaylistError(.refused, line: lines.number, "it lists keyframes only, not the film")
        case "#EXT-X-SKIP":
            throw PlaylistError(.refused, line: lines.number, "it lists only what was added to another")
        case "#EXT-X-DEFINE":
            throw PlaylistError(
                .refused, line: lines.number, "it uses variables (EXT-X-DEFINE)",
                remedy: "write the names themselves")
        default: try marks.read(tag, value, line: lines.number)
        }
    }

    private func attributes(_ value: Substring) throws(PlaylistError) -> PlaylistAttributes {
        try PlaylistAttributes(value, line: lines.number)
    }

    // MARK: media playlists

    private mutating func readDuration(_ value: Substring) throws(PlaylistError) {
        let text = value.prefix { $0 != "," }
        guard let read = DecimalNumber.microseconds(text.drop { $0 == " " }) else {
            // A list of music gives -1 where it does not know.
            if text.hasPrefix("-"), !hasMediaTags { return }
            throw malformed("'\(RelativeName.shown(text))' is not the duration of a segment")
        }
        duration = read
    }

    private mutating func readName(_ text: String) throws(PlaylistError) {
        if let variant { return try readVariant(variant.attributes, text) }
        guard hasMediaTags || duration != nil else {
            throw PlaylistError(
                .refused, "it is a list of files, not an HLS playlist", remedy: "export the files it lists")
        }
        guard let duration else { throw malformed("no EXTINF gives the duration of this segment") }
        guard segments.count < PlaylistLimits.segments else {
            throw PlaylistError(
                .tooLarge, line: lines.number, "it lists more than \(PlaylistLimits.segments) segments")
        }
        let name = try RelativeName(uri: text, line: lines.number)
        let media = PlaylistResource(name: name, range: try resolved(name), line: lines.number)
        let start = length
        length += duration
        guard length <= PlaylistLimits.seconds * 1_000_000 else {
            throw PlaylistError(
                .tooLarge, line: lines.number, "it is longer than \(PlaylistLimits.seconds) s")
        }
        segments.append(
            PlaylistSegment(
                media: media, map: map, start: DecimalNumber.time(microseconds: start),
                duration: DecimalNumber.time(microseconds: duration), part: part, isGap: isGap, date: date))
        marks.append(duration: duration, date: date, line: lines.number)
        (self.duration, range, isGap, date) = (nil, nil, false, nil)
    }

    /// `N[@O]`
    private func byteRange(_ text: some StringProtocol) throws(PlaylistError) -> (
        count: Int64, offset: Int64?
    ) {
        let parts = text.split(separator: "@", maxSplits: 1, omittingEmptySubsequences: false)
        let offset = parts.count == 2 ? DecimalNumber.integer(parts[1]) : nil
        guard let first = parts.first, let count = DecimalNumber.integer(first), count > 0,
            parts.count == 1 || offset != nil
        else { throw malformed("'\(RelativeName.shown(text))' is not a range of bytes") }
        return (count, offset)
    }

    /// The bytes of the segment that comes next; without an offset they follow those of the segment before.
    private func resolved(_ name: RelativeName) throws(PlaylistError) -> Range<Int64>? {
        guard let range else { return nil }
        if let offset = range.offset { return offset..<(offset + range.count) }
        guard let before = segments.last?.media, before.name == name, let last = before.range else {
            throw malformed("the range of bytes of \(name) follows none of the same file")
        }
        let (end, isTooFar) = last.upperBound.addingReportingOverflow(range.count)
        guard !isTooFar else { throw malformed("the range of bytes of \(name) ends nowhere") }
        return last.upperBound..<end
    }

    private func header(_ attributes: PlaylistAttributes) throws(PlaylistError) -> PlaylistResource {
        let name = try RelativeName(
            uri: try attributes.required("URI", of: "EXT-X-MAP"), line: attributes.line)
        var bytes: Range<Int64>?
        if let text = attributes["BYTERANGE"] {
            let range = try byteRange(text)
            let offset = range.offset ?? 0
            bytes = offset..<(offset + range.count)
        }
        return PlaylistResource(name: name, range: bytes, line: attributes.line)
    }

    private func readKey(_ attributes: PlaylistAttributes) throws(PlaylistError) {
        let method = try attributes.required("METHOD", of: "EXT-X-KEY")
        guard method != "NONE" else { return }
        throw PlaylistError(
            .refused, line: attributes.line, "its segments are encrypted (\(RelativeName.shown(method)))",
            remedy: "export needs the unencrypted original")
    }

    // MARK: multivariant playlists

    private mutating func readVariant(_ attributes: PlaylistAttributes, _ uri: String) throws(PlaylistError) {
        variant = nil
        guard variants.count < PlaylistLimits.variants else {
            throw PlaylistError(
                .tooLarge, line: lines.number, "it lists more than \(PlaylistLimits.variants) variants")
        }
        guard let bandwidth = attributes["BANDWIDTH"].flatMap({ DecimalNumber.integer($0) }) else {
            throw PlaylistError(
                .malformed, line: attributes.line, "EXT-X-STREAM-INF lacks BANDWIDTH, or it is no number")
        }
        let name = try RelativeName(uri: uri, line: lines.number)
        let size = attributes["RESOLUTION"].flatMap { DecimalNumber.resolution($0) }
        variants.append(
            PlaylistVariant(
                playlist: PlaylistResource(name: name, line: lines.number), bandwidth: bandwidth,
                width: size?.width, height: size?.height, codecs: attributes["CODECS"],
                audio: attributes["AUDIO"], subtitles: attributes["SUBTITLES"]))
    }

    private mutating func readRendition(_ attributes: PlaylistAttributes) throws(PlaylistError) {
        guard renditions.count < PlaylistLimits.variants else {
            throw PlaylistError(
                .tooLarge, line: attributes.line, "it lists more than \(PlaylistLimits.variants) renditions")
        }
        guard let kind = PlaylistRendition.Kind(rawValue: try attributes.required("TYPE", of: "EXT-X-MEDIA"))
        else { return }
        let name = try attributes["URI"].map { uri throws(PlaylistError) in
            try RelativeName(uri: uri, line: attributes.line)
        }
        renditions.append(
            PlaylistRendition(
                kind: kind, group: try attributes.required("GROUP-ID", of: "EXT-X-MEDIA"),
                name: attributes["NAME"] ?? "", language: attributes["LANGUAGE"],
                isDefault: attributes["DEFAULT"] == "YES", isForced: attributes["FORCED"] == "YES",
                playlist: name.map { PlaylistResource(name: $0, line: attributes.line) }))
    }
}
