// The list of a batch as the command line names it: read from a file or from standard input, parsed, and with the folders that its
// paths are relative to. It does not check what the list asks for: BatchPlanner does.
internal import Lists
internal import Media
internal import MediaTime
internal import Text

/// A list and where it is from.
struct BatchList {
    /// Its path, and its folder: paths in it are relative to that.
    let path: String, folder: String
    let list: ExportList
    /// The part that is the same for all runs of this list: its path.
    let identity: String
    /// The part that is the same wherever it is run: its content, with the options that say what it means.
    let digest: String
    /// The folder of its outputs; nil: of each source.
    let outputFolder: String?

    /// Maximum bytes of a list, and maximum number of exports: the whole list is checked before the first export starts.
    private static let largestList = 16 << 20, mostExports = 10_000

    /// Reads the list of a command line.
    init(_ arguments: Arguments, _ surroundings: Surroundings) throws(MediaError) {
        let word = arguments.texts.first ?? ""
        let path = word == "-" ? "/dev/stdin" : surroundings.absolute(word)
        let found =
            word == "-"
            ? Terminal.readStandardInput() : try? FileSystem.contents(path)
        guard let bytes = found else {
            let isThere = word == "-" || FileSystem.exists(path)
            throw MediaError(
                isThere ? .inputOutput : .fileNotFound,
                "the list \(path) \(isThere ? "cannot be read" : "does not exist")")
        }
        guard bytes.count <= Self.largestList else {
            throw UsageError.of(
                "the list \(path) has \(bytes.count >> 20) MiB, and a list may have \(Self.largestList >> 20)",
                remedy: "split it")
        }
        let given = arguments.given(.format).flatMap(ListFormat.init(rawValue:))
        guard let format = given ?? ListFormat(name: word == "-" ? "" : path, bytes: bytes) else {
            let all = ListFormat.allCases.map(\.rawValue).joined(separator: ", ")
            throw UsageError.of(
                "the format of \(word == "-" ? "standard input" : path) is unknown",
                remedy: "give --format: \(all)")
        }
        let rate = try arguments.rate(.batchRate)
        var list = ExportList.read(bytes, format, rate: rate)
        if arguments.has(.join) { list = list.joined() }
        guard list.exports.count <= Self.mostExports else {
            throw UsageError.of(
                "the list \(path) has \(list.exports.count) exports, and a batch may have \(Self.mostExports)",
                remedy: "split it")
        }
        identity = word == "-" ? "-" + BatchKey.hash(String(decoding: bytes, as: UTF8.self)) : path
        digest = ShardFiles.identity(bytes, arguments)
        folder = word == "-" ? Self.withoutSlash(surroundings.folder) : BatchNames.folder(of: path)
        outputFolder = arguments.given(.outputDir).map { Self.withoutSlash(surroundings.absolute($0)) }
        self.path = path
        self.list = list
    }

    private static func withoutSlash(_ path: String) -> String {
        path.endsInSlash && path.utf8.count > 1 ? String(path.dropLast()) : path
    }
}

extension Arguments {
    /// The frame rate that an option gives; nil: it is not given.
    func rate(_ option: Option) throws(MediaError) -> Ratio? {
        guard let text = given(option) else { return nil }
        guard let found = TimecodeRate.frameRate(text), 1...240 ~= found.value else {
            throw UsageError.of("--rate: '\(text)' is not a frame rate", remedy: "write 25 or 30000/1001")
        }
        return found
    }
}
