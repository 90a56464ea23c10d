// Finds the programs of trimd's installation. It looks whether files exist, and starts none.
internal import FoundationEssentials

/// A program of trimd's installation.
package enum InstalledProgram {
    /// Its path: beside the program that asks, in the folders of its installation, or on the path; nil: it is in none.
    /// - Parameter own: the path of the program that asks, without links.
    package static func path(
        of name: String = "trimd", beside own: String?, in environment: [String: String]
    ) -> String? {
        var folders: [String] = []
        if let parts = own?.split(separator: "/"), !parts.isEmpty {
            let beside = "/" + parts.dropLast().joined(separator: "/")
            let above = "/" + parts.dropLast(2).joined(separator: "/")
            folders += [beside] + ["/libexec/trimd", "/libexec", "/sbin", "/bin"].map { above + $0 }
        }
        folders += (environment["PATH"] ?? "").split(separator: ":").map(String.init)
        for folder in folders where folder.hasPrefix("/") {
            let path = folder + "/" + name
            var isFolder = false
            if FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), !isFolder,
                FileManager.default.isExecutableFile(atPath: path)
            {
                return path
            }
        }
        return nil
    }
}
