import TrimClient

/// Prints the presets that suit a film, how each would export it, and how large the output would be.
func listPresets(for film: Asset) async throws(ExportError) -> [String] {
    let (duration, tracks) = try await film.load(.duration, .tracks)
    print("\(tracks.count) tracks, \(duration.seconds) s")

    let presets = try await ExportSession.exportPresets(compatibleWith: film)
    for preset in presets {
        let session = ExportSession(asset: film, preset: preset)
        session.timeRange = TimeRange(start: .zero, end: Time(2, 1))
        let result = try await session.compatibility()
        print(preset, result.fileTypes, result.estimatedBytes?.likely ?? 0, "bytes")
    }
    return presets
}
