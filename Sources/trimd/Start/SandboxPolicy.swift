// Whether a worker may work where it cannot be sealed: said in the settings or on the command line, shown by
// `trimctl status`.

/// How strictly workers are sealed.
enum SandboxPolicy: String, Hashable, Sendable, CaseIterable {
    /// A worker that cannot be sealed does nothing.
    case required
    /// It works all the same, and what is missing is said loudly.
    case bestEffort = "best-effort"

    /// The words in a sentence.
    static let words = allCases.map(\.rawValue).joined(separator: " or ")
}
