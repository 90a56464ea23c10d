import Foundation
import TrimClient

/// Exports a film unless that takes longer than a limit, and says how it ended.
func export(_ film: Asset, preset: String, to output: URL, within limit: Duration) async -> String {
    let session = ExportSession(asset: film, preset: preset)
    let export = Task { try await session.export(to: output) }
    let timer = Task {
        try await Task.sleep(for: limit)
        export.cancel()
    }
    defer { timer.cancel() }

    do {
        let job = try await export.value
        return "\(job.output): \(job.tracks.count) tracks, \(job.warnings.count) warnings"
    } catch ExportError.cancelled {
        return "cancelled: nothing was written"
    } catch ExportError.noDaemon(let error) {
        return "trimd does not run: \(error.remedy ?? "start it")"
    } catch let error as ExportError where error.code == .diskFull {
        return "make room, and try again"
    } catch {
        return "\(error)"
    }
}
