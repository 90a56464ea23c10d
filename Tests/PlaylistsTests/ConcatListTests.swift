// Lists of FFmpeg's concat format: what is taken of them, and the line of each error.
import MediaTime
import Testing

@testable import Playlists

@Suite struct ConcatListTests {
    private func list(_ lines: String) throws -> ConcatList {
        let text = "ffconcat version 1.0\n" + lines
        guard case .concat(let list) = try Playlist(parsing: Array(text.utf8)) else {
            throw PlaylistError(.malformed, "it is no list of files")
        }
        return list
    }

    @Test func filesInTheirOrder() throws {
        let list = try list(
            """
            # a comment

              file  one.mp4
            duration 12.5
            file 'two films/it'\\''s me.mov'
            inpoint 1:10.5
            outpoint 250f
            file three\\ films.mkv\t
            file one.mp4
            file_packet_metadata a=b
            outpoint -2
            """)
        #expect(
            list.entries.map(\.file.name.path) == [
                "one.mp4", "two films/it's me.mov", "three films.mkv", "one.mp4",
            ])
        #expect(list.entries.map(\.file.line) == [4, 6, 9, 10])
        #expect(list.entries.map(\.inPoint) == [nil, .decimal(Time(705, 10)), nil, nil])
        #expect(list.entries.map(\.outPoint) == [nil, .frame(250), nil, .decimalFromEnd(Time(2, 1))])
        #expect(list.names.map(\.path) == ["one.mp4", "two films/it's me.mov", "three films.mkv"])
    }

    /// A percent sign in the name of a file is itself, and so is a question mark.
    @Test func namesAreNotURIs() throws {
        #expect(try list("file 100%25?.mp4").entries.map(\.file.name.path) == ["100%25?.mp4"])
    }

    @Test(
        arguments: [
            ("", nil, "it lists no file"),
            ("inpoint 3", 2, "inpoint comes before the first file"),
            ("file", 2, "nothing follows 'file'"),
            ("file a.mp4 b.mp4", 2, "more follows the file than one word"),
            ("file 'a.mp4", 2, "an apostrophe is not closed"),
            ("file a\\", 2, "nothing follows the backslash"),
            ("file a.mp4\noutpoint soon", 3, "'soon' is not a time"),
            ("file a.mp4\nstream", 3, "the directive 'stream' is not taken"),
            ("file ../a.mp4", 2, "leads out of its folder"),
            ("file /a.mp4", 2, "an absolute path"),
            ("file http://host/a.mp4", 2, "lies elsewhere"),
        ] as [(String, Int?, String)])
    func errorsNameTheirLine(_ lines: String, _ line: Int?, _ words: String) throws {
        let error = #expect(throws: PlaylistError.self) { try list(lines) }
        #expect(error?.line == line && error?.message.contains(words) == true, "\(String(describing: error))")
    }

    @Test func itsFirstLineSaysTheVersion() {
        for text in ["ffconcat\nfile a", "ffconcat version 2.0\nfile a", "ffconcatversion 1.0"] {
            #expect(throws: PlaylistError.self) { try Playlist(parsing: Array(text.utf8)) }
        }
    }

    @Test func aListHasSoManyFiles() throws {
        let line = "file a.mp4\n"
        #expect(try list(String(repeating: line, count: PlaylistLimits.files)).entries.count == 1000)
        let error = #expect(throws: PlaylistError.self) {
            try list(String(repeating: line, count: PlaylistLimits.files + 1))
        }
        #expect(error?.reason == .tooLarge)
    }
}
