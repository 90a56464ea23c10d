// Opened movies that nobody reads at the moment. An export opens its source a dozen times: each track has a reader of its own, and
// each check another. Reading the index takes longer than all else that a short copy does; the next reader of the same file takes an
// idle one instead. A file that has changed since is opened anew.
internal import Synchronization

/// The idle movies of this process.
final class IdleMovies: Sendable {
    static let shared = IdleMovies()

    private let movies = Mutex<[OpenedMovie]>([])
    /// Movies that are kept: the tracks of one, which are read at the same time.
    private static let most = 4
    /// Samples in the indexes of all of them: some 40 bytes each.
    private static let mostSamples = 500_000

    /// Takes a movie of this file, at its beginning; nil if there is none.
    func take(_ source: SourceFile) -> OpenedMovie? {
        guard movies.withLock({ !$0.isEmpty }), let version = SourceVersion(source) else { return nil }
        let found = movies.withLock { movies in
            movies.lastIndex { $0.version == version }.map { movies.remove(at: $0) }
        }
        guard let found, found.begin() else { return nil }
        return found
    }

    /// Keeps a movie for its next reader; the one that was left longest ago closes.
    func keep(_ movie: OpenedMovie) {
        guard movie.samples <= IdleMovies.mostSamples else { return }
        // They close after the lock is open.
        let closing = movies.withLock { movies in
            var closing: [OpenedMovie] = []
            while movies.count >= IdleMovies.most
                || movies.reduce(movie.samples, { $0 + $1.samples }) > IdleMovies.mostSamples
            {
                closing.append(movies.removeFirst())
            }
            movies.append(movie)
            return closing
        }
        _ = closing
    }

    /// Closes all of them.
    func close() {
        let closing = movies.withLock { movies in
            defer { movies = [] }
            return movies
        }
        _ = closing
    }
}
