// `trimctl page`: the command line of trim-page, with absolute paths, of which none is taken for an option.
import Media
import Testing

@testable import TrimClient
@testable import trimctl

@Suite struct PageCommandTests {
    private func words(_ line: String...) throws -> [String] {
        guard case .run(let arguments) = try Arguments.parse(line) else { return [] }
        let surroundings = Surroundings(
            environment: [:], folder: "/home/ann", program: nil, console: Console(environment: [:]),
            interrupts: Interrupts())
        return PageCommand(arguments, surroundings).words(socket: "/s")
    }

    @Test func pathsBecomeAbsolute() throws {
        #expect(
            try words("page", "film.mp4", "cuts") == [
                "--socket", "/s", "--open", "--", "/home/ann/film.mp4", "/home/ann/cuts",
            ])
        #expect(
            try words("page", "--keep", "-o", "out", "--", "-film.mp4") == [
                "--socket", "/s", "--open", "--output", "/home/ann/out", "--keep", "--",
                "/home/ann/-film.mp4",
            ])
        #expect(
            try words("page", "--listen", "page.sock", "--host", "films.example", "/films") == [
                "--socket", "/s", "--open", "--listen", "/home/ann/page.sock", "--host", "films.example",
                "--",
                "/films",
            ])
    }

    @Test func rangesAreSavedAndFilesRestricted() throws {
        #expect(
            try words("page", "--save", "llc", "--restrict", "PG-13", "--pin-file", "pin", "/films") == [
                "--socket", "/s", "--open", "--save", "llc", "--restrict", "PG-13", "--pin-file",
                "/home/ann/pin", "--", "/films",
            ])
        // A PIN on the command line would be seen by all users.
        #expect(throws: MediaError.self) { try Arguments.parse(["page", "--pin", "1234", "/films"]) }
        #expect(throws: MediaError.self) { try Arguments.parse(["page", "--save", "xml", "/films"]) }
    }

    @Test func aFileIsNeeded() {
        #expect(throws: MediaError.self) { try Arguments.parse(["page"]) }
        #expect(throws: MediaError.self) { try Arguments.parse(["page", "film.mp4", "--start", "1"]) }
    }
}
