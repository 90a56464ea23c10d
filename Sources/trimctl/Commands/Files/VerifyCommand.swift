// `trimctl verify`: asks the daemon whether a file exactly matches a range of another, and prints the result. It compares
// nothing itself; a worker decodes both files.
internal import Media
internal import TrimClient
internal import Wire

/// `trimctl verify`.
struct VerifyCommand: Command {
    let arguments: Arguments
    let surroundings: Surroundings

    init(_ arguments: Arguments, _ surroundings: Surroundings) {
        self.arguments = arguments
        self.surroundings = surroundings
    }

    func run() throws(MediaError) -> Int32 {
        let output = surroundings.absolute(arguments.texts.dropFirst().first ?? "")
        var params = VerifyParams(path: input, output: output)
        params.range = arguments.range
        params.options = try arguments.exportOptions(in: surroundings)
        params.picture = arguments.given(.joins).map(surroundings.absolute)
        params.overwrite = arguments.has(.overwritePicture) ? true : nil
        if arguments.has(.show), params.picture == nil {
            throw UsageError.of("--show needs an image", remedy: "add --picture joins.png")
        }
        let shown = ShownPicture(arguments, surroundings)
        params.preview = shown.preview(of: params.picture)
        let wanted = params
        return try Session.run(arguments, surroundings) { daemon throws(MediaError) in
            let report: ComparisonReport = try OpenedFiles.passing(
                wanted.path, output: wanted.picture ?? output, artwork: output, to: daemon
            ) { files throws(MediaError) in
                try daemon.call(.assetVerify, wanted, passing: files)
            }
            if asJSON {
                console.json(report)
            } else {
                console.print(FrameText.page(report, of: output))
            }
            if let path = report.picture {
                let size = (width: report.pictureWidth ?? 0, height: report.pictureHeight ?? 0)
                shown.show(path, size: size, preview: report.preview)
            }
            return report.exact ? 0 : 1
        }
    }
}
