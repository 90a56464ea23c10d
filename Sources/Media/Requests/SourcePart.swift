// A file among several that one export plays one after the other. A value.
public import Text

/// One of several sources of an export, and what is taken of it. Its times are its own.
public struct SourcePart: Ranged, Hashable, Codable, StrictDecodable, Sendable {
    /// The absolute path.
    public var path: String
    /// What is taken of it; the whole, unless given.
    public var range = RangeRequest()

    /// The most sources of one export.
    public static let most = 1000

    /// Creates a part.
    public init(_ path: String, _ range: RangeRequest = RangeRequest()) {
        self.path = path
        self.range = range
    }

    /// Throws for a choice that concerns the export as a whole.
    public func validate() throws(InvalidValue) {
        if range.snap != nil || range.round != nil {
            throw InvalidValue(
                CodingKeys.range, "has snap or round, which are given for all sources together")
        }
    }
}

extension [SourcePart] {
    /// Whether only a part of one of them is taken.
    public var areCut: Bool { contains { $0.range != RangeRequest() } }

    /// Throws where they cannot be the sources of a request.
    /// - Parameters:
    ///   - input: the path of the request's input.
    ///   - range: the request's own range.
    public func check(_ input: String, _ range: RangeRequest) throws(MediaError) {
        guard (1...SourcePart.most).contains(count) else {
            throw MediaError(
                .invalidRequest, "an export has 1 to \(SourcePart.most) sources, and this one \(count)")
        }
        guard first?.path == input else {
            throw MediaError(
                .invalidRequest, "input is \(input), and the first of sources is \(first?.path ?? "none")",
                remedy: "give the first of sources as input, too")
        }
        for part in self { try part.range.check() }
        guard areCut else { return }
        guard range.start == nil, range.end == nil, range.duration == nil, range.keep == nil,
            range.remove == nil
        else {
            throw MediaError(
                .invalidRequest, "ranges of single sources are given, and one of all of them together",
                remedy: "give one of them")
        }
    }
}

/// The sources of an export, if it has several, each with its path encoded by `PathSpelling`.
@propertyWrapper
public struct SpelledSources: Hashable, Codable, Sendable {
    /// The sources, or nil.
    public var wrappedValue: [SourcePart]?

    /// Creates sources, or none.
    public init(wrappedValue: [SourcePart]?) { self.wrappedValue = wrappedValue }

    /// Decodes sources with paths or file URLs.
    public init(from decoder: any Decoder) throws {
        var parts = try [SourcePart](from: decoder)
        for (index, part) in parts.enumerated() {
            guard let path = PathSpelling.path(part.path) else {
                throw DecodingError.dataCorrupted(
                    .init(
                        codingPath: decoder.codingPath,
                        debugDescription: SpelledPath.refusal(of: part.path)))
            }
            parts[index].path = path
        }
        wrappedValue = parts
    }

    /// Encodes the sources; the container omits missing ones.
    public func encode(to encoder: any Encoder) throws {
        try wrappedValue?.map(\.spelled).encode(to: encoder)
    }
}

extension SourcePart {
    fileprivate var spelled: SourcePart { SourcePart(PathSpelling.spelled(path), range) }
}

// Synthesized Codable code calls these, so that missing sources are omitted.
extension KeyedEncodingContainer {
    /// Encodes sources if there are any.
    public mutating func encode(_ value: SpelledSources, forKey key: Key) throws {
        try value.wrappedValue.map { try encode($0.map(\.spelled), forKey: key) }
    }
}

extension KeyedDecodingContainer {
    /// Decodes sources if there are any.
    public func decode(_: SpelledSources.Type, forKey key: Key) throws -> SpelledSources {
        try decodeIfPresent(SpelledSources.self, forKey: key) ?? SpelledSources(wrappedValue: nil)
    }
}
