// The commands that work. What each one takes is in CommandTable; what it does, in Commands.

/// The word after `trimctl`.
enum Verb: String, Hashable, Sendable, CaseIterable {
    case export, batch, probe, check, presets
    case frame, sheet, verify
    case list, show, watch, wait, cancel, retry, hold, release, remove
    case log, events, status, metrics, drain, doctor
    case completions, manual, complete
}
