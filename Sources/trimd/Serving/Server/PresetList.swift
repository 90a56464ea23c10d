// preset.list: the presets that trimd has loaded.
internal import Media
internal import Wire

extension ServerService {
    /// `preset.list`
    func presetList() -> PresetListResult {
        PresetListResult(presets: presets.presets, problems: presets.problems)
    }
}
