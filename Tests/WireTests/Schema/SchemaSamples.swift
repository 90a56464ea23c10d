// Samples of all that the daemon's socket carries, made from the types of the code: each type once with everything it can
// hold and once with nothing it can do without. SchemaTests holds them against the schema.
import Media
import MediaTime
import Text

@testable import Wire

/// A line of the socket and the definition of the schema it belongs to.
struct SchemaSample: CustomStringConvertible {
    /// The name in the schema's $defs, such as `job.get.request`.
    var definition: String
    /// The line as JSON.
    var json: JSONValue
    /// It holds nothing that may be left out.
    var isMinimal: Bool

    /// A message, as it crosses the socket.
    init(_ definition: String, _ message: Message, isMinimal: Bool) throws {
        self.definition = definition
        self.isMinimal = isMinimal
        json = try JSONValue(parsing: Array(message.line.dropLast()))
    }

    var description: String { "\(definition)\(isMinimal ? " (minimal)" : "")" }

    /// All there are.
    static func all() throws -> [SchemaSample] { try ofEachMessage() + others() }

    /// Two of each message.
    static func ofEachMessage() throws -> [SchemaSample] {
        var samples: [SchemaSample] = []
        func add(_ definition: String, _ isMinimal: Bool, _ message: Message) throws {
            samples.append(try SchemaSample(definition, message, isMinimal: isMinimal))
        }
        for full in [true, false] {
            let id: RequestID = full ? .string("k-1") : .int(1)
            for method in Method.allCases {
                let name = method.rawValue
                let params = try params(of: method, full: full)
                try add(name + ".request", !full, .request(id: id, method: name, params: params))
                try add(
                    name + ".response", !full, .response(id: id, result: try result(of: method, full: full)))
            }
            for notification in Notification.allCases {
                let name = notification.rawValue
                let params = try params(of: notification, full: full)
                try add(name + ".notification", !full, .notification(method: name, params: params))
            }
        }
        return samples
    }

    /// The parameters of a method.
    static func params(of method: Method, full: Bool) throws -> JSONValue {
        switch method {
        case .hello, .presetList, .serverStatus, .serverNodes, .serverMetrics, .serverDoctor,
            .spoolOpen:
            try JSONValue(encoding: Empty())
        case .assetProbe:
            try JSONValue(encoding: ProbeParams.sample(full))
        case .assetCheck:
            try JSONValue(encoding: full ? try CheckParams.full() : CheckParams(path: "/a.mp4"))
        case .assetFrame: try JSONValue(encoding: try FrameParams.sample(full))
        case .assetSheet: try JSONValue(encoding: try SheetParams.sample(full))
        case .assetVerify: try JSONValue(encoding: try VerifyParams.sample(full))
        case .assetThumbnails: try JSONValue(encoding: ThumbnailsParams.sample(full))
        case .assetWaveform: try JSONValue(encoding: WaveformParams.sample(full))
        case .assetSegment: try JSONValue(encoding: SegmentParams.sample(full))
        case .assetCues: try JSONValue(encoding: CuesParams.sample(full))
        case .jobSubmit, .jobPlan:
            try JSONValue(encoding: full ? try SubmitParams.full() : SubmitParams(input: "/a.mp4"))
        case .jobGet, .jobCancel, .jobRetry, .jobHold, .jobRelease, .jobRemove:
            try JSONValue(encoding: JobParams(id: 7))
        case .jobLog: try JSONValue(encoding: LogParams(id: 7, from: full ? 99 : nil))
        case .jobModify:
            try JSONValue(
                encoding: ModifyParams(
                    id: 7, priority: full ? 20 : nil, changes: full ? SubmitParams.full().changes() : [:]))
        case .spoolWrite: try JSONValue(encoding: SpoolWriteParams(path: "/s/1-a/stdin", data: "YWI="))
        case .spoolRead: try JSONValue(encoding: SpoolReadParams(path: "/s/1-a/stdin-trim.mp4", offset: 7))
        case .serverDrain:
            try JSONValue(
                encoding: DrainParams(
                    on: full ? true : nil, exit: full ? true : nil, refuse: full ? true : nil))
        case .eventsSince:
            try JSONValue(
                encoding: full
                    ? EventsParams(after: 3, since: Moment(milliseconds: 1), limit: 5, wait: Time(20, 1))
                    : EventsParams())
        case .jobList:
            try JSONValue(encoding: full ? ListParams.full() : ListParams())
        case .jobWatch:
            try JSONValue(
                encoding: full
                    ? WatchParams(ids: [1, 2], interval: Time(1, 2), boundaries: [Time(3, 1)])
                    : WatchParams())
        }
    }

