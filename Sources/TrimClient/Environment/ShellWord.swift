// Words of a command line that people can copy into a shell. Pure.

/// A word for a shell.
package enum ShellWord {
    /// The word, in single quotes where a shell would read it otherwise.
    package static func quoted(_ word: String) -> String {
        let isPlain =
            !word.isEmpty
            && word.unicodeScalars.allSatisfy {
                $0.properties.isAlphabetic || ("0"..."9").contains($0)
                    || "%+,-./:=@_^".unicodeScalars.contains($0)
            }
        return isPlain ? word : inQuotes(word)
    }

    /// A text in single quotes.
    package static func inQuotes(_ text: String) -> String {
        "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
    }
}
