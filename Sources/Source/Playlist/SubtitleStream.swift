// One rendition of subtitles: the WebVTT files that its playlist lists, read once, as one WebVTT file in the container's time. Runs on
// the caller's thread, in the sealed worker. Its memory is bounded.
internal import Libav
internal import Media
internal import MediaTime
internal import Playlists
internal import Text

/// The cues that a playlist of subtitles lists.
struct SubtitleStream {
    /// They as one WebVTT file.
    let file: SourceFile

    /// The most bytes that are read of a rendition.
    private static let mostBytes: Int64 = 64 << 20
    /// How many files are opened at a time.
    private static let batch = 16

    /// Reads a rendition.
    /// - Parameters:
    ///   - list: the name of the playlist that names it, for messages.
    ///   - zero: the container time of the film's beginning.
    ///   - clocks: the clocks of the film's parts.
    init(
        of resource: PlaylistResource, in list: String, zero: Time, _ clocks: PartClocks,
        _ opening: any FileOpening
    ) throws(MediaError) {
        let name = resource.name.path
        let playlist = try PlaylistStream.media(of: resource, in: list, opening)
        guard playlist.segments.allSatisfy({ $0.map == nil }) else {
            throw MediaError(.fileFormatNotRecognized, "\(name): they are not WebVTT, but tracks of movies")
        }
        let segments = playlist.segments.filter { !$0.isGap }
        var cues = SubtitleCues(zero: zero)
        let isDividedAlike = playlist.partCount == clocks.partCount
        var identity = ""
        var read: Int64 = 0
        for first in stride(from: 0, to: segments.count, by: SubtitleStream.batch) {
            let some = Array(segments[first..<min(first + SubtitleStream.batch, segments.count)])
            let opened = opening.open(some.map(\.media.name.path))
            guard opened.count == some.count else {
                throw MediaError(.unknown, "opened \(opened.count) of \(quantity(some.count, "file"))")
            }
            for (segment, result) in zip(some, opened) {
                let bytes = try SubtitleStream.bytes(of: segment, result, in: name, &identity)
                read += Int64(bytes.count)
                guard read <= SubtitleStream.mostBytes else {
                    throw MediaError(
                        .limitReached, "\(name): its segments have over \(SubtitleStream.mostBytes >> 20) MiB"
                    )
                }
                do throws(PlaylistError) {
                    try cues.append(
                        bytes, startingAt: segment.start, line: segment.media.line,
                        clock: clocks.offset(of: segment, isDividedAlike: isDividedAlike))
                } catch {
                    throw MediaError(
                        error.reason == .tooLarge ? .limitReached : .fileFormatNotRecognized,
                        "\(name), \(error): \(segment.described)", time: segment.start)
                }
            }
        }
        file = SourceFile(contents: cues.file, name: name, identity: identity)
    }

    /// The bytes of a segment.
    private static func bytes(
        of segment: PlaylistSegment, _ opened: Result<OpenSegment, MediaError>, in name: String,
        _ identity: inout String
    ) throws(MediaError) -> [UInt8] {
        let what = "\(name), line \(segment.media.line): the subtitles \(segment.described)"
        let file: OpenSegment
        do throws(MediaError) { file = try opened.get() } catch {
            throw MediaError(
                error.code, "\(what): \(error.message)", time: segment.start,
                remedy: error.remedy ?? "put the file there, or remove the segment from the playlist")
        }
        identity += "\(segment.media.name) \(file.identity);"
        let range = segment.media.range ?? 0..<file.size
        guard range.upperBound <= file.size else {
            throw MediaError(
                .fileFailedToParse, "\(what): the file has \(file.size) bytes", time: segment.start,
                remedy: "the playlist or the file is not complete")
        }
        let count = min(range.upperBound - range.lowerBound, Int64(SubtitleCues.mostSegmentBytes) + 1)
        return SourceFile(descriptor: file.descriptor, size: file.size, name: segment.media.name.path)
            .bytes(at: range.lowerBound, count: Int(count))
    }
}
