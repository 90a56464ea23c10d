// The command line of trim-page. Pure but for the kinds of the named files.
internal import Glibc
internal import Lists
internal import Media
internal import Platform
internal import Text

/// The command line, read.
struct PageArguments {
    /// The daemon's socket.
    var socket = ""
    /// A Unix socket to listen on, for a reverse proxy; nil: 127.0.0.1.
    var listen: String?
    /// The names by which a reverse proxy is asked.
    var hosts: [String] = []
    /// The folder of the page's own files; nil: where they are installed.
    var files: String?
    /// The folder of outputs; nil: beside each file.
    var output: String?
    /// It goes on when the terminal is closed.
    var isKept = false
    /// Opens the page in a browser.
    var opens = false
    /// The format in which ranges are saved beside each file; nil: they are not.
    var saving: ListFormat?
    /// The highest rating that is shown without a PIN; nil: there is no PIN.
    var limit: AgeRating?
    /// Files without a rating need the PIN too.
    var locksUnrated = false
    /// The file with the PIN; nil: it is asked for at the terminal.
    var pinFile: String?
    /// The named files, folders and lists.
    var paths: [String] = []

    /// Reads words.
    init(_ words: [String]) throws(MediaError) {
        var rest = words[...]
        func value(_ option: String) throws(MediaError) -> String {
            guard let value = rest.popFirst() else { throw PageArguments.wrong("\(option) needs a value") }
            return value
        }
        while let word = rest.popFirst() {
            switch word {
            case "--socket": socket = try value(word)
            case "--listen": listen = try value(word)
            case "--host": hosts.append(try value(word))
            case "--files": files = try value(word)
            case "--output": output = try value(word)
            case "--keep": isKept = true
            case "--open": opens = true
            case "--save":
                let name = try value(word)
                guard let format = ListFormat(rawValue: name), ListFormat.written.contains(format) else {
                    let all = ListFormat.written.map(\.rawValue).joined(separator: ", ")
                    throw PageArguments.wrong("--save: '\(name)' is none of \(all)")
                }
                saving = format
            case "--restrict":
                let name = try value(word)
                limit = AgeRating(name)
                guard limit != nil else {
                    throw PageArguments.wrong(
                        "--restrict: '\(name)' is no rating: write PG-13, TV-MA, FSK 12, or an age such as 12"
                    )
                }
            case "--restrict-unrated": locksUnrated = true
            case "--pin-file": pinFile = try value(word)
            case "--":
                paths += rest
                rest = []
            default:
                guard !word.hasPrefix("-") else { throw PageArguments.wrong("there is no option \(word)") }
                paths.append(word)
            }
        }
        guard !socket.isEmpty, !paths.isEmpty else {
            throw PageArguments.wrong("trim-page is started by `trimctl page FILE`")
        }
        if listen != nil, hosts.isEmpty {
            throw PageArguments.wrong("--listen needs --host: the name by which the reverse proxy is asked")
        }
        if locksUnrated, limit == nil {
            throw PageArguments.wrong(
                "--restrict-unrated needs --restrict: the highest rating that is shown without the PIN")
        }
        if pinFile != nil, limit == nil {
            throw PageArguments.wrong(
                "--pin-file needs --restrict: the highest rating that is shown without the PIN")
        }
        if let path = paths.first(where: { !$0.isAbsolutePath }) {
            throw PageArguments.wrong("'\(path)' is not absolute")
        }
    }

    private static func wrong(_ words: String) -> MediaError { MediaError(.invalidRequest, words) }

    /// The library of the named paths: a folder's files, a list's, or the file.
    func library() throws(MediaError) -> Library {
        var files: [String] = []
        var folders: [String] = []
        for path in paths {
            switch Library.kind(of: path) {
            case S_IFDIR: folders.append("/" + path.pathNames.joined(separator: "/"))
            case S_IFREG where PageArguments.isList(path): files += try PageArguments.files(ofList: path)
            case S_IFREG: files.append(path)
            case nil:
                throw MediaError(.fileNotFound, "there is no file \(path)", remedy: "see to its spelling")
            default: throw MediaError(.notARegularFile, "\(path) is neither a file nor a folder")
            }
        }
        return Library(files: files, folders: folders)
    }

    private static func isList(_ path: String) -> Bool {
        ["txt", "list", "m3u", "m3u8"].contains(path.split(separator: ".").last?.lowercased() ?? "")
    }

    /// The files of a list: one path a line, relative to the list's folder; `#` begins a comment.
    private static func files(ofList path: String) throws(MediaError) -> [String] {
        var bytes: [UInt8] = []
        do throws(SystemError) {
            let file = try Descriptor(opening: path, O_RDONLY)
            while bytes.count < 1 << 20 {
                let piece = try PreviewCache.read(file, from: Int64(bytes.count))
                if piece.isEmpty { break }
                bytes += piece
            }
        } catch { throw MediaError(.inputOutput, "\(error)") }
        let folder = path.lastSlash.map { String(path[..<$0]) } ?? ""
        return String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline).map(String.init)
            .map { $0.trimmed }.filter { !$0.isEmpty && !$0.hasPrefix("#") && !$0.contains("\0") }
            .map { $0.isAbsolutePath ? $0 : folder + "/" + $0 }
    }
}

extension String {
    /// Without blanks at its ends.
    fileprivate var trimmed: String {
        String(drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
    }
}
