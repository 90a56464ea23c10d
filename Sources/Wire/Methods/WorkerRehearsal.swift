// Reads and writes one message of each kind that a worker exchanges with the daemon. Swift looks up types and their conformances at
// their first use in a process, which takes longer than the message itself: a process that is forked for each request does it
// before. The values mean nothing. It opens a pair of sockets for a moment, nothing else, and starts no thread.
public import Media
internal import Platform
internal import Text

/// A rehearsal of a worker's messages.
public enum WorkerRehearsal {
    /// Reads and writes each message; throws if one is not what its type expects.
    /// - Returns: how many bytes were written.
    @discardableResult
    public static func run() throws(WireError) -> Int {
        var count = 0
        count += try pass("export", WorkerExport.self, export)
        count += try pass("verify", WorkerVerify.self, "{\"result\":\(result),\"strict\":false}")
        count += try pass("check", WorkerCheck.self, check)
        count += try pass("probe", WorkerProbe.self, #"{"keyframes":false,"name":"a.mp4"}"#)
        count += try pass("probe", Asset.self, asset)
        count += try pass("export", ExportOutcome.self, "{\"finished\":{\"_0\":\(result)}}")
        count += try pass("verify", Verified.self, #"{"warnings":[]}"#)
        count += try pass("check", CompatibilityReport.self, compatibility)
        count += try pass("progress", Progress.self, #"{"fraction":0.5,"phase":"exporting"}"#)
        count += try pass("planned", WorkerPlan.self, "{\"bytes\":100,\"length\":\(time)}")
        count += try pass("log", WorkerLog.self, #"{"line":"a line"}"#)
        count += try pass("sealed", WorkerSeal.self, #"{"landlock":1,"missing":[],"seccomp":true}"#)
        return try count + converse()
    }

    /// Sends a message with a descriptor to itself.
    private static func converse() throws(WireError) -> Int {
        let message = Message.notification(method: DaemonNotification.files.rawValue, params: .empty)
        guard var sockets = try? Descriptor.socketPair(), let first = sockets.takeFirst(),
            let second = sockets.takeSecond()
        else { return 0 }
        let passed = first.rawValue
        let (sender, receiver) = (BlockingChannel(adopting: first), BlockingChannel(adopting: second))
        try sender.send(message, passing: [passed])
        guard let (received, descriptors) = try receiver.receive(), descriptors.take(0) != nil else {
            throw .malformed("descriptors")
        }
        return received.line.count
    }

    /// The request of the export that is rehearsed; nil if it is not what its type expects.
    public static var request: ExportRequest? {
        guard let json = try? JSONValue(parsing: Array(export.utf8)) else { return nil }
        return try? json.decode(as: WorkerExport.self).request
    }

    /// Reads a message with these parameters, and writes one.
    private static func pass<Value: Codable>(
        _ method: String, _: Value.Type, _ text: String
    ) throws(WireError) -> Int {
        let line = Array(#"{"id":1,"jsonrpc":"2.0","method":"\#(method)","params":\#(text)}"#.utf8)
        let message: Message
        do throws(Message.Malformed) { message = try Message(parsing: line) } catch {
            throw .malformed(error.error.message)
        }
        guard case .request(let id, _, let params) = message else { throw .malformed(method) }
        let value = try params.decode(as: Value.self)
        return Message.response(id: id, result: try JSONValue(encoding: value)).line.count
    }

    private static let time = #"{"seconds":1,"timescale":48000,"value":48000}"#

    private static let span = "{\"start\":\(time),\"end\":\(time)}"

    private static let preset = """
        {"version":1,"id":"a","name":"A","appleName":"A","fileTypes":["m4v"],"audioOnlyFileTypes":["m4a"],
        "video":{"codec":"h264","encoder":"libx264","profile":"high","level":"3.1","maxWidth":1280,"maxHeight":720,
        "maxFrameRate":"30","crf":21,"maxBitRate":5000000,"bufferSize":10000000,"speed":"medium",
        "keyframeInterval":"2","pixelFormat":"yuv420p"},
        "audio":{"codec":"aac","encoder":"aac","bitRate":160000,"maxChannels":2,"maxSampleRate":48000}}
        """

    private static let export = """
        {"alternatives":"","threads":1,"cloneBlock":4096,"division":{},
        "request":{"input":"/a.mp4","start":"1","end":"2","preset":\(preset),
        "render":"auto","strict":false,"options":{"crf":20},"output":{"folder":"/","name":"a.m4v","stem":"a",
        "overwrite":false},
        "reader":{"groups":[0],"since":"2026-01-01T00:00:00.000Z"}}}
        """

    private static let check = """
        {"name":"a.mp4","presets":[\(preset)],"range":{"start":"1"},"options":{"crf":20}}
        """

    private static let result = """
        {"actual":\(span),"requested":\(span),"bytes":100,"dropped":[{"what":"a","reason":"b"}],"fileType":"mp4",
        "notes":[],"render":"copy","warnings":[{"code":"truncated","message":"a"}],
        "tracks":[{"actual":\(span),"codec":"h264","framesCopied":1,"framesEncoded":0,"index":0,"kind":"video",
        "source":0,"way":"copy","width":320,"height":180,"firstSyncSample":\(time),"bytesCopied":1}]}
        """

    private static let asset = """
        {"bytes":100,"chapters":[],"container":{"brand":"isom","format":"mov","name":"A"},"duration":\(time),
        "faults":[],"items":[{"key":"encoder","space":"iTunes","value":"a"}],"metadata":{"encoder":"a"},"start":\(time),
        "tracks":[{"index":0,"kind":"video","codec":"h264","isDecodable":true,"isProtected":false,
        "timebase":"1/12800","dispositions":["default"],"duration":\(time),"start":\(time),"metadata":{"a":"b"},
        "edits":[{"duration":\(time),"mediaTime":\(time),"rate":"1"}],
        "video":{"bitDepth":8,"color":{},"fieldOrder":"progressive","frameRate":"25","hasAlpha":false,"height":180,
        "isMirrored":false,"isVariable":false,"pixelFormat":"yuv420p","rotation":0,"sampleAspect":"1","width":320}},
        {"index":1,"kind":"audio","codec":"aac","isDecodable":true,"isProtected":false,"timebase":"1/48000",
        "dispositions":[],"metadata":{},"audio":{"channelLayout":"mono","channels":1,"priming":1024,
        "sampleFormat":"fltp","sampleRate":48000}}]}
        """

    private static let compatibility = """
        {"canTrim":true,"faults":[],"presets":[{"id":"a","valid":true,"fileTypes":["m4v"],"render":"copy",
        "reasons":[],"warnings":[],"estimatedBytes":{"low":1,"likely":2,"high":3},
        "types":[{"type":"m4v","valid":true,"render":"copy","reasons":[{"code":"a","message":"b"}]}]}]}
        """
}
