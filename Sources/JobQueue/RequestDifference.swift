// RequestDifference: whether two requests with the same key are equal. Pure. It ignores data that the daemon adds to an
// accepted request (numbers of names, identities of files), which may differ the second time.
public import Media
internal import MediaTime

extension ExportRequest {
    /// The members that users set, by their JSON names.
    var members: [(name: String, value: (any Encodable)?)] {
        [
            ("input", input), ("sources", sources), ("output", output.asked), ("overwrite", output.overwrite),
            ("start", start),
            ("end", end), ("duration", duration), ("preset", preset), ("fallback", fallback),
            ("render", render), ("snap", snap), ("round", round),
            ("strict", strict), ("keep", keep), ("remove", remove), ("toleranceBefore", toleranceBefore),
            ("toleranceAfter", toleranceAfter), ("noHidden", noHidden), ("options", options),
            ("chapters", chapters), ("metadata", askedMetadata),
        ]
    }

    /// The first member that differs, with both values.
    func difference(from other: ExportRequest) throws -> (name: String, own: String, other: String)? {
        for (own, theirs) in zip(members, other.members) {
            let (a, b) = (try ExportRequest.text(own.value), try ExportRequest.text(theirs.value))
            if a != b { return (own.name, a, b) }
        }
        return nil
    }

    private static func text(_ value: (any Encodable)?) throws -> String {
        guard let value else { return "none" }
        switch value {
        // The same time is the same request, however it is spelled.
        case let time as TimeSpelling: return time.assetTime.map { "\($0)" } ?? "\(time)"
        case let ranges as [RangeSpelling]:
            return try ranges.map { try $0.named?.rawValue ?? "\(text($0.start))..\(text($0.end))" }.joined(
                separator: ",")
        default: return try JSON.text(value)
        }
    }

    /// Two texts from the position where they differ: from the start of that member of the object.
    static func shown(_ own: String, _ other: String) -> (own: String, other: String) {
        let common = zip(own, other).prefix { $0 == $1 }.count
        let start = own.prefix(common).lastIndex { "{[,".contains($0) }.map {
            own.distance(from: own.startIndex, to: $0) + 1
        }
        func cut(_ text: String) -> String {
            let part = text.dropFirst(start ?? 0)
            return (start == nil ? "" : "…") + part.prefix(60) + (part.count > 60 ? "…" : "")
        }
        return (cut(own), cut(other))
    }

    private var askedMetadata: MetadataRequest? {
        var asked = metadata
        asked?.artworkPlace = nil
        return asked
    }
}

extension OutputTarget {
    /// The requested path; for an unnamed output, the folder and the stem.
    fileprivate var asked: String { (folder == "/" ? "/" : folder + "/") + (name ?? stem + "*") }
}

extension Job {
    /// Throws if the request with this job's key differs.
    public func check(isAskedBy request: ExportRequest) throws(MediaError) {
        let difference: (name: String, own: String, other: String)?
        do { difference = try self.request.difference(from: request) } catch {
            throw MediaError(.queueDamaged, "the request of job \(id) cannot be compared: \(error)")
        }
        guard let difference else { return }
        let (own, other) = ExportRequest.shown(difference.own, difference.other)
        throw MediaError(
            .invalidRequest,
            "the key '\(request.key ?? "")' belongs to job \(id), whose \(difference.name) is \(own), not \(other)",
            remedy: "give another key, or remove job \(id)")
    }
}
