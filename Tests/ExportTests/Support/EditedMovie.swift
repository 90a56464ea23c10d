// Gives tracks of a movie other edit lists, and a track of pictures to its chapters: the boxes are read and written here, apart from those of the sources.
import Foundation
import Testing

/// A movie whose index is behind its media, as ffmpeg writes it.
struct EditedMovie {
    /// One entry: its duration in ticks of the movie, and the first tick of the media; nil: nothing is shown.
    struct Edit {
        var duration: UInt32
        var media: Int32?
        var rate: UInt32 = 1 << 16
    }

    private var bytes: [UInt8]

    init(_ file: String) throws { bytes = Array(try Data(contentsOf: URL(filePath: file))) }

    func write(_ file: String) throws { try Data(bytes).write(to: URL(filePath: file)) }

    private func number(_ at: Int) -> Int { bytes[at..<(at + 4)].reduce(0) { $0 << 8 | Int($1) } }

    private static func four(_ value: UInt32) -> [UInt8] {
        [24, 16, 8, 0].map { (shift: UInt32) in UInt8(truncatingIfNeeded: value >> shift) }
    }

    /// The places of the boxes of a name within others.
    private func boxes(_ name: String, in range: Range<Int>) -> [Range<Int>] {
        var (found, at) = ([Range<Int>](), range.lowerBound)
        while at + 8 <= range.upperBound, number(at) >= 8 {
            if bytes[(at + 4)..<(at + 8)].elementsEqual(name.utf8) { found.append(at..<(at + number(at))) }
            at += number(at)
        }
        return found
    }

    /// Replaces the edit list of a track.
    mutating func set(_ edits: [Edit], ofTrack index: Int) throws {
        let movie = try #require(boxes("moov", in: 0..<bytes.count).first)
        let tracks = boxes("trak", in: (movie.lowerBound + 8)..<movie.upperBound)
        try #require(tracks.indices.contains(index))
        let track = tracks[index]
        let head = try #require(boxes("tkhd", in: (track.lowerBound + 8)..<track.upperBound).first)
        let old = boxes("edts", in: (track.lowerBound + 8)..<track.upperBound).first
        let entries = edits.flatMap { edit in
            EditedMovie.four(edit.duration) + EditedMovie.four(UInt32(bitPattern: edit.media ?? -1))
                + EditedMovie.four(edit.rate)
        }
        let list =
            EditedMovie.four(UInt32(entries.count + 16)) + Array("elst".utf8) + EditedMovie.four(0)
            + EditedMovie.four(UInt32(edits.count)) + entries
        let box = EditedMovie.four(UInt32(list.count + 8)) + Array("edts".utf8) + list
        let place = old ?? head.upperBound..<head.upperBound
        let more = box.count - place.count
        bytes.replaceSubrange(place, with: box)
        for outer in [track, movie] {
            bytes.replaceSubrange(
                outer.lowerBound..<(outer.lowerBound + 4), with: EditedMovie.four(UInt32(outer.count + more)))
        }
    }

    /// Has the tracks that name a track of chapters name another one, too; that one names none.
    mutating func nameChapters(inTrack index: Int) throws {
        let movie = try #require(boxes("moov", in: 0..<bytes.count).first)
        let tracks = boxes("trak", in: (movie.lowerBound + 8)..<movie.upperBound)
        let head = try #require(
            boxes("tkhd", in: (tracks[index].lowerBound + 8)..<tracks[index].upperBound).first)
        let id = Array(bytes[(head.lowerBound + 20)..<(head.lowerBound + 24)])
        for (each, track) in tracks.enumerated().reversed() {
            guard let list = boxes("tref", in: (track.lowerBound + 8)..<track.upperBound).first else {
                continue
            }
            if each == index {
                bytes.replaceSubrange((list.lowerBound + 4)..<(list.lowerBound + 8), with: Array("free".utf8))
                continue
            }
            let names = try #require(boxes("chap", in: (list.lowerBound + 8)..<list.upperBound).first)
            bytes.insert(contentsOf: id, at: names.upperBound)
            for outer in [names, list, track] {
                bytes.replaceSubrange(
                    outer.lowerBound..<(outer.lowerBound + 4), with: EditedMovie.four(UInt32(outer.count + 4))
                )
            }
            let size = number(movie.lowerBound) + 4
            bytes.replaceSubrange(
                movie.lowerBound..<(movie.lowerBound + 4), with: EditedMovie.four(UInt32(size)))
        }
    }
}
