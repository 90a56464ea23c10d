// OutputName: the name that a job's output is to have, as the queue keeps it for the job while that is unfinished, so that
// no two unfinished jobs have one name. Pure values; the store asks the table, the caller looks at the disk.

/// The name that an output is to have.
public enum OutputName: Hashable, Sendable {
    /// The user named it; `replaces`: whatever has the name may be replaced.
    case named(folder: String, name: String, replaces: Bool)
    /// The queue numbers it: `stem`, `stem-2`, `stem-3` and so on. `free` are numbers whose names nothing has on the disk,
    /// lowest first; `fileTypes` are the extensions that the output may get.
    case numbered(folder: String, stem: String, free: [Int], fileTypes: [String])

    /// What the table keeps of a name that was given by the user: the path.
    static func key(_ folder: String, _ name: String) -> String {
        folder == "/" ? "/" + name : folder + "/" + name
    }

    /// What the table keeps of a numbered name: the path up to the dot, since the extension is known only when the output
    /// is made. No name that a user gives ends in a dot: it has an extension.
    static func key(_ folder: String, _ stem: String, _ number: Int) -> String {
        key(folder, number > 1 ? "\(stem)-\(number)." : "\(stem).")
    }
}
