// One parser of ours, as a fuzzer sees it: bytes go in, and whatever they are it answers or refuses. The rules for an
// answer is a precondition: it ends the process, and the fuzzer keeps the bytes that did it. A value; any thread. It is
// used twice: by libFuzzer (main.swift, `make test-fuzz`) and by a sample in the tests (MutationTests).

/// A parser under test.
struct FuzzTarget: Sendable, CustomStringConvertible {
    /// How it is called on the command line.
    let name: String
    /// Texts it takes: where the fuzzer begins.
    let seeds: [String]
    /// Feeds it; whether it took the bytes.
    let feed: @Sendable (_ bytes: [UInt8]) -> Bool

    var description: String { name }

    /// Every one.
    static let all = wire + texts + [terminal] + lists + page + [playlist, subtitles]

    /// The one that the command line names.
    static let chosen = all.first { $0.name == CommandLine.arguments.dropFirst().first }
}
