// `trimctl sheet`: asks the daemon for a contact sheet. A worker decodes and draws; no media is parsed here.
internal import Media
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
        params.columns = arguments.number(.columns).map { Int($0) }
        params.rows = arguments.number(.rows).map { Int($0) }
        params.width = arguments.number(.thumbnailWidth).map { Int($0) }
        let wanted = params
        return try Session.run(arguments, surroundings) { daemon throws(MediaError) in
            let report: SheetReport = try OpenedFiles.passing(
                wanted.path, output: wanted.picture ?? wanted.path, to: daemon
            ) { files throws(MediaError) in
                try daemon.call(.assetSheet, wanted, passing: files)
            }
            if asJSON { console.json(report) } else { console.print(FrameText.page(report)) }
            return 0
        }
    }
}
