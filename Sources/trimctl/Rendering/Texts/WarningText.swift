// Formats warnings: one line for each thing said, whatever number of tracks it is said of. Text only; the JSON has them all.
internal import Media

/// Formats warnings.
enum WarningText {
    /// A line for each message and time, in the order of the first; with the tracks where it is said of several. The time comes first:
    /// at the end it would belong to what the message proposes.
    static func lines(_ warnings: [Warning]) -> [String] {
        var lines: [(text: String, tracks: [Int])] = []
        for warning in warnings {
            let position = warning.time.map { "at \(Units.clock($0)): " } ?? ""
            let text = (position + warning.message).oneLine
            let index = lines.firstIndex { $0.text == text } ?? lines.endIndex
            if index == lines.endIndex { lines.append((text, [])) }
            if let track = warning.track, !lines[index].tracks.contains(track) {
                lines[index].tracks.append(track)
            }
        }
        return lines.map { line in
            guard line.tracks.count > 1 else { return line.text }
            return line.text + " (tracks \(line.tracks.map(String.init).joined(separator: ", ")))"
        }
    }
}
