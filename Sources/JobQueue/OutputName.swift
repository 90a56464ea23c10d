// OutputName: the name of a job's output, which the queue reserves while the job is unfinished, so that no two unfinished jobs
// share a name. Pure values; the store checks the table, the caller the disk.

/// The name of an output.
public enum OutputName: Hashable, Sendable {
    /// The user named it; `replaces`: an existing file may be replaced.
    case named(folder: String, name: String, replaces: Bool)
    /// The queue numbers it: `stem`, `stem-2`, `stem-3` and so on. `free` are numbers whose names are free on the disk, lowest
    /// first; `fileTypes` are the possible extensions of the output.
    case numbered(folder: String, stem: String, free: [Int], fileTypes: [String])

    /// The table's key of a name that the user gave: the path.
    static func key(_ folder: String, _ name: String) -> String {
        folder == "/" ? "/" + name : folder + "/" + name
    }

    /// The table's key of a numbered name: the path up to the dot, since the extension is known only once the output is made.
    /// It cannot collide with a user's name, which has an extension and so never ends in a dot.
    static func key(_ folder: String, _ stem: String, _ number: Int) -> String {
        key(folder, number > 1 ? "\(stem)-\(number)." : "\(stem).")
    }
}
