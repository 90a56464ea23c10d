// Requests about one file: its facts, pictures, waveform and segments, its own bytes, and exports of it.
internal import Glibc
internal import Media
internal import MediaTime
internal import Platform
internal import Text
internal import TrimClient
internal import Wire

extension Site {
    /// Answers a request about a file.
    func asset(_ id: String, _ part: String, _ request: HTTPRequest) throws(MediaError) -> HTTPResponse {
        guard let item = library.item(id) else {
            throw MediaError(
                .fileNotFound, "the file is gone, or was not named when the page was started",
                remedy: "choose another, or start the page anew")
        }
        if let refusal = try refusal(of: item, request) { return refusal }
        switch (request.method, part) {
        case ("GET", "probe"):
            var params = ProbeParams(path: item.path)
            if request.arguments["keyframes"] == "1" { params.keyframes = true }
            return Site.json(200, try ask(.assetProbe, params, item, request))
        case ("GET", "thumbnails"): return try thumbnails(item, request)
        case ("GET", "waveform"): return try waveform(item, request)
        case ("GET", "segment"): return try segment(item, request)
        case ("GET", "cues"): return try cues(item, request)
        case ("GET", "file"), ("HEAD", "file"): return try bytes(item, request)
        case ("POST", "ticket"):
            let ticket = gate.sessions.ticket(
                of: gate.session(of: request) ?? "", for: "/api/assets/\(item.id)/file")
            return Site.json(200, ["ticket": .string(ticket)])
        case ("GET", "draft"):
            let (own, earlier) = drafts.drafts(of: item)
            return Site.json(200, ["draft": own, "earlier": earlier])
        case ("POST", "draft"):
            try drafts.keep(try Site.object(request)["draft"] ?? .null, of: item)
            return Site.json(200, .object([:]))
        case ("POST", "check"):
            var params = try Site.object(request).filter { Site.rangeKeys.contains($0.key) }
            params["path"] = .string(item.path)
            let check: CheckParams = try Site.read(params)
            return Site.json(200, try ask(.assetCheck, check, item, request))
        case ("POST", "plan"):
            return Site.json(200, try submit(.jobPlan, item, request))
        case ("POST", "export"):
            return Site.json(200, try submit(.jobSubmit, item, request))
        case ("GET", "artwork"):
            let picture = try artwork.picture(of: request.arguments["key"] ?? "")
            return HTTPResponse(200, picture.type, .bytes(picture.bytes), [("Cache-Control", "no-store")])
        case ("POST", "artwork"): return Site.json(200, ["artwork": .string(try artwork.keep(request))])
        case ("POST", "ranges"): return try ranges(item, request)
        case ("POST", "list"): return try list(item, request)
        case ("GET", "saved"): return try saved(item, request)
        case ("POST", "saved"): return try save(item, request)
        default: return .text(404, "there is nothing at this address")
        }
    }

    static let rangeKeys: Set<String> = ["start", "end", "duration", "keep", "remove", "snap"]
    /// The members that the page may send: none of them names a file.
    private static let exportKeys: Set<String> = rangeKeys.union([
        "preset", "render", "options", "chapters", "key", "priority", "noHidden", "overwrite",
    ])

    func ask(
        _ method: Method, _ params: some Encodable, _ item: Library.Item, _ request: HTTPRequest
    ) throws(MediaError) -> JSONValue {
        let daemon = try connect(request)
        return try OpenedFiles.passing(item.path, to: daemon) { files throws(MediaError) in
            try daemon.call(method, params, passing: files, returning: JSONValue.self)
        }
    }

