// Which presets of a list are valid for its sources. Queries the daemon once for each combination of source, preset and options.
internal import Media
internal import Text
internal import TrimClient
internal import Wire

/// The compatibility of the presets of a list with their sources.
final class BatchCompatibility {
    private let daemon: DaemonConnection
    private var results: [String: Result<PresetCompatibility, MediaError>] = [:]

    /// Creates an empty cache of a daemon's answers.
    init(_ daemon: DaemonConnection) { self.daemon = daemon }

    /// The compatibility of a request's preset with its source, for any range: without a preset, of the one that copies samples,
    /// and where that is not valid, of the one that is used instead.
    func result(
        of request: SubmitParams
    ) throws(MediaError) -> Result<PresetCompatibility, MediaError> {
        guard request.preset == nil else { return try answer(request) }
        var request = request
        request.preset = .id(Preset.unnamed)
        let asStored = try answer(request)
        guard request.render ?? .auto == .auto, case .failure = asStored else { return asStored }
        request.preset = .id(Preset.unnamedFallback)
        let encoded = try answer(request)
        return if case .success = encoded { encoded } else { asStored }
    }

    /// The compatibility of the request's preset.
    private func answer(
        _ request: SubmitParams
    ) throws(MediaError) -> Result<PresetCompatibility, MediaError> {
        var params = CheckParams(path: request.input, preset: request.preset)
        params.options = request.options
        let key = (try? JSONValue(encoding: params)).map { String(decoding: $0.encoded, as: UTF8.self) } ?? ""
        if let known = results[key] { return known }
        let answer: Result<PresetCompatibility, MediaError>
        do throws(MediaError) {
            answer = BatchCompatibility.first(of: try daemon.check(params))
        } catch {
            if error.code == .noDaemon || error.code == .operationCancelled { throw error }
            answer = .failure(error)
        }
        results[key] = answer
        return answer
    }

    private static func first(
        of report: CompatibilityReport
    ) -> Result<PresetCompatibility, MediaError> {
        if !report.canTrim {
            let reason = report.reason
            let code = reason?.error ?? .operationNotSupported
            return .failure(
                MediaError(code, reason?.message ?? "the file cannot be trimmed", remedy: reason?.remedy))
        }
        guard let result = report.presets.first, result.valid else {
            let reason = report.presets.first?.reasons.first
            return .failure(
                MediaError(
                    .presetNotValid, reason?.message ?? "the preset is not valid for the file",
                    remedy: reason?.remedy))
        }
        return .success(result)
    }
}
