// `trimctl frame`: asks the daemon for the frame at a time as an image file, and prints which frame it is. A worker decodes and
// draws; no media is parsed here.
internal import Media
internal import MediaTime
internal import TrimClient
internal import Wire

/// `trimctl frame`.
struct FrameCommand: Command {
    let arguments: Arguments
    let surroundings: Surroundings

    init(_ arguments: Arguments, _ surroundings: Surroundings) {
        self.arguments = arguments
        self.surroundings = surroundings
    }

    func run() throws(MediaError) -> Int32 {
        guard let at = arguments.time(.at) else {
            throw UsageError.of(
                "--at is missing", remedy: "say which time, for example: trimctl frame in.mov --at 1:10")
        }
        var params = FrameParams(path: input, at: at)
        params.picture = arguments.given(.picture).map(surroundings.output)
        params.overwrite = arguments.has(.overwritePicture) ? true : nil
        params.width = arguments.number(.pictureWidth).map { Int($0) }
        params.variant = try arguments.variant()
        let shown = ShownPicture(arguments, surroundings)
        params.preview = shown.preview(of: params.picture)
        return try Session.run(arguments, surroundings) { daemon throws(MediaError) in
            let report: FrameReport = try OpenedFiles.passing(
                params.path, output: params.picture ?? params.path, to: daemon
            ) { files throws(MediaError) in
                try daemon.call(.assetFrame, params, passing: files)
            }
            if asJSON { console.json(report) } else { console.print(FrameText.page(report)) }
            shown.show(report.output, size: (report.width, report.height), preview: report.preview)
            return 0
        }
    }
}