    /// Submits an export, or asks for its plan.
    private func submit(
        _ method: Method, _ item: Library.Item, _ request: HTTPRequest
    ) throws(MediaError) -> JSONValue {
        let body = try Site.object(request)
        var params = body.filter { Site.exportKeys.contains($0.key) }
        params["input"] = .string(item.path)
        var metadata: [String: JSONValue] = [:]
        metadata["items"] = body["metadata"]?["items"]
        var output = folder
        if let name = body["name"]?.string, !name.isEmpty {
            guard !name.contains("/"), !name.contains("\0"), !name.hasPrefix(".") else {
                throw MediaError(
                    .invalidRequest, "'\(name)' is not a name for a file",
                    remedy: "leave out slashes and a dot in front")
            }
            output = (folder ?? String(item.path[...(item.path.lastSlash ?? item.path.startIndex)])) + name
        }
        if let output { params["output"] = .string(output) }
        if body["overwrite"] == true {
            guard let output, restriction == nil || !output.endsInSlash else {
                throw MediaError(
                    .invalidRequest, "an output that replaces another has a name", remedy: "give it one")
            }
            try checkOutput(output, request)
        }
        let daemon = try connect(request)
        var picture: String?
        if let key = body["artwork"]?.string {
            picture =
                try daemon.runsAsAnotherUser
                ? artwork.lay(key, beside: output ?? item.path) : artwork.path(of: key)
        }
        metadata["artwork"] = picture.map { .string($0) }
        if !metadata.isEmpty { params["metadata"] = .object(metadata) }
        do throws(MediaError) {
            let asked: SubmitParams = try Site.read(params)
            guard asked.options?.burnedFile == nil else {
                throw MediaError(
                    .invalidRequest, "the page draws subtitle tracks of the film, and no other files",
                    remedy: "trimctl export --burn-subtitles FILE draws a file")
            }
            let answer = try OpenedFiles.passing(
                item.path, output: output ?? item.path, artwork: picture, to: daemon
            ) { files throws(MediaError) in
                guard method == .jobSubmit else {
                    return try daemon.call(method, asked, passing: files, returning: JSONValue.self)
                }
                return try daemon.commit(method, asked, passing: files, returning: JSONValue.self)
            }
            if method != .jobSubmit { ArtworkFolder.clear(picture) }
            return answer
        } catch {
            // Where the answer is lost the job may be there all the same.
            if error.code != .noDaemon { ArtworkFolder.clear(picture) }
            throw error
        }
    }

    // MARK: Previews

    private func number(_ name: String, _ request: HTTPRequest) -> Int? {
        request.arguments[name].flatMap { Int($0) }
    }

    private func spelling(_ text: String?) throws(MediaError) -> TimeSpelling? {
        guard let text else { return nil }
        do { return try TimeSpelling.parse(text) } catch {
            throw MediaError(
                .invalidTime, "'\(text)' is not a time",
                remedy: "write it as 70.5, 1:10.5, 250f (a frame), 01:00:10:12 (timecode) or end-3")
        }
    }

    private func thumbnails(_ item: Library.Item, _ request: HTTPRequest) throws(MediaError) -> HTTPResponse {
        var times: [TimeSpelling] = []
        for text in (request.arguments["at"] ?? "").split(separator: ",").prefix(ThumbnailsParams.most) {
            if let time = try spelling(String(text)) { times.append(time) }
        }
        var params = ThumbnailsParams(path: item.path, at: times)
        params.width = number("width", request)
        params.keyframes = request.arguments["key"] == "1"
        params.subtitles = number("subtitles", request)
        return try preview(.assetThumbnails, params, item, request)
    }

    private func segment(_ item: Library.Item, _ request: HTTPRequest) throws(MediaError) -> HTTPResponse {
        guard let start = try spelling(request.arguments["start"])?.assetTime,
            let duration = try spelling(request.arguments["duration"])?.assetTime
        else {
            throw MediaError(
                .invalidRequest, "a segment has a start and a duration, in seconds or value/timescale")
        }
        var params = SegmentParams(path: item.path, start: start, duration: duration)
        params.width = number("width", request)
        params.track = number("track", request)
        params.subtitles = number("subtitles", request)
        return try preview(.assetSegment, params, item, request)
    }

    private func waveform(_ item: Library.Item, _ request: HTTPRequest) throws(MediaError) -> HTTPResponse {
        var params = WaveformParams(path: item.path, buckets: number("buckets", request) ?? 1000)
        params.start = try spelling(request.arguments["start"])
        params.end = try spelling(request.arguments["end"])
        params.track = number("track", request)
        let bytes = try cached(params, .assetWaveform, item) { () throws(MediaError) in
            try ask(.assetWaveform, params, item, request).encoded
        }
        return HTTPResponse(200, "application/json", .bytes(bytes), [("Cache-Control", "no-store")])
    }

