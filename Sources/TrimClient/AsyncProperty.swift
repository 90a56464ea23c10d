// The properties of an asset that can be loaded, with the types of their values. Values.
internal import Media
public import MediaTime

/// A property of an ``Asset``, such as `.duration`, for ``Asset/load(_:)``.
public struct AsyncProperty<Value: Sendable>: Sendable {
    /// The part of the file that it is read from.
    let part: AssetProperty
    let value: @Sendable (Media.Asset) -> Value

    init(_ part: AssetProperty, _ value: @escaping @Sendable (Media.Asset) -> Value) {
        self.part = part
        self.value = value
    }
}

// MARK: Read from the headers

extension AsyncProperty where Value == Time {
    /// From time 0 to the end of the track that ends last; indefinite if that is not known.
    public static var duration: AsyncProperty { AsyncProperty(.duration) { $0.duration ?? .indefinite } }
}

extension AsyncProperty where Value == [Track] {
    /// All tracks, in the file's order.
    public static var tracks: AsyncProperty { AsyncProperty(.tracks, \.tracks) }
}

extension AsyncProperty where Value == [Chapter] {
    /// The chapters.
    public static var chapters: AsyncProperty { AsyncProperty(.chapters, \.chapters) }
}

extension AsyncProperty where Value == [MetadataItem] {
    /// The metadata, item by item.
    public static var metadata: AsyncProperty { AsyncProperty(.metadata) { $0.items ?? [] } }
}

extension AsyncProperty where Value == Bool {
    /// Whether a track is encrypted.
    public static var hasProtectedContent: AsyncProperty {
        AsyncProperty(.tracks) { $0.tracks.contains(where: \.isProtected) }
    }
}

// MARK: Read from more of the file

extension AsyncProperty where Value == [Fault] {
    /// Anything unusual or wrong, from the headers and a bounded run of packets.
    public static var faults: AsyncProperty { AsyncProperty(.timing, \.faults) }
}

extension AsyncProperty where Value == [Int: [Time]] {
    /// The keyframes of each video track, by its index. The whole file is read.
    public static var keyframes: AsyncProperty {
        AsyncProperty(.keyframes) { asset in
            Dictionary(
                asset.tracks.compactMap { track in track.keyframes.map { (track.index, $0) } },
                uniquingKeysWith: { first, _ in first })
        }
    }
}

extension AsyncProperty where Value == [Int: Int64] {
    /// The exact number of frames or packets of each track, by its index. The whole file is read.
    public static var frameCounts: AsyncProperty {
        AsyncProperty(.frameCounts) { asset in
            Dictionary(
                asset.tracks.compactMap { track in track.frameCount.map { (track.index, $0) } },
                uniquingKeysWith: { first, _ in first })
        }
    }
}
