// Questions before an export: which presets are valid, how large the output will be, how much of the source fits. trimd answers them
// with asset.check, by the rules that the export itself follows.
public import Media
public import MediaTime
internal import Wire

extension ExportSession {
    /// The IDs of all presets that trimd has.
    /// - Parameter socket: the socket of trimd; nil: as for ``Asset/init(url:socket:)``.
    public static func allExportPresets(socket: String? = nil) async throws(ExportError) -> [String] {
        try await DaemonThread.run(socket: socket) { daemon throws(MediaError) in
            let list: PresetListResult = try daemon.call(.presetList)
            return list.presets.map(\.id)
        }
    }

    /// The IDs of the presets that are valid for an asset.
    public static func exportPresets(compatibleWith asset: Asset) async throws(ExportError) -> [String] {
        try await report(CheckParams(path: try asset.path()), asset).presets.filter(\.valid).map(\.id)
    }

    /// Whether a preset is valid for an asset, in which file types, how it renders, and why not.
    /// - Parameters:
    ///   - preset: The preset's ID.
    ///   - asset: The source.
    ///   - outputFileType: The output's type; nil: any.
    public static func compatibility(
        ofExportPreset preset: String, with asset: Asset, outputFileType: FileType? = nil
    ) async throws(ExportError) -> PresetCompatibility {
        let params = CheckParams(path: try asset.path(), preset: .id(preset), type: outputFileType?.rawValue)
        return try await result(params, asset)
    }

    /// The estimated size of the output in bytes; nil if it cannot be told.
    public var estimatedOutputFileLength: Int64? {
        get async throws(ExportError) { try await compatibility().estimatedBytes?.likely }
    }

    /// The longest part of the source that fits ``fileLengthLimit``; without a limit infinite.
    public var estimatedMaximumDuration: Time {
        get async throws(ExportError) {
            guard fileLengthLimit > 0 else { return .positiveInfinity }
            return try await compatibility().estimatedMaximumDuration ?? .invalid
        }
    }

    /// Whether this session's preset is valid for its asset, range and settings, with the estimates for them.
    public func compatibility() async throws(ExportError) -> PresetCompatibility {
        let request = try request()
        var params = CheckParams(
            path: request.input, preset: request.preset ?? .id("passthrough"), type: outputFileType?.rawValue)
        params.range = request.range
        params.options = request.options
        return try await ExportSession.result(params, asset)
    }

    private static func report(
        _ params: CheckParams, _ asset: Asset
    ) async throws(ExportError) -> CompatibilityReport {
        try await DaemonThread.run(socket: asset.socket) { daemon throws(MediaError) in
            try daemon.check(params)
        }
    }

    /// The result for the one preset of a question. An asset that cannot be exported at all, such as a protected one, is compatible with
    /// none.
    private static func result(
        _ params: CheckParams, _ asset: Asset
    ) async throws(ExportError) -> PresetCompatibility {
        let report = try await report(params, asset)
        if let result = report.presets.first { return result }
        var id = ""
        if case .id(let asked) = params.preset { id = asked }
        return PresetCompatibility(
            id: id, valid: false, fileTypes: [], render: nil, reasons: [report.reason].compactMap(\.self),
            warnings: [])
    }
}
