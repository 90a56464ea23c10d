// The table holds together, and help says all of it.
import Testing

@testable import trimctl

@Suite struct CommandTableTests {
    @Test(arguments: CommandTable.entries) func everyCommandIsWhole(entry: CommandEntry) {
        #expect(CommandTable.entries.filter { $0 == entry }.count == 1)
        #expect(!entry.abstract.isEmpty && !entry.abstract.hasSuffix("."))
        #expect(!entry.synopsis.isEmpty)
        #expect(!entry.exitCodes.isEmpty)
        let spellings = entry.allOptions.flatMap(\.spellings)
        #expect(Set(spellings).count == spellings.count, "an option is there twice")
        for option in entry.allOptions {
            #expect(option.help.count > 10 && !option.help.hasSuffix("."), "--\(option.name)")
            #expect(option.name.allSatisfy { $0.isLowercase || $0 == "-" })
            if let choices = option.choices, let standard = option.standard {
                #expect(choices.contains(standard))
            }
        }
        for group in entry.exclusive { #expect(group.allSatisfy(entry.options.contains)) }
        // Only the last argument may repeat, and what may be missing comes last.
        #expect(!entry.positionals.dropLast().contains { $0.isRepeatable || $0.minimum == 0 })
    }

    @Test(arguments: CommandTable.entries) func helpSaysAll(entry: CommandEntry) {
        let page = Help().page(entry)
        for option in entry.allOptions {
            #expect(page.contains(Help().signature(option)))
            for choice in option.choices ?? [] { #expect(page.contains(choice)) }
        }
        for positional in entry.positionals { #expect(page.contains("  \(positional.name)")) }
        for example in entry.examples { #expect(page.contains(example.command)) }
        for code in entry.exitCodes { #expect(page.contains("\(code.code)  \(code.meaning)")) }
    }

    @Test(arguments: CommandTable.entries) func synopsisNamesWhatIsThere(entry: CommandEntry) {
        let words = entry.synopsis.joined(separator: " ").split { " []|…".contains($0) }.map(String.init)
        for word in words where word.hasPrefix("-") {
            #expect(entry.allOptions.contains { $0.spellings.contains(word) }, "\(word)")
        }
        for positional in entry.positionals { #expect(words.contains(positional.name)) }
    }

    @Test(arguments: CommandTable.entries) func examplesParse(entry: CommandEntry) throws {
        for example in entry.examples {
            let words = example.command.split(separator: " ").map(String.init)
            #expect(words.first == "trimctl")
            guard case .run(let arguments) = try Arguments.parse(Array(words.dropFirst())) else {
                Issue.record("\(example.command) is no command")
                continue
            }
            #expect(arguments.entry == entry)
        }
    }

    /// Nothing is left over under a heading that says nothing, and no heading is empty.
    @Test(arguments: CommandTable.entries.filter(\.hasHeadings))
    func everyOptionHasAHeading(entry: CommandEntry) {
        for option in entry.allOptions { #expect(option.heading != nil, "--\(option.name)") }
        let titles = OptionHeading.allCases.map(\.rawValue)
        #expect(entry.titledOptions.map(\.title) == titles)
        #expect(entry.titledOptions.flatMap(\.options).count == entry.allOptions.count)
        let (help, manual) = (Help().page(entry), CommandPages(version: "1").page(entry))
        for title in titles {
            #expect(help.contains("\n\(title):\n") && manual.contains("\n.SS \"\(title)\"\n"), "\(title)")
        }
    }

    @Test func exportHasHeadings() { #expect(CommandTable.export.hasHeadings) }

    @Test func overviewNamesEveryCommandAndCode() {
        let text = Help().overview()
        for entry in CommandTable.shown { #expect(text.contains("  \(entry.name)")) }
        for code in CommandTable.exitCodes { #expect(text.contains(code.meaning)) }
        #expect(CommandTable.exitCodes.map(\.code) == Array(0...7))
    }

    @Test(arguments: [60, 72, 80, 100, 200]) func helpKeepsToItsWidth(width: Int) {
        let help = Help(width: width)
        for text in [help.overview()] + CommandTable.entries.map(help.page) {
            for line in text.split(separator: "\n") where !line.hasPrefix("  trimctl ") {
                #expect(line.count <= min(width, 100), "\(line)")
            }
        }
    }
}
