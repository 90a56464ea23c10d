// The files of a playlist: opened by whoever may open files, a few at a time, and measured once. Any thread. It knows names and
// numbers; it reads no bytes but the first few of each file.
public import Libav
public import Media
package import Playlists
internal import Synchronization
internal import Text

/// Opens files for a worker that opens none itself.
public protocol FileOpening: Sendable {
    /// Opens files beneath the playlist's folder by their relative names, in order, each or why it cannot be.
    func open(_ names: [String]) -> [Result<OpenSegment, MediaError>]
}

/// The files of one playlist.
package final class PlaylistFiles: Sendable {
    /// A file as it was measured.
    package struct Measure: Hashable, Sendable {
        package var size: Int64
        package var identity: String
    }

    /// The files, by number.
    package let names: [RelativeName]
    private let numbers: [RelativeName: Int]
    private let opening: any FileOpening
    private let measures = Mutex<[Int: Measure]>([:])
    private let failed = Mutex<MediaError?>(nil)

    /// How many files are opened at a time.
    private static let batch = 16

    package init(_ names: [RelativeName], _ opening: any FileOpening) {
        self.names = names
        self.opening = opening
        numbers = Dictionary(uniqueKeysWithValues: names.enumerated().map { ($1, $0) })
    }

    /// The number of a file.
    package func number(of name: RelativeName) -> Int { numbers[name] ?? 0 }

    /// The first error of a file that could be opened before.
    package var failure: MediaError? { failed.withLock { $0 } }

    /// Opens each file once; `body` sees it, or why it cannot be opened.
    package func measure(
        _ body: (Int, Result<OpenSegment, MediaError>) throws(MediaError) -> Void
    ) throws(MediaError) {
        for first in stride(from: 0, to: names.count, by: PlaylistFiles.batch) {
            let numbers = Array(first..<min(first + PlaylistFiles.batch, names.count))
            let opened = opening.open(numbers.map { names[$0].path })
            guard opened.count == numbers.count else {
                throw MediaError(.unknown, "opened \(opened.count) of \(quantity(numbers.count, "file"))")
            }
            for (number, result) in zip(numbers, opened) {
                if case .success(let file) = result {
                    measures.withLock { $0[number] = Measure(size: file.size, identity: file.identity) }
                }
                try body(number, result)
            }
        }
    }

    /// The measure of a file; nil if it could not be opened.
    package func measure(of number: Int) -> Measure? { measures.withLock { $0[number] } }

    /// A text that differs where one of the files does.
    package var identity: String {
        measures.withLock { all in
            all.sorted { $0.key < $1.key }.map { "\(names[$0.key]) \($0.value.identity)" }
                .joined(separator: ";")
        }
    }

    /// Opens files to be read; nil, and `failure` says why, if one cannot be opened or has changed.
    package func open(_ numbers: [Int]) -> [OpenSegment]? {
        var files: [OpenSegment] = []
        for (number, result) in zip(numbers, opening.open(numbers.map { names[$0].path })) {
            switch result {
            case .success(let file) where file.identity == measure(of: number)?.identity: files.append(file)
            case .success:
                fail(
                    MediaError(
                        .sourceChanged, "\(names[number]) was written to while it was read",
                        remedy: "try again once the playlist is complete"))
            case .failure(let error): fail(error)
            }
        }
        return files.count == numbers.count ? files : nil
    }

    private func fail(_ error: MediaError) { failed.withLock { $0 = $0 ?? error } }
}
