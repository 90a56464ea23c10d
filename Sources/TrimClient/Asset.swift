// A media file as its user sees it: a name whose properties are loaded one by one, each when it is asked for. It opens and parses
// nothing: a sealed worker of trimd reads the file. Any task.
public import FoundationEssentials
internal import Media
internal import Synchronization
internal import Text
internal import Wire

/// A media file, whose properties are loaded one by one.
///
/// Loading fails with an ``ExportError``. A property that was loaded once is kept: a file that changes is another asset.
public final class Asset: Sendable {
    /// The file.
    public let url: URL
    /// The socket of the trimd that reads it; nil: `$TRIMD_SOCKET`, else that of the system's service, else that of the user's.
    public let socket: String?
    private let loaded = Mutex<[AssetProperty: Media.Asset]>([:])

    /// Creates an asset of a file; nothing is opened.
    public init(url: URL, socket: String? = nil) {
        self.url = url
        self.socket = socket
    }

    /// Loads properties, and returns their values in the order in which they are named.
    public func load<each Value: Sendable>(
        _ properties: repeat AsyncProperty<each Value>
    ) async throws(ExportError) -> (repeat each Value) {
        var asked: Set<AssetProperty> = []
        for property in repeat each properties { asked.insert(property.part) }
        let parts = try await parts(asked)
        // Each was loaded above.
        func value<One>(_ property: AsyncProperty<One>) throws(ExportError) -> One {
            guard let part = parts[property.part] else {
                throw ExportError(MediaError(.internalError, "trimd did not load \(property.part.rawValue)"))
            }
            return property.value(part)
        }
        return (repeat try value(each properties))
    }

    /// Loads what is not yet there, with one request.
    private func parts(
        _ asked: Set<AssetProperty>
    ) async throws(ExportError) -> [AssetProperty: Media.Asset] {
        let known = loaded.withLock { $0 }
        let missing = asked.subtracting(known.keys)
        guard !missing.isEmpty else { return known }
        let params = ProbeParams(path: try path(), properties: missing.sorted { $0.rawValue < $1.rawValue })
        let asset = try await DaemonThread.run(socket: socket) { daemon throws(MediaError) in
            try daemon.probe(params)
        }
        for part in missing {
            if let error = asset.properties?[part.rawValue]?.error { throw ExportError(error) }
        }
        return loaded.withLock { loaded in
            for part in missing { loaded[part] = asset }
            return loaded
        }
    }

    /// The file's absolute path.
    func path() throws(ExportError) -> String { try url.absolutePath() }
}

extension URL {
    /// The path of a local file, absolute. A name need not be UTF-8.
    func absolutePath() throws(ExportError) -> String {
        let text = absoluteURL.absoluteString
        guard isFileURL, let path = PathSpelling.path(text) else {
            throw ExportError(
                MediaError(
                    .invalidRequest, "\(text) is not a file of this machine",
                    remedy: "copy it here first, and name it with URL(filePath:)"))
        }
        return path.absolutePath(in: "/")
    }
}
