// DaemonArguments: parses the daemon's command line. Pure; it opens nothing and checks no path.
internal import Media
internal import Text

/// The parsed command line.
struct DaemonArguments: Hashable, Sendable {
    var socket: String?
    var state: String?
    var workers: Int?
    var processors: Int?
    var presets: [String] = []
    var workerProgram: String?
    var config: String?
    var sandbox: SandboxPolicy?
    var forkServer: Bool?
    var fewJobs = false
    var lifeline = false
    var version = false
    var help = false

    /// The text of `--help`.
    static let usage = """
        trimd — exports trimmed media, for those who ask on its socket

        usage: trimd [options]

          --socket PATH          listen here ($TRIMD_SOCKET, /run/trimd/trimd.sock, $XDG_RUNTIME_DIR/trimd/trimd.sock)
          --state DIR            keep the queue and the logs here (/var/lib/trimd, ~/.local/state/trimd)
          --processors N         processors that all exports share (all that there are)
          --workers N            workers that export at once at most (twice as many as processors)
          --presets DIR          one more folder of presets; may be given again
          --worker-program PATH  the program trim-worker
          --sandbox POLICY       required (a worker that cannot be sealed does nothing) or best-effort
          --fork-server on|off   workers are forked from one process (on), or each is a program of its own
          --few-jobs             be ready sooner; each worker then takes longer to begin
          --config FILE          the settings (/etc/trimd/trimd.json, ~/.config/trimd/trimd.json)
          --lifeline             end when the standard input ends
          --version              print the version and exit
          --help                 print this and exit

        It stays in the foreground and logs to stderr. SIGTERM ends it; what runs then starts again with it.

        """

    private static let options = [
        "--socket", "--state", "--workers", "--processors", "--presets", "--worker-program", "--config",
        "--lifeline", "--version", "--sandbox", "--fork-server", "--few-jobs", "--help",
    ]

    /// No arguments.
    init() {}

    /// Parses the arguments, without the program's name.
    init(_ arguments: [String]) throws(MediaError) {
        var rest = arguments[...]
        while let word = rest.popFirst() {
            var name = word
            var attached: String?
            if word.hasPrefix("--"), let equals = word.firstIndex(of: "=") {
                name = String(word[..<equals])
                attached = String(word[word.index(after: equals)...])
            }
            func value() throws(MediaError) -> String {
                guard let value = attached ?? rest.popFirst(), !value.isEmpty else {
                    throw MediaError(.invalidRequest, "\(name) needs a value", remedy: "see trimd --help")
                }
                attached = nil
                return value
            }
            func number(_ range: ClosedRange<Int>) throws(MediaError) -> Int {
                let text = try value()
                guard let number = Int(text), range ~= number else {
                    throw MediaError(.invalidRequest, "\(name) is '\(text)', and must be \(range.words)")
                }
                return number
            }
            switch name {
            case "--socket": socket = try value()
            case "--state": state = try value()
            case "--presets": presets.append(try value())
            case "--worker-program": workerProgram = try value()
            case "--config": config = try value()
            case "--sandbox":
                let text = try value()
                guard let policy = SandboxPolicy(rawValue: text) else {
                    throw MediaError(
                        .invalidRequest, "--sandbox is '\(text)', and must be \(SandboxPolicy.words)")
                }
                sandbox = policy
            case "--fork-server":
                let text = try value()
                guard text == "on" || text == "off" else {
                    throw MediaError(.invalidRequest, "--fork-server is '\(text)', and must be on or off")
                }
                forkServer = text == "on"
            case "--workers": workers = try number(Configuration.workerRange)
            case "--processors": processors = try number(Configuration.processorRange)
            case "--few-jobs": fewJobs = true
            case "--lifeline": lifeline = true
            case "--version": version = true
            case "--help", "-h": help = true
            default:
                let near = nearestNames(to: name, in: DaemonArguments.options)
                throw MediaError(
                    .invalidRequest, "there is no option '\(word)'",
                    remedy: near.first.map { "did you mean \($0)?" } ?? "see trimd --help")
            }
            if attached != nil { throw MediaError(.invalidRequest, "\(name) takes no value") }
        }
    }
}
