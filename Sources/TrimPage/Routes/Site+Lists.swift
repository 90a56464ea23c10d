// Lists of ranges: read from and written as those of other programs, and saved beside the film.
internal import Lists
internal import Media
internal import Platform
internal import Text
internal import TrimClient
internal import Wire

extension Site {
    /// The ranges of a list that the browser sends.
    func ranges(_ item: Library.Item, _ request: HTTPRequest) throws(MediaError) -> HTTPResponse {
        let body = try Site.object(request)
        let bytes = Array((body["text"]?.string ?? "").utf8)
        let name = body["name"]?.string ?? ""
        guard let format = ListFormat(name: name, bytes: bytes) else {
            throw MediaError(
                .invalidRequest, "'\(name.prefix(80))' is no list that can be read",
                remedy: "give a CSV, EDL, llc, OTIO, JSON lines or chapters")
        }
        return Site.json(200, .object(try read(bytes, format, item, request)))
    }

    /// The browser's ranges as a list.
    func list(_ item: Library.Item, _ request: HTTPRequest) throws(MediaError) -> HTTPResponse {
        let body = try Site.object(request)
        guard let format = body["format"]?.string.flatMap(ListFormat.init(rawValue:)) else {
            throw MediaError(.invalidRequest, "there is no format of a list")
        }
        let written = try write(body, format, item, request)
        return Site.json(
            200,
            [
                "name": .string(EditFile.name(of: item.name, format)), "text": .string(written.text),
                "notes": .array(written.notes.map { .string($0.message) }),
            ])
    }

    /// The ranges that are saved beside a file.
    func saved(_ item: Library.Item, _ request: HTTPRequest) throws(MediaError) -> HTTPResponse {
        guard let saving else { return Site.json(200, ["format": nil]) }
        let file = EditFile(of: item.path, saving, in: folder)
        guard let (bytes, version) = try file.read() else {
            return Site.json(200, ["format": .string(saving.rawValue), "name": .string(file.name)])
        }
        var answer = try read(bytes, saving, item, request)
        answer["format"] = .string(saving.rawValue)
        answer["name"] = .string(file.name)
        answer["version"] = .string(version)
        return Site.json(200, .object(answer))
    }

    /// Saves the browser's ranges beside a file, unless another program changed them meanwhile.
    func save(_ item: Library.Item, _ request: HTTPRequest) throws(MediaError) -> HTTPResponse {
        guard let saving else {
            throw MediaError(
                .invalidRequest, "ranges are not saved here", remedy: "start the page with --save llc")
        }
        let body = try Site.object(request)
        let written = try write(body, saving, item, request)
        let file = EditFile(of: item.path, saving, in: folder)
        let version = try file.write(written.text, replacing: body["version"]?.string)
        return Site.json(200, ["name": .string(file.name), "version": .string(version)])
    }

    private func asset(_ item: Library.Item, _ request: HTTPRequest) throws(MediaError) -> Media.Asset {
        try Site.decoded(try ask(.assetProbe, ProbeParams(path: item.path), item, request))
    }

    private func write(
        _ body: [String: JSONValue], _ format: ListFormat, _ item: Library.Item, _ request: HTTPRequest
    ) throws(MediaError) -> WrittenList {
        try PageRanges.written(
            body["ranges"], format, name: item.name, path: item.path, of: try asset(item, request))
    }

    private func read(
        _ bytes: [UInt8], _ format: ListFormat, _ item: Library.Item, _ request: HTTPRequest
    ) throws(MediaError) -> [String: JSONValue] {
        try PageRanges.read(bytes, format, name: item.name, of: try asset(item, request))
    }
}