    /// The answers of a method.
    static func result(of method: Method, full: Bool) throws -> JSONValue {
        switch method {
        case .hello: try JSONValue(encoding: HelloResult(version: trimdVersion, pid: 42, user: 1000))
        case .assetProbe: try JSONValue(encoding: Asset.sample(full))
        case .assetCheck: try JSONValue(encoding: CompatibilityReport.sample(full))
        case .assetFrame: try JSONValue(encoding: FrameReport.sample(full))
        case .assetSheet: try JSONValue(encoding: SheetReport.sample(full))
        case .assetVerify: try JSONValue(encoding: ComparisonReport.sample(full))
        case .assetThumbnails: try JSONValue(encoding: ThumbnailsReport.sample(full))
        case .assetWaveform: try JSONValue(encoding: WaveformReport.sample(full))
        case .assetSegment: try JSONValue(encoding: SegmentReport.sample(full))
        case .assetCues: try JSONValue(encoding: CuesReport.sample(full))
        case .presetList:
            try JSONValue(
                encoding: PresetListResult(
                    presets: [try .sample(full)],
                    problems: [PresetProblem(file: "/p/x.json", message: "key id: is missing")]))
        case .serverMetrics: try JSONValue(encoding: MetricsResult(text: "# EOF\n"))
        case .serverNodes: try JSONValue(encoding: NodesResult([.sample(full)]))
        case .serverDrain:
            try JSONValue(encoding: DrainResult(draining: true, waiting: 2, exiting: full ? true : nil))
        case .eventsSince:
            try JSONValue(
                encoding: EventsResult(
                    events: [
                        JobEvent(
                            id: 4, job: 7, event: .failed, at: Moment(milliseconds: 1), user: 1,
                            code: full ? .diskFull : nil)
                    ], last: 4))
        case .jobSubmit, .jobGet, .jobCancel, .jobRetry, .jobHold, .jobRelease, .jobModify, .jobRemove:
            try JSONValue(encoding: JobReport.sample(full))
        case .jobPlan: try JSONValue(encoding: try PlanReport.sample(full))
        case .jobList, .jobWatch: try JSONValue(encoding: [JobReport.sample(full)])
        case .jobLog: try JSONValue(encoding: LogResult(text: "accepted\n", next: full ? 9 : nil))
        case .spoolOpen:
            try JSONValue(encoding: SpoolResult(folder: "/s/1-a/", input: "/s/1-a/stdin", limit: 1 << 34))
        case .spoolWrite: try JSONValue(encoding: SpoolWritten(bytes: 2))
        case .spoolRead: try JSONValue(encoding: SpoolPiece(data: "YWI="))
        case .serverStatus: try JSONValue(encoding: StatusResult.sample(full))
        case .serverDoctor: try JSONValue(encoding: DoctorResult.sample(full))
        }
    }

    /// The parameters of a notification.
    static func params(of notification: Wire.Notification, full: Bool) throws -> JSONValue {
        switch notification {
        case .jobChanged: try JSONValue(encoding: JobReport.sample(full))
        case .jobBoundary: try JSONValue(encoding: JobBoundary(id: 7, boundary: Time(30, 1)))
        case .serverDraining: try JSONValue(encoding: ServerDraining(draining: true))
        case .jobProgress:
            try JSONValue(
                encoding: JobProgress(
                    id: 7,
                    full
                        ? Progress(
                            fraction: 0.5, phase: .exporting, speed: 2, remaining: 12.5, time: .rounded)
                        : Progress(fraction: 0, phase: .preparing)))
        }
    }

    /// Requests and answers in their other forms.
    private static func others() throws -> [SchemaSample] {
        var samples: [SchemaSample] = []
        for spelling in ["250f", "01:00:10;12", "end-30", "end", "0:10", "441000/44100"] {
            var submit = SubmitParams(input: "/a.mp4")
            submit.start = try TimeSpelling.parse(spelling)
            submit.preset = .preset(try .sample(false))
            let params = try JSONValue(encoding: submit)
            let request = Message.request(id: .null, method: Method.jobSubmit.rawValue, params: params)
            samples.append(try SchemaSample("job.submit.request", request, isMinimal: false))
        }
        for status in JobStatus.allCases {
            var report = JobReport.sample(status != .waiting)
            report.status = status
            let result = try JSONValue(encoding: report)
            let response = Message.response(id: .int(2), result: result)
            samples.append(try SchemaSample("job.get.response", response, isMinimal: false))
        }
        for isByInterval in [true, false] {
            var sheet = SheetParams(path: "/a.mp4")
            (sheet.options.width, sheet.options.rows) = isByInterval ? (320, nil) : (nil, 3)
            if isByInterval { sheet.options.every = Time(1, 3) }
            let request = Message.request(
                id: .int(3), method: Method.assetSheet.rawValue, params: try JSONValue(encoding: sheet))
            samples.append(try SchemaSample("asset.sheet.request", request, isMinimal: false))
        }
        let drain = try JSONValue(encoding: DrainParams(on: true, node: "ada"))
        let request = Message.request(id: .int(4), method: Method.serverDrain.rawValue, params: drain)
        samples.append(try SchemaSample("server.drain.request", request, isMinimal: false))
        return samples
    }
}

extension SubmitParams {
    /// The members that `job.modify` takes.
    fileprivate func changes() throws -> [String: JSONValue] {
        let members = try JSONValue(encoding: self).object?.members ?? []
        return Dictionary(
            uniqueKeysWithValues: members.filter { ModifyParams.changeable.contains($0.name) }.map {
                ($0.name, $0.value)
            })
    }
}
