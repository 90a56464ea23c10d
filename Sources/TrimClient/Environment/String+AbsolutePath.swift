// Paths that a client names to the daemon, whose working folder is another one. Pure.
internal import Text

extension String {
    /// This path, absolute, without `.` and `//`. `..` stays: behind a symbolic link it is not what it seems.
    /// - Parameter folder: the working folder.
    package func absolutePath(in folder: String) -> String {
        let full = isAbsolutePath ? self : folder + "/" + self
        let parts = full.pathNames.filter { $0 != "." }
        let isFolder = full.endsInSlash && !parts.isEmpty
        return "/" + parts.joined(separator: "/") + (isFolder ? "/" : "")
    }
}
