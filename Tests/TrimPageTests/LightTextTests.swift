// Scripts and styles lose what only their readers need, and mean what they meant: node reads each of the page's own, where it is here.
import Foundation
import Testing

@testable import TrimPage

@Suite struct LightTextTests {
    private func script(_ text: String) -> String {
        String(decoding: LightText.script(Array(text.utf8)), as: UTF8.self)
    }

    private func lines(_ text: [UInt8]) -> Int { text.count { $0 == 0x0A } }

    @Test(arguments: [
        ("  let a = 1; // one\n  // two\nb();", "let a=1\n\nb();"),
        ("a = b / c / d;", "a=b/ c/ d;"), ("x = a - -b + +c;", "x=a- -b+ +c;"),
        ("a();\n  // one\n  if (b) { c();\n  }\n}", "a()\n\nif(b){c()\n}\n}"),
        ("a;\n[b] = c;\n`d`;\n(e);\n/f/;\n\n  g;\n", "a;\n[b]=c;\n`d`;\n(e);\n/f/\n\ng;\n"),
        ("return x in y;", "return x in y;"),
        (
            "f(\"a  //  b\", 'c \\' d', `e  ${ f( `g  ${ h }  i` ) }  // j`);",
            "f(\"a  //  b\",'c \\' d',`e  ${f(`g  ${h}  i`)}  // j`);"
        ),
        ("s.replace( /[ /]  \\/ {2}/g, \" \" )", "s.replace(/[ /]  \\/ {2}/g,\" \")"),
        ("if (a) { b(); } c = `;${ d }`;", "if(a){b()}c=`;${d}`;"),
        ("try { a() } catch { /* b\n c */ }", "try{a()}catch{\n}"),
        ("async #a() { await this.#b }", "async #a(){await this.#b}"),
        ("const { a, ...b } = c ? [ d ] : {};", "const{a,...b}=c?[d]:{};"),
        ("`a ${ { b: 1 }.b } c`", "`a ${{b:1}.b} c`"),
        ("`never ends  ", "`never ends  "), ("\"never", "\"never"), ("/* never", ""), ("", ""),
    ])
    func blanksAndCommentsGo(written: String, sent: String) { #expect(script(written) == sent) }

    @Test(arguments: [
        (
            ".a :is(b, c) > d { color: red; margin: calc(1px + 2px) } /* x */",
            ".a :is(b,c) > d{color:red;margin:calc(1px + 2px)}"
        ),
        ("/* One\n two. */\n  p { font: 1px \"A,  B\" }", "\n\np{font:1px \"A,  B\"}"),
        ("a { b: c; d: e; }\nf { g: \";}\"; }", "a{b:c;d:e}\nf{g:\";}\"}"),
        ("@media (min-width: 9px) and (print) { a { b: c } }", "@media (min-width:9px) and (print){a{b:c}}"),
    ])
    func stylesToo(written: String, sent: String) {
        #expect(String(decoding: LightText.style(Array(written.utf8)), as: UTF8.self) == sent)
    }

    /// Every script of the page is read by another parser after it was made lighter, and has as many lines as before.
    @Test func thePagesOwnScriptsAreStillScripts() throws {
        let page = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "Sources/TrimPage/Page")
        let scratch = FileManager.default.temporaryDirectory.appending(path: "light-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: scratch, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: scratch) }
        var count = 0
        let files = try #require(FileManager.default.enumerator(at: page, includingPropertiesForKeys: nil))
        for case let file as URL in files where file.pathExtension == "js" {
            let written = try Data(contentsOf: file)
            let sent = LightText.script(Array(written))
            #expect(sent.count < written.count && lines(sent) == lines(Array(written)))
            // Nothing is left to be taken.
            #expect(LightText.script(sent) == sent, "\(file.lastPathComponent)")
            try Data(sent).write(to: scratch.appending(path: "\(count).mjs"))
            count += 1
        }
        #expect(count > 12)
        guard FileManager.default.isExecutableFile(atPath: "/usr/bin/node") else { return }
        for number in 0..<count {
            let node = Process()
            node.executableURL = URL(filePath: "/usr/bin/node")
            node.arguments = ["--check", scratch.appending(path: "\(number).mjs").path]
            try node.run()
            node.waitUntilExit()
            #expect(node.terminationStatus == 0)
        }
    }
}
