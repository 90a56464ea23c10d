// The calls about files that all clients make, with the descriptors that a daemon of another user needs.
package import Media
package import Wire

extension DaemonConnection {
    /// The content of a file.
    package func probe(_ params: ProbeParams) throws(MediaError) -> Media.Asset {
        try OpenedFiles.passing(params.path, to: self) { files throws(MediaError) in
            try call(.assetProbe, params, passing: files)
        }
    }

    /// Which presets are valid for a file.
    package func check(_ params: CheckParams) throws(MediaError) -> CompatibilityReport {
        try OpenedFiles.passing(params.path, to: self) { files throws(MediaError) in
            try call(.assetCheck, params, passing: files)
        }
    }

    /// The plan of a request; nothing is exported.
    package func plan(_ request: SubmitParams) throws(MediaError) -> PlanReport {
        try passing(request) { files throws(MediaError) in try call(.jobPlan, request, passing: files) }
    }

    /// Submits a request; the job is on the daemon's disk when this returns.
    package func submit(_ request: SubmitParams) throws(MediaError) -> JobReport {
        try passing(request) { files throws(MediaError) in try commit(.jobSubmit, request, passing: files) }
    }

    private func passing<Result>(
        _ request: SubmitParams, _ body: ([Int32]) throws(MediaError) -> Result
    ) throws(MediaError) -> Result {
        try OpenedFiles.passing(
            request.input, output: request.output ?? request.input, artwork: request.metadata?.artwork,
            subtitles: request.options?.burnedFile, to: self, body)
    }
}
