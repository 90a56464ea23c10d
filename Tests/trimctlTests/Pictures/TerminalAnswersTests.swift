// The answers of a terminal about pictures: the forms that count, and everything that does not.
import Testing

@testable import trimctl

@Suite struct TerminalAnswersTests {
    private func read(_ text: String) -> TerminalAnswers { TerminalAnswers(text.utf8) }

    @Test func eachAnswerIsRead() {
        let all = read(
            "\u{1B}_Gi=31;OK\u{1B}\\\u{1B}P>|kitty(0.35.2)\u{1B}\\\u{1B}[6;20;10t\u{1B}[?62;4;22c")
        #expect(all.hasKitty && all.hasSixel && all.isComplete)
        #expect(all.name == "kitty(0.35.2)" && all.cell == .init(width: 10, height: 20))
    }

    @Test func theLastOneEndsTheWait() {
        let whole = Array("\u{1B}_Gi=31;OK\u{1B}\\\u{1B}[6;20;10t\u{1B}[?1;2c".utf8)
        for count in whole.indices {
            #expect(!TerminalAnswers(whole.prefix(count)).isComplete, "\(count) bytes")
        }
        #expect(TerminalAnswers(whole).isComplete)
    }

    @Test(arguments: [
        "\u{1B}[4c", "\u{1B}[?4c", "\u{1B}[?62;14;41c", "\u{1B}[?62;444444c", "\u{1B}[?62;+4c",
        "\u{1B}[?62;٤c",
        "\u{1B}[?62;4", "\u{1B}[?62;4C", "\u{1B}P?62;4c\u{1B}\\", "?62;4c",
    ]) func whatIsNoSixel(_ answer: String) {
        #expect(!read(answer).hasSixel)
    }

    @Test(arguments: [
        "\u{1B}_Gi=31;ENOENT\u{1B}\\", "\u{1B}_Gi=3;OK\u{1B}\\", "\u{1B}_Gi=311;OK\u{1B}\\",
        "\u{1B}_Xi=31;OK\u{1B}\\",
        "\u{1B}_Gi=31;OK", "\u{1B}_Gi=31;OK\u{7}", "Gi=31;OK\u{1B}\\", "\u{1B}_Gi=31;OK;\u{1B}\\",
        "\u{1B}_Gi=31\n;OK\u{1B}\\",
    ]) func whatIsNoKitty(_ answer: String) {
        #expect(!read(answer).hasKitty)
    }

    @Test(arguments: [
        "\u{1B}[6;0;10t", "\u{1B}[6;20;257t", "\u{1B}[6;20t", "\u{1B}[4;20;10t", "\u{1B}[6;20;10;1t",
        "\u{1B}[6;;t",
    ]) func whatIsNoCell(_ answer: String) {
        #expect(read(answer).cell == nil)
    }

    @Test func typedKeysAndRubbishAreSkipped() {
        let answer = "\u{1B}[?62;4c"
        for rubbish in [
            "ls\r", "\u{1B}[A\u{1B}OP\u{1B}", "\u{1B}_G", "\u{1B}P>|", "\u{1B}[6;20", "\u{1B}\u{1B}\u{1B}",
            String(repeating: "x", count: 3000), "\u{1B}P>|" + String(repeating: "n", count: 1000),
        ] {
            #expect(read(rubbish + answer).hasSixel, "\(rubbish.prefix(20).debugDescription)")
        }
    }

    @Test func nothingIsReadBeyondTheLimits() {
        let long = String(repeating: "x", count: TerminalAnswers.most)
        #expect(read(long + "\u{1B}[?62;4c") == read(""))
        #expect(read("\u{1B}P>|" + String(repeating: "n", count: 300) + "\u{1B}\\").name == nil)
        #expect(read("\u{1B}P>|bell\u{7}name\u{1B}\\").name == nil, "control characters")
    }
}
