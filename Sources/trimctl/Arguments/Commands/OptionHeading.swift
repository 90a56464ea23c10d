// The headings under which help and manual pages list the options of a command that has many. Values only.

/// A heading over options.
enum OptionHeading: String, Hashable, Sendable, CaseIterable {
    case range = "Range"
    case output = "Output"
    case video = "Video"
    case audio = "Audio"
    case metadata = "Metadata"
    case job = "Job"
}

extension CommandEntry {
    /// The options with their titles, in the order of help: by heading, or all under one title.
    var titledOptions: [(title: String, options: [Option])] {
        guard hasHeadings else { return [("Options", allOptions)] }
        let named = OptionHeading.allCases.map { heading in
            (heading.rawValue, allOptions.filter { $0.heading == heading })
        }
        let others = ("Options", allOptions.filter { $0.heading == nil })
        return (named + [others]).filter { !$0.1.isEmpty }
    }
}
