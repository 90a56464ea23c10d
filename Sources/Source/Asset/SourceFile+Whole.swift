// A file that changes within, as a source that has all of it from its beginning on: the links of a chained Ogg file, and the streams that
// a transport stream announces late. Runs on the caller's thread; any other file is returned as it is, after a look at its first bytes.
public import Libav
internal import Media

extension SourceFile {
    /// This file with all that it has.
    public func whole() -> SourceFile {
        guard segments == nil, contents == nil else { return self }
        let head = bytes(at: 0, count: 4)
        if OggLinks.begins(head) { return chained() }
        guard let programs = TransportPrograms(self), !programs.late.isEmpty else { return self }
        return announcing(programs)
    }

    /// The links of a chained file, joined.
    private func chained() -> SourceFile {
        let links = OggLinks(self).ranges
        guard links.count > 1 else { return self }
        do throws(JoinError) { return try JoinedSource.chain(links, of: self) } catch {
            var first = self
            first.unread = ["the file is chained, and \(error.place) is not read: \(error.reason)"]
            return first
        }
    }

    /// How far a stream is probed behind the place where it is announced, in bytes.
    private static let probed: Int64 = 8 << 20

    /// The file behind all its tables, so that every reader of it has the same streams by the same numbers.
    private func announcing(_ programs: TransportPrograms) -> SourceFile {
        let tables = programs.first + programs.late.flatMap(\.packets)
        var source = taking(tables + [0..<size])
        for late in programs.late {
            let near = taking(tables + [late.place..<min(size, late.place + SourceFile.probed)])
            guard let demuxer = try? Demuxer(near) else { continue }
            for track in demuxer.tracks(identified: late.pids) where source.forms[track] == nil {
                source.forms[track] = demuxer.beginning(of: track)
            }
        }
        return source
    }
}
