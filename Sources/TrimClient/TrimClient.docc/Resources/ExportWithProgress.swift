import Foundation
import TrimClient

/// Exports the part of a film from 1 s to 2.5 s, and prints its progress each second.
func exportPart(of film: Asset, to output: URL) async throws -> JobReport {
    let session = ExportSession(asset: film, preset: "m4v720")
    session.timeRange = TimeRange(start: Time(1, 1), end: Time(5, 2))
    session.metadata = ["title": "A part"]

    let states = session.states(updateInterval: .seconds(1))
    async let job = session.export(to: output)
    for await state in states {
        if case .exporting(let progress) = state {
            print("\(progress.phase) \(Int(progress.fraction * 100)) %")
        }
    }
    return try await job
}
