// Names from templates: what is in them, what cannot be, and how long they may get.
import Media
import Testing

@testable import Lists

@Suite struct NameTemplateTests {
    private func name(
        _ template: String, _ values: [NameTemplate.Field: String], number: Int = 1
    ) throws -> String {
        try NameTemplate(template).name(values, fileType: "mp4", number: number)
    }

    @Test func fieldsAndWidths() throws {
        let values: [NameTemplate.Field: String] = [
            .stem: "film", .index: "7", .label: "A b", .preset: "m4v720",
        ]
        #expect(try name("{stem}-{index:03}-{label}", values) == "film-007-A b.mp4")
        #expect(try name("{{{preset}}}.{ext}", values) == "{m4v720}.mp4")
        #expect(try name("x", values, number: 2) == "x-2.mp4")
    }

    @Test func whatIsMissingTakesItsSeparatorAlong() throws {
        let values: [NameTemplate.Field: String] = [.stem: "film", .index: "7"]
        #expect(try name("{stem}-{index:03}-{label}", values) == "film-007.mp4")
        #expect(try name("{label}-{stem}", values) == "film.mp4")
        #expect(try name("{label}", values) == "export.mp4")
    }

    @Test(arguments: [
        ("a/b", "a_b.mp4"), ("../../etc/passwd", "_.._etc_passwd.mp4"), ("a\u{1B}[31m", "a_[31m.mp4"),
        ("\u{202E}gpj", "gpj.mp4"), ("  ", "export.mp4"), ("...", "export.mp4"), ("a: \"b\"?", "a_ _b__.mp4"),
    ]) func strangersNamesAreMadeHarmless(label: String, expected: String) throws {
        #expect(try name("{label}", [.label: label]) == expected)
    }

    @Test func longNamesKeepTheirEnd() throws {
        let long = String(repeating: "é\u{1F3AC}", count: 200)
        let made = try name("{stem}", [.stem: long], number: 12)
        #expect(made.utf8.count <= 255 && made.utf8.count > 245)
        #expect(made.hasSuffix("-12.mp4"))
        #expect(String(validating: Array(made.utf8), as: UTF8.self) == made)
    }

    @Test(arguments: ["", "{", "}", "{stem", "{stam}", "{stem:3}", "{index:x}", "a/b", "a\u{0}b"])
    func wrongTemplatesAreRefused(text: String) {
        #expect(throws: MediaError.self) { _ = try NameTemplate(text) }
    }
}
