// RootNames: where this node has the folders that all nodes share under a name. The queue stores a path beneath one of them as
// the name and the rest, `media:/films/a.mov`, so that the folder may be at another path on each node. A value; it opens nothing.
internal import Media
internal import Text

/// The named roots of a node.
public struct RootNames: Hashable, Sendable {
    /// The paths of each: first the one that the settings give, then, where it is known, that without symbolic links.
    public var paths: [String: [String]]
    /// Folders of this node alone.
    public var own: [String]
    /// The name of this node.
    public var node: String

    /// Roots from their parts.
    public init(_ paths: [String: [String]] = [:], own: [String] = [], node: String = "") {
        (self.paths, self.own, self.node) = (paths, own, node)
    }

    /// The name of the root that a path lies beneath, the longest, and the rest; nil: beneath none. By its text: `..` is beneath none.
    func rooted(_ path: String) -> (name: String, rest: String)? {
        let parts = RootNames.parts(path)
        guard path.isAbsolutePath, !parts.contains("..") else { return nil }
        var best: (name: String, count: Int)?
        for (name, folders) in paths {
            for folder in folders {
                let own = RootNames.parts(folder)
                guard parts.starts(with: own), own.count > best?.count ?? -1 else { continue }
                best = (name, own.count)
            }
        }
        return best.map { ($0.name, "/" + parts.dropFirst($0.count).joined(separator: "/")) }
    }

    /// The stored form of a path; a stored one stays.
    func stored(_ path: String) -> String {
        guard !paths.isEmpty, let (name, rest) = rooted(path) else { return path }
        return rest == "/" ? "\(name):/" : "\(name):\(rest)"
    }

    /// The path on this node; a stored one beneath a root that it does not know stays.
    func local(_ path: String) -> String {
        guard !paths.isEmpty, !path.isAbsolutePath, let colon = path.firstIndex(of: ":"),
            let folder = paths[String(path[..<colon])]?.first
        else { return path }
        let rest = path[path.index(after: colon)...]
        if rest == "/" { return folder }
        let end = folder.lastIndex { $0 != "/" }
        return (end.map { String(folder[...$0]) } ?? "") + rest
    }

    /// A request with its paths changed.
    static func changed(_ request: ExportRequest, _ change: (String) -> String) -> ExportRequest {
        var request = request
        request.input = change(request.input)
        if let sources = request.sources {
            request.sources = sources.map { SourcePart(change($0.path), $0.range) }
        }
        request.output.folder = change(request.output.folder)
        if let artwork = request.metadata?.artwork { request.metadata?.artwork = change(artwork) }
        if let file = request.options?.burnedFile { request.options?.burnSubtitles = change(file) }
        return request
    }

    /// The needs of a request of a node, beside those its user named. A path beneath no root is this node's own where there are named
    /// roots; where there are none, all nodes have the same paths, but for those of their own.
    func needs(of request: ExportRequest) -> [String] {
        let paths = [
            request.input, request.output.folder, request.metadata?.artwork, request.options?.burnedFile,
        ]
        return (paths.compactMap(\.self) + (request.sources ?? []).map(\.path)).compactMap { path in
            let parts = RootNames.parts(path)
            if own.contains(where: { parts.starts(with: RootNames.parts($0)) }) { return Needs.node(node) }
            guard !self.paths.isEmpty else { return nil }
            return rooted(path).map { Needs.root($0.name) } ?? Needs.node(node)
        }
    }

    private static func parts(_ path: String) -> [String] { path.pathNames.filter { $0 != "." } }
}

extension Job {
    /// The job with its paths as they are on this node.
    func localized(by names: RootNames) -> Job {
        guard !names.paths.isEmpty else { return self }
        var job = self
        job.request = RootNames.changed(request, names.local)
        return job
    }
}
