// `trimctl sheet`: asks the daemon for a contact sheet. A worker decodes and draws; no media is parsed here.
internal import Media
internal import MediaTime
internal import TrimClient
internal import Wire

/// `trimctl sheet`.
struct SheetCommand: Command {
    let arguments: Arguments
    let surroundings: Surroundings

    init(_ arguments: Arguments, _ surroundings: Surroundings) {
        self.arguments = arguments
        self.surroundings = surroundings
    }

    func run() throws(MediaError) -> Int32 {
        var params = SheetParams(path: input)
        params.range = arguments.range
        params.picture = arguments.given(.picture).map(surroundings.output)
        params.overwrite = arguments.has(.overwritePicture) ? true : nil
        params.options = try options()
        params.variant = try arguments.variant()
        let shown = ShownPicture(arguments, surroundings)
        params.preview = shown.preview(of: params.picture)
        let wanted = params
        return try Session.run(arguments, surroundings) { daemon throws(MediaError) in
            let report: SheetReport = try OpenedFiles.passing(
                wanted.path, output: wanted.picture ?? wanted.path, to: daemon
            ) { files throws(MediaError) in
                try daemon.call(.assetSheet, wanted, passing: files)
            }
            if asJSON { console.json(report) } else { console.print(FrameText.page(report)) }
            shown.show(report.output, size: (report.width, report.height), preview: report.preview)
            return 0
        }
    }

    /// The layout that is asked for.
    private func options() throws(MediaError) -> SheetOptions {
        var options = SheetOptions()
        options.columns = arguments.number(.columns).map { Int($0) }
        options.rows = arguments.number(.rows).map { Int($0) }
        options.width = arguments.number(.thumbnailWidth).map { Int($0) }
        if let every = arguments.time(.every) {
            guard let time = every.assetTime, time.isNumeric, time > .zero else {
                throw UsageError.of("--every is not a duration", remedy: "write seconds, such as 10 or 10s")
            }
            options.every = time
        }
        if let text = arguments.given(.sheetSize) {
            let sides = text.split(separator: "x", maxSplits: 1, omittingEmptySubsequences: false).map {
                Int($0)
            }
            guard sides.allSatisfy({ $0.map { 160...16384 ~= $0 } ?? false }) else {
                throw UsageError.of(
                    "--size: '\(text)' is not a size from 160 to 16384",
                    remedy: "write the sheet's width, such as 1280, or the most it may be, such as 1280x720")
            }
            options.sheetWidth = sides[0]
            if sides.count > 1 { options.sheetHeight = sides[1] }
        }
        return options
    }
}
