// Films whose frames are coded as two fields each, which no encoder here makes: written bit by bit by Tests/Fixtures/field-film.
import MediaTime
import Testing

/// How a film of fields is made.
struct FieldFilm: CustomTestStringConvertible, Sendable {
    var codec = "h264"
    var rate = "25"
    var type = "ts"
    /// `apart`: a packet a field; `together`: a packet a frame.
    var packets = "apart"
    var frames = 60
    /// More words of the program.
    var words: [String] = []
    var testDescription: String {
        "\(codec) at \(rate) in \(type), \(packets) \(words.joined(separator: " "))"
    }

    /// Frames a second.
    var framesPerSecond: Ratio { Ratio(rate) ?? Ratio(25) }

    /// Makes it in the scratch folder.
    func make(in scratch: Scratch) throws -> String {
        let file = scratch.name(type)
        try Tool.make(
            file,
            by: [
                "/usr/bin/python3", Paths.checkout + "/Tests/Fixtures/field-film", file, "--codec", codec,
                "--rate", rate, "--packets", packets, "--frames", "\(frames)",
            ] + words)
        return file
    }

    /// Every container and layout of a codec at the rates of interlaced film.
    static func everywhere(_ codec: String) -> [FieldFilm] {
        ["25", "30000/1001"].flatMap { rate in
            ["ts", "mts", "mkv", "mp4"].flatMap { type in
                ["apart", "together"].map { FieldFilm(codec: codec, rate: rate, type: type, packets: $0) }
            }
        }
    }
}
