// Where a text stops being JSON.
import Testing

@testable import Media

struct JSONSyntaxTests {
    @Test(arguments: [
        "{}", "[]", " [1, -2.5e+3, \"a\\\"b\", true, false, null] \n", "{\"a\": {\"b\": [[], {}]}}", "\"x\"",
        "0",
        "{\n\"a\"\n:\n1\n,\n\"b\":2}",
    ]) func whatIsJSONHasNoError(_ text: String) {
        #expect(JSONSyntax.lineOfError(in: Array(text.utf8)) == nil)
    }

    @Test(arguments: [
        ("", 1), ("{", 1), ("{\n\n", 3), ("{\n\"a\": 1\n\"b\": 2}", 3), ("[\n1,\n]", 3), ("{\"a\"\n1}", 2),
        ("\n\nnul", 3), ("[1]\n2", 2), ("{\"a\": \"b\n\"}", 1), ("{\n'a': 1}", 2), ("[1,\n\n,2]", 3),
        ("{1: 2}", 1),
        ("\"\\", 1), ("// note\n{}", 1),
    ]) func theLineOfTheFirstErrorIsFound(_ text: String, _ line: Int) {
        #expect(JSONSyntax.lineOfError(in: Array(text.utf8)) == line)
    }

    @Test func nestingWithoutEndIsAnErrorAndNoCrash() {
        #expect(JSONSyntax.lineOfError(in: [UInt8](repeating: UInt8(ascii: "["), count: 1_000_000)) == 1)
    }
}
