// The files that a source consists of, those of a playlist or several sources: opened by whoever may open files, a few at a time, and
// measured once. Any thread. It knows names and numbers; it reads no bytes but the first few of each file.
public import Libav
public import Media
package import Playlists
internal import Synchronization
internal import Text

/// Opens files for a worker that opens none itself.
public protocol FileOpening: Sendable {
    /// Opens files in order, each or why it cannot be: of a playlist by their names relative to its folder, several sources by their numbers.
    func open(_ names: [String]) -> [Result<OpenSegment, MediaError>]
}

/// The files of one source.
package final class PlaylistFiles: Sendable {
    /// A file as it was measured.
    package struct Measure: Hashable, Sendable {
        package var size: Int64
        package var identity: String
    }

    /// What the files are called in errors, by number.
    package let names: [String]
    /// By what names they are opened.
    private let opened: [String]
    private let numbers: [RelativeName: Int]
    private let opening: any FileOpening
    private let measures = Mutex<[Int: Measure]>([:])
    private let failed = Mutex<MediaError?>(nil)

    /// How many files are opened at a time.
    private static let batch = 16

    /// The files that a playlist names.
    package init(_ names: [RelativeName], _ opening: any FileOpening) {
        self.names = names.map(\.path)
        self.opening = opening
        opened = self.names
        numbers = Dictionary(uniqueKeysWithValues: names.enumerated().map { ($1, $0) })
    }

    /// Several sources, by their paths.
    package init(paths: [String], _ opening: any FileOpening) {
        names = paths
        self.opening = opening
        opened = paths.indices.map(String.init)
        numbers = [:]
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
            let files = opening.open(numbers.map { opened[$0] })
            guard files.count == numbers.count else {
                throw MediaError(.unknown, "opened \(files.count) of \(quantity(numbers.count, "file"))")
            }
            for (number, result) in zip(numbers, files) {
                if case .success(let file) = result {
                    measures.withLock { $0[number] = Measure(size: file.size, identity: file.identity) }
                }
                try body(number, result)
            }
        }
    }

    /// The measure of a file; nil if it could not be opened.
    package func measure(of number: Int) -> Measure? { measures.withLock { $0[number] } }

    /// A text that differs where one of the files does; of several sources, wherever these lie.
    package var identity: String {
        measures.withLock { all in
            all.sorted { $0.key < $1.key }.map { "\(opened[$0.key]) \($0.value.identity)" }
                .joined(separator: ";")
        }
    }

    /// Opens files to be read; nil, and `failure` says why, if one cannot be opened or has changed.
    package func open(_ numbers: [Int]) -> [OpenSegment]? {
        var files: [OpenSegment] = []
        for (number, result) in zip(numbers, opening.open(numbers.map { opened[$0] })) {
            switch result {
            case .success(let file) where file.identity == measure(of: number)?.identity: files.append(file)
            case .success:
                fail(
                    MediaError(
                        .sourceChanged, "\(names[number]) was written to while it was read",
                        remedy: "try again once it is complete"))
            case .failure(let error): fail(error)
            }
        }
        return files.count == numbers.count ? files : nil
    }

    private func fail(_ error: MediaError) { failed.withLock { $0 = $0 ?? error } }
}
