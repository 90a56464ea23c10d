// Names: what is kept when they are too long, and how they are numbered and taken apart.
import Testing

@testable import trimd

@Suite struct FileNameTests {
    @Test func shortNamesStay() {
        #expect(FileName.numbered("film-trim", 1, "m4v") == "film-trim.m4v")
        #expect(FileName.numbered("film-trim", 2, "m4v") == "film-trim-2.m4v")
        #expect(FileName.temporary(for: "out.m4v", job: 7, attempt: 2) == ".out.m4v.trimd-7-2.part")
    }

    @Test(arguments: ["a", "é", "日", "👩‍👩‍👧"], [1, 2, 12]) func longNamesKeepTheirEnds(
        _ letter: String, _ number: Int
    ) {
        let stem = String(repeating: letter, count: 300)
        let name = FileName.numbered(stem, number, "m4v")
        #expect(name.utf8.count <= 255)
        #expect(name.utf8.count > 255 - letter.utf8.count)
        #expect(name.hasSuffix(number == 1 ? ".m4v" : "-\(number).m4v"))
        #expect(stem.hasPrefix(name.prefix { $0 != "-" && $0 != "." }))
        let temporary = FileName.temporary(for: name, job: .max, attempt: 999)
        #expect(temporary.utf8.count <= 255)
        #expect(temporary.hasSuffix(".trimd-\(Int64.max)-999.part"))
    }

    @Test func stemsAndExtensions() {
        #expect(FileName.stem(of: "film.tar.mov") == "film.tar")
        #expect(FileName.stem(of: ".hidden") == ".hidden")
        #expect(FileName.stem(of: "film") == "film")
        #expect(FileName.fileExtension(of: "Film.M4V") == "m4v")
        #expect(FileName.fileExtension(of: ".m4v") == "")
        #expect(FileName.fileExtension(of: "film") == "")
    }

    @Test func splitting() {
        #expect(FileName.split("/a/b.mov")?.folder == "/a")
        #expect(FileName.split("/a/b.mov")?.name == "b.mov")
        #expect(FileName.split("/b.mov")?.folder == "/")
        for path in ["/a/", "/", "", "a", "/a/.", "/a/.."] { #expect(FileName.split(path) == nil, "\(path)") }
    }
}
