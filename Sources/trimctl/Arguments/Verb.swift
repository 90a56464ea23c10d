// The commands. CommandTable defines their arguments, Commands implements them.

/// The command name after `trimctl`.
enum Verb: String, Hashable, Sendable, CaseIterable {
    case export, batch, probe, check, presets
    case frame, sheet, verify, convert, page
    case list, show, watch, wait, cancel, retry, hold, release, modify, remove
    case log, events, status, metrics, nodes, drain, doctor
    case completions, manual, complete
}
