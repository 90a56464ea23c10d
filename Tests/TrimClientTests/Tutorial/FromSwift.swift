import Foundation
import TrimClient

/// The example of the guide.
func exportPartOfFilm() async throws {
    let session = ExportSession(asset: Asset(url: URL(filePath: "film.mp4")))
    session.timeRange = TimeRange(start: Time(4, 1), end: Time(25, 2))
    let job = try await session.export(to: URL(filePath: "film-part.mp4"))
    print(job.output, job.bytes ?? 0)
}
