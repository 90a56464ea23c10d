// Chooses the names of a batch's outputs before the first export begins: no two lines write the same file, no source is
// overwritten, and existing files follow the clash policy. Reads the disk, creates nothing.
internal import Lists
internal import Media
internal import MediaTime
internal import Text
internal import Wire

/// The policy for an output name that is taken.
enum ClashPolicy: String, Hashable, Sendable, CaseIterable {
    case number, skip, overwrite, fail
}

/// Assigns names.
struct BatchNames {
    /// The default template.
    static let standard = "{stem}-{index:03}-{label}"

    let template: NameTemplate
    let policy: ClashPolicy
    /// For an output that exists.
    var remedy = "give --clash number, skip or overwrite, or --resume"
    /// The folder for outputs, absolute; nil: the folder of each source.
    let folder: String?
    /// The list's own folder and name.
    let listFolder: String, listName: String
    /// Assigned outputs, with their lines.
    private var taken: [String: Int] = [:]
    /// The identities of all sources, by device and inode.
    private let sources: Set<String>

    init(
        _ template: NameTemplate, _ policy: ClashPolicy, folder: String?, listFolder: String,
        listName: String,
        sources: [String]
    ) {
        (self.template, self.policy, self.folder) = (template, policy, folder)
        (self.listFolder, self.listName) = (listFolder, listName)
        self.sources = Set(Set(sources).compactMap(BatchNames.identity))
    }

    /// Reserves an output that an earlier run has made.
    mutating func reserve(_ path: String, line: Int) { taken[path] = line }

    /// The path of an item's output before its name is final.
    func outputPath(_ listed: ListedExport, of input: String) -> String {
        guard let output = listed.output else {
            return (folder ?? BatchNames.folder(of: input)) + "/" + template.text
        }
        return output.isAbsolutePath ? output : (folder ?? listFolder) + "/" + output
    }

    /// Names an item's output, or marks it as skipped.
    /// - Parameter isOwn: whether this run does it: another shard may have done it already, and its output exist.
    mutating func name(_ item: inout BatchItem, _ listed: ListedExport, isOwn: Bool = true) throws(MediaError)
    {
        let target = outputPath(listed, of: item.request.input)
        let folder = BatchNames.folder(of: target)
        let last = target.lastSlash.map(target.behind) ?? target
        if listed.output != nil {
            guard !last.isEmpty, last != ".", last != "..", !BatchNames.isFolder(target) else {
                throw MediaError(.invalidRequest, "the output '\(listed.output ?? "")' names a folder")
            }
            guard last.nameLength <= NameTemplate.limit else {
                throw MediaError(
                    .invalidRequest, "the output's name has \(last.nameLength) bytes, more than 255")
            }
        }
        guard BatchNames.isFolder(folder) || willBeMade(folder) else {
            guard !FileSystem.exists(folder) else {
                throw MediaError(.notARegularFile, "the output's folder \(folder) is not a folder")
            }
            throw MediaError(
                .fileNotFound, "the output's folder \(folder) does not exist", remedy: "make it first")
        }
        for number in 1...9999 {
            let name = name(item, listed, last, number)
            let path = (folder == "/" ? "" : folder) + "/" + name
            let other = taken[path]
            let exists = FileSystem.exists(path)
            if let other, policy != .number {
                throw MediaError(
                    .fileAlreadyExists, "line \(other) has the same output, \(path)",
                    remedy: "name them apart, or give --clash number")
            }
            if other != nil { continue }
            if exists {
                if policy == .number { continue }
                if BatchNames.identity(path).map(sources.contains) == true {
                    throw MediaError(.outputIsInput, "the output \(path) is a source of this list")
                }
                switch policy {
                case _ where !isOwn: break
                case .skip: item.outcome = .skipped
                case .overwrite: item.request.overwrite = true
                case .fail, .number:
                    throw MediaError(
                        .fileAlreadyExists, "the output exists: \(path)",
                        remedy: remedy)
                }
            }
            taken[path] = item.line
            item.request.output = path
            return
        }
        throw MediaError(.fileAlreadyExists, "\(target) has 9999 numbered outputs already")
    }

    /// Whether a folder is the one for outputs, which is made before the first export, or lies on the way to it.
    private func willBeMade(_ folder: String) -> Bool {
        func plain(_ path: String) -> String {
            path.split(separator: "/").filter { $0 != "." }.joined(separator: "/") + "/"
        }
        return self.folder.map { plain($0).hasPrefix(plain(folder)) } ?? false
    }

    private func name(_ item: BatchItem, _ listed: ListedExport, _ last: String, _ number: Int) -> String {
        if listed.output != nil {
            let dot = last.lastIndex(of: ".").flatMap { $0 > last.startIndex ? $0 : nil }
            let stem = dot.map { String(last[..<$0]) } ?? last
            let type = dot.map { String(last[last.index(after: $0)...]) } ?? item.fileType
            guard number > 1 || dot == nil else { return last }
            var base = stem[...]
            let ending = (number > 1 ? "-\(number)" : "") + "." + type
            while String(base).nameLength + ending.utf8.count > NameTemplate.limit, !base.isEmpty {
                base.removeLast()
            }
            return base + ending
        }
        let stem = BatchNames.stem(BatchNames.last(item.request.input))
        let values: [NameTemplate.Field: String] = [
            .stem: stem, .index: "\(item.index)", .label: item.label ?? "", .preset: item.preset,
            .start: BatchNames.words(item.request.start), .end: BatchNames.words(item.request.end),
            .duration: BatchNames.words(item.request.duration), .line: "\(item.line)",
            .list: BatchNames.stem(listName),
        ]
        return template.name(values, fileType: item.fileType, number: number)
    }

    /// A time in a form valid in file names: `00.01.10.250`.
    private static func words(_ time: TimeSpelling?) -> String {
        guard let time else { return "" }
        guard let moment = time.assetTime else {
            return "\(time)".map { ":;".contains($0) ? "." : "\($0)" }.joined()
        }
        return moment.clock().map { $0 == ":" ? "." : "\($0)" }.joined()
    }

    static func last(_ path: String) -> String { path.pathNames.last ?? "" }

    static func stem(_ name: String) -> String {
        guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return name }
        return String(name[..<dot])
    }

    static func fileExtension(_ path: String) -> String {
        let name = last(path)
        guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return "" }
        return name[name.index(after: dot)...].lowercased()
    }

    static func folder(of path: String) -> String {
        guard let slash = path.lastSlash, slash != path.startIndex else { return "/" }
        return String(path[..<slash])
    }

    static func isFolder(_ path: String) -> Bool { FileSystem.isFolder(path) }

    /// Device and inode of a path's target; nil if it does not exist.
    private static func identity(_ path: String) -> String? {
        FileSystem.status(path).map { "\($0.device) \($0.inode)" }
    }

    /// A file's size in bytes; nil if there is none.
    static func size(_ path: String) -> Int64? { FileSystem.status(path)?.size }
}
