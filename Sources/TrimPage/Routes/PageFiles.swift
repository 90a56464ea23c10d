// The files of the page itself: those of one folder and of its elements, by their names. Read at each request, so that a browser's reload shows a change.
internal import Glibc
internal import Media
internal import Platform
internal import Text

/// The page's files.
struct PageFiles: Sendable {
    private let folder: String
    private let names: Set<String>

    private static let types = [
        "html": "text/html; charset=utf-8", "js": "text/javascript; charset=utf-8",
        "css": "text/css; charset=utf-8",
        "svg": "image/svg+xml",
    ]

    /// The files of a folder; throws where the page is not in it.
    init(folder: String) throws(MediaError) {
        self.folder = folder
        let elements = Kernel.names(in: folder + "/elements").map { "elements/" + $0 }
        names = Set(
            (Kernel.names(in: folder) + elements).filter {
                PageFiles.type(of: $0) != nil && !$0.hasPrefix(".") && !$0.hasPrefix("elements/.")
            })
        guard names.contains("index.html") else {
            throw MediaError(
                .fileNotFound, "the files of the page are not in \(folder)",
                remedy: "install trimd whole, or name their folder with --files")
        }
    }

    private static func type(of name: String) -> String? {
        name.split(separator: ".").last.flatMap { types[String($0)] }
    }

    /// A file of the page.
    func answer(_ request: HTTPRequest) -> HTTPResponse {
        let name = request.path == "/" ? "index.html" : String(request.path.dropFirst())
        guard request.method == "GET" || request.method == "HEAD" else {
            return .text(405, "this can only be read")
        }
        guard names.contains(name), let type = PageFiles.type(of: name),
            let file = try? Descriptor(opening: folder + "/" + name, O_RDONLY)
        else { return .text(404, "there is nothing at this address") }
        var bytes: [UInt8] = []
        while let piece = try? PreviewCache.read(file, from: Int64(bytes.count)), !piece.isEmpty {
            bytes += piece
        }
        if name.hasSuffix(".js") { bytes = LightText.script(bytes) }
        if name.hasSuffix(".css") { bytes = LightText.style(bytes) }
        return HTTPResponse(200, type, .bytes(bytes), [("Cache-Control", "no-cache")])
    }

    /// Where the files are: installed, or in the sources that this program was built from.
    static func find(beside program: String?) -> String {
        var above = program?.pathNames.dropLast() ?? []
        while !above.isEmpty {
            let folder = "/" + above.joined(separator: "/")
            for path in [folder + "/share/trimd/page", folder + "/Sources/TrimPage/Page"]
            where Library.kind(of: path + "/index.html") == S_IFREG { return path }
            above = above.dropLast()
        }
        return "/usr/share/trimd/page"
    }
}
