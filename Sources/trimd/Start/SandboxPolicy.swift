// Whether a worker may run unsealed: set in the settings or on the command line, shown by `trimctl status`.

/// How strictly workers are sealed.
enum SandboxPolicy: String, Hashable, Decodable, Sendable, CaseIterable {
    /// A worker that cannot be sealed does nothing.
    case required
    /// It runs anyway, and the missing layers are logged as warnings.
    case bestEffort = "best-effort"

    /// The allowed values in a sentence.
    static let words = allCases.map(\.rawValue).joined(separator: " or ")
}