    private func cues(_ item: Library.Item, _ request: HTTPRequest) throws(MediaError) -> HTTPResponse {
        guard let track = number("track", request) else {
            throw MediaError(.invalidRequest, "cues are of a track: track=2")
        }
        var params = CuesParams(path: item.path, track: track)
        params.start = try spelling(request.arguments["start"])
        params.end = try spelling(request.arguments["end"])
        let bytes = try cached(params, .assetCues, item) { () throws(MediaError) in
            try ask(.assetCues, params, item, request).encoded
        }
        return HTTPResponse(200, "application/json", .bytes(bytes), [("Cache-Control", "no-store")])
    }

    /// The report and the file of a preview, one behind the other: four bytes with the length of the report, the report, the file.
    private func preview(
        _ method: Method, _ params: some Encodable, _ item: Library.Item, _ request: HTTPRequest
    ) throws(MediaError) -> HTTPResponse {
        let bytes = try cached(params, method, item) { () throws(MediaError) in
            let daemon = try connect(request)
            let (report, files) = try OpenedFiles.passing(item.path, to: daemon) { files throws(MediaError) in
                try daemon.callForFiles(method, params, passing: files, returning: JSONValue.self)
            }
            guard let file = files.take(0) else {
                throw MediaError(
                    .internalError, "trimd sent no file", remedy: "install all programs from one release")
            }
            let text = report.encoded
            var all = (0..<4).map { UInt8(truncatingIfNeeded: text.count >> (24 - 8 * $0)) } + text
            do throws(SystemError) {
                var at: Int64 = 0
                while true {
                    let piece = try PreviewCache.read(file, from: at)
                    if piece.isEmpty { break }
                    at += Int64(piece.count)
                    all += piece
                }
            } catch { throw MediaError(.inputOutput, "\(error)") }
            return all
        }
        return HTTPResponse(200, "application/octet-stream", .bytes(bytes), [("Cache-Control", "no-store")])
    }

    private func cached(
        _ params: some Encodable, _ method: Method, _ item: Library.Item,
        _ make: () throws(MediaError) -> [UInt8]
    ) throws(MediaError) -> [UInt8] {
        guard let words = try? JSONValue(encoding: params).encoded else { return try make() }
        let asked = String(decoding: words, as: UTF8.self)
        let key = "\(method.rawValue) \(item.version) \(item.changed) \(asked)"
        if let known = cache.bytes(of: key) { return known }
        let made = try make()
        cache.keep(made, of: key)
        return made
    }

    // MARK: The file's own bytes

    private func bytes(_ item: Library.Item, _ request: HTTPRequest) throws(MediaError) -> HTTPResponse {
        let raw = unsafe open(item.path.nameBytes, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        var status = stat()
        guard raw >= 0, unsafe fstat(raw, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            if raw >= 0 { close(raw) }
            throw MediaError(
                .fileNotFound, "\(item.name) cannot be opened", remedy: "see whether it is still there")
        }
        let size = UInt64(status.st_size)
        let type = Site.type(of: item.name)
        guard let header = request.headers["range"] else {
            return HTTPResponse(200, type, .file(raw, offset: 0, count: size), [("Accept-Ranges", "bytes")])
        }
        guard let range = ByteRange(header, size: size) else {
            close(raw)
            return HTTPResponse(
                416, "text/plain", .bytes([]), [("Content-Range", "bytes */\(size)")])
        }
        return HTTPResponse(
            206, type, .file(raw, offset: range.first, count: range.count),
            [
                ("Accept-Ranges", "bytes"),
                ("Content-Range", "bytes \(range.first)-\(range.first + range.count - 1)/\(size)"),
            ])
    }

    private static func type(of name: String) -> String {
        switch name.split(separator: ".").last?.lowercased() ?? "" {
        case "mp4", "m4v": "video/mp4"
        case "mov": "video/quicktime"
        case "webm": "video/webm"
        case "mkv": "video/x-matroska"
        case "m4a", "m4b": "audio/mp4"
        case "mp3": "audio/mpeg"
        case "wav": "audio/wav"
        case "flac": "audio/flac"
        case "ogg", "oga", "opus": "audio/ogg"
        case "gif": "image/gif"
        default: "application/octet-stream"
        }
    }
}
