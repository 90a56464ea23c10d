// The output for the option value `help`: lists of values too long for --help.
internal import Media

/// A help topic.
enum HelpTopic: Hashable, Sendable {
    /// The keys of metadata.
    case metadata

    /// The text.
    var page: String {
        switch self {
        case .metadata: HelpTopic.keys
        }
    }

    private static var keys: String {
        var table = Columns([("KEY", .left), ("VALUE", .left), ("OTHER NAMES", .left)])
        for key in MetadataKey.all {
            table.add([key.name, MetadataValue.words(key.form), key.otherNames.joined(separator: " ")])
        }
        return table.text(within: nil) + """

            Any of a key's names is taken. A key of your own has a dot in it, as com.example.key.
            An empty value (--metadata genre=) leaves the source's out. Keys that the file type cannot hold are listed as dropped.

            """
    }
}
