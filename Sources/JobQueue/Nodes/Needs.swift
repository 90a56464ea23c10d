// Needs: what a job needs of the node that does it: tags that the user named, the roots that its paths lie beneath, or the node that
// accepted it, where no other has its files. A value; the queue stores its text, and claims match it.

/// The needs of a job of a node.
public struct Needs: Hashable, Sendable {
    /// Tags; `/NAME`: a root; `@NAME`: a node; `#WORD`: what older releases cannot do. In order.
    public let words: [String]

    /// The words, each once.
    public init(_ words: some Sequence<String>) { self.words = Set(words).sorted() }

    /// Parses the text of `text`.
    init(text: String) { self.init(text.split(separator: ",").map(String.init)) }

    /// The words, as they are stored.
    var text: String { words.joined(separator: ",") }

    /// The tags alone, as the user named them.
    public var tags: [String] { words.filter { !["/", "@", "#"].contains($0.prefix(1)) } }

    /// The word for a root.
    public static func root(_ name: String) -> String { "/" + name }

    /// The word for a node.
    public static func node(_ name: String) -> String { "@" + name }

    /// The word for several sources: a release that does not know them would export the first alone.
    static let sources = "#sources"

    /// What this release can do, and older ones cannot.
    static let features: Set = [sources]

    /// Whether a node of this release that has these words may do the job.
    public func areMet(by abilities: Set<String>) -> Bool {
        abilities.union(Needs.features).isSuperset(of: words)
    }

    /// The needs that no node has that starts jobs, for people: those words that none has, or all where none has them together; empty if one
    /// has all.
    public func unmet(among nodes: [NodeRecord]) -> [String] {
        let active = nodes.filter { !$0.isGone && !$0.isDraining && !$0.node.isDraining }.map(
            \.node.abilities)
        guard !active.contains(where: areMet) else { return [] }
        let missing = words.filter { word in !active.contains { $0.contains(word) } }
        return (missing.isEmpty ? words : missing).map(Needs.shown)
    }

    private static func shown(_ word: String) -> String {
        switch word.first {
        case "/": "root \(word.dropFirst())"
        case "@": "node \(word.dropFirst())"
        case "#": "a release of trimd that knows \(word.dropFirst())"
        default: word
        }
    }

    /// The most different needs of one user's jobs that the queue knows.
    static let mostSets = 256
}
