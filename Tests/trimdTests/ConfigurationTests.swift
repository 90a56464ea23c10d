// The command line, the settings file and the default paths, and which of them takes precedence.
import JobQueue
import Media
import Platform
import Testing
import Wire

@testable import trimd

@Suite struct ConfigurationTests {
    /// A user's paths, of which only the given ones exist.
    private func paths(
        user: UInt32 = 1000,
        _ environment: [String: String] = ["HOME": "/home/me", "XDG_RUNTIME_DIR": "/run/user/1000"],
        existing: Set<String> = ["/opt/bin/trim-worker"]
    ) -> Paths {
        Paths(
            user: user, environment: environment, executable: "/opt/bin/trimd", workingFolder: "/here",
            exists: { existing.contains($0) })
    }

    private func configuration(
        _ words: [String] = [], _ paths: Paths? = nil, settings: Settings? = nil, inherited: [Int32] = []
    ) throws -> Configuration {
        try Configuration(
            DaemonArguments(words), paths ?? self.paths(), inherited: inherited,
            machine: Machine(processors: 8, memory: 1 << 30, groups: "", read: { _ in nil }),
            settings: { _ in settings })
    }

    @Test func aUserWithNothingSaid() throws {
        let found = try configuration()
        #expect(found.socket == .path("/run/user/1000/trimd/trimd.sock"))
        #expect(found.state == "/home/me/.local/state/trimd")
        #expect(found.workers == 16)
        #expect(found.workerProgram == "/opt/bin/trim-worker")
        #expect(
            found.presetFolders == [
                "/opt/bin/../share/trimd/presets", "/etc/trimd/presets", "/home/me/.config/trimd/presets",
            ])
    }

    @Test func root() throws {
        let root = paths(user: 0, [:], existing: ["/usr/libexec/trimd/trim-worker"])
        let found = try configuration([], root)
        #expect(found.socket == .path("/run/trimd/trimd.sock"))
        #expect(found.state == "/var/lib/trimd")
        #expect(found.workerProgram == "/usr/libexec/trimd/trim-worker")
        #expect(found.presetFolders.count == 2)
    }

    /// systemd's folder counts most, then the user's choice, for root too.
    @Test func rootMayChooseItsStateFolder() throws {
        let own = ["XDG_STATE_HOME": "/r/state"]
        #expect(try configuration([], paths(user: 0, own)).state == "/r/state/trimd")
        let service = own.merging(["STATE_DIRECTORY": "/var/lib/trimd"]) { $1 }
        #expect(try configuration([], paths(user: 0, service)).state == "/var/lib/trimd")
    }

    @Test func onlyTheFolderOfTheUsualSocketIsTrimdsOwn() throws {
        #expect(try configuration().ownsSocketFolder)
        #expect(try configuration([], paths(user: 0, [:])).ownsSocketFolder)
        #expect(try !configuration(["--socket", "/a/s"]).ownsSocketFolder)
        #expect(try !configuration(inherited: [3]).ownsSocketFolder)
        let named = ["HOME": "/h", "TRIMD_SOCKET": "/a/s"]
        #expect(try !configuration([], paths(named)).ownsSocketFolder)
        var settings = Settings()
        settings.socket = "/a/s"
        #expect(try !configuration(settings: settings).ownsSocketFolder)
    }

    @Test func theEnvironment() throws {
        let environment = [
            "HOME": "/h", "STATE_DIRECTORY": "/s:/t", "TRIMD_SOCKET": "x.sock", "XDG_CONFIG_HOME": "/c",
        ]
        let found = try configuration([], paths(environment))
        #expect(found.state == "/s")
        #expect(found.socket == .path("/here/x.sock"))
        #expect(found.presetFolders.last == "/c/trimd/presets")
    }

    /// For root as for others, as with the state.
    @Test func rootHonoursTheFoldersOfXDG() throws {
        let root = paths(user: 0, ["HOME": "/root", "XDG_CONFIG_HOME": "/c", "XDG_STATE_HOME": "/s"])
        #expect(root.settings() == "/c/trimd/trimd.json")
        let found = try configuration([], root)
        #expect(found.state == "/s/trimd")
        #expect(found.presetFolders.suffix(2) == ["/etc/trimd/presets", "/c/trimd/presets"])
        #expect(paths(user: 0, ["HOME": "/root"]).settings() == "/etc/trimd/trimd.json")
        let unit = paths(user: 0, ["XDG_CONFIG_HOME": "/c", "CONFIGURATION_DIRECTORY": "/etc/trimd"])
        #expect(unit.settings() == "/etc/trimd/trimd.json")
    }

    @Test func classesOfErrorsThatAreRetriedAreASetting() throws {
        let settings = try Settings.parse(Array(#"{"retryErrors": ["workerStalled", "diskFull"]}"#.utf8), "x")
        #expect(try configuration(settings: settings).limits.policy.retried == [.workerStalled, .diskFull])
        #expect(try configuration().limits.policy.retried.contains(.inputOutput))
        for wrong in [#"["diskfull"]"#, #"["workerCrashed"]"#, #""diskFull""#, "[7]"] {
            let error = #expect(throws: MediaError.self) {
                try Settings.parse(Array("{\"retryErrors\": \(wrong)}".utf8), "x")
            }
            #expect(error?.message.contains("retryErrors") == true)
        }
    }

    @Test func aSystemService() throws {
        let environment = [
            "STATE_DIRECTORY": "/var/lib/trimd", "RUNTIME_DIRECTORY": "/run/trimd",
            "CONFIGURATION_DIRECTORY": "/etc/trimd",
        ]
        let service = paths(user: 990, environment)
        #expect(service.settings() == "/etc/trimd/trimd.json")
        let found = try configuration([], service)
        #expect(found.socket == .path("/run/trimd/trimd.sock"))
        #expect(found.state == "/var/lib/trimd")
        #expect(found.presetFolders.last == "/etc/trimd/presets")
    }

    @Test func aBuildInItsSources() throws {
        let here = paths(existing: ["/opt/Presets/m4v720.json", "/opt/bin/../libexec/trimd/trim-worker"])
        let found = try configuration([], here)
        #expect(found.presetFolders.first == "/opt/Presets")
        #expect(found.workerProgram == "/opt/bin/../libexec/trimd/trim-worker")
    }

    @Test func theCommandLineCountsMost() throws {
        var settings = Settings()
        settings.workers = 3
        settings.state = "/settings"
        settings.presetFolders = ["/p"]
        settings.logLevel = .debug
        let words = ["--workers=2", "--socket", "s.sock", "--presets", "q", "--presets", "/r"]
        let found = try configuration(words, settings: settings, inherited: [3])
        #expect(found.workers == 2)
        #expect(found.state == "/settings")
        #expect(found.socket == .path("/here/s.sock"))
        #expect(found.presetFolders.suffix(3) == ["/p", "/here/q", "/r"])
        #expect(found.logLevel == .debug)
    }

    @Test func rootsAreRead() throws {
        func parse(_ text: String) throws -> Settings { try Settings.parse(Array(text.utf8), "/trimd.json") }
        let settings = try parse(#"{"roots": {"read": ["/srv", "/media"], "write": ["/srv/out"]}}"#)
        #expect(settings.roots == Roots(read: ["/srv", "/media"], write: ["/srv/out"]))
        #expect(try configuration([], settings: settings).roots == settings.roots)
        #expect(try parse(#"{"roots": {}}"#).roots == Roots())
        #expect(try configuration([]).roots == Roots())
        for wrong in [#"{"read": ["srv"]}"#, #"{"write": ["/srv/../etc"]}"#, #"{"wirte": []}"#, "[]"] {
            #expect(throws: MediaError.self, "\(wrong)") { try parse(#"{"roots": \#(wrong)}"#) }
        }
    }

    /// The same folders, with the names that they have on all nodes.
    @Test func rootsMayHaveNames() throws {
        func roots(_ text: String) throws -> Roots? {
            try Settings.parse(Array(#"{"roots": \#(text)}"#.utf8), "/trimd.json").roots
        }
        var both = Roots(read: ["/mnt/media"], write: ["/mnt/media"])
        both.named = ["media": "/mnt/media"]
        #expect(try roots(#"{"media": "/mnt/media"}"#) == both)
        let parts = try #require(
            try roots(#"{"media": "/m", "read": {"films": "/f"}, "write": {"out": "/o", "films": "/f"}}"#))
        #expect(parts.read == ["/m", "/f"] && parts.write == ["/m", "/f", "/o"])
        #expect(parts.named == ["media": "/m", "films": "/f", "out": "/o"])
        let mixed = try #require(try roots(#"{"media": "/m", "read": ["/f"]}"#))
        #expect(mixed.read == ["/m", "/f"] && mixed.write == ["/m"] && mixed.named == ["media": "/m"])
        for wrong in [
            #"{"media": "m"}"#, #"{"a b": "/m"}"#, #"{"read": "/m"}"#, #"{"media": 1}"#,
            #"{"media": "/m/../n"}"#,
            #"{"read": {"a": "/a"}, "write": {"a": "/b"}}"#, #"{"read": {"a/b": "/a"}}"#,
            #"{"read": {"a": 1}}"#,
        ] {
            #expect(throws: MediaError.self, "\(wrong)") { try roots(wrong) }
        }
    }

    @Test func tagsAreRead() throws {
        func tags(_ text: String) throws -> [String]? {
            try Settings.parse(Array(#"{"tags": \#(text)}"#.utf8), "/trimd.json").tags
        }
        #expect(try tags(#"["gpu", "x.1_A-b"]"#) == ["gpu", "x.1_A-b"])
        for wrong in [#""gpu""#, #"[""]"#, #"["a,b"]"#, #"["/a"]"#, #"["@a"]"#, #"["a b"]"#] {
            #expect(throws: MediaError.self, "\(wrong)") { try tags(wrong) }
        }
    }

    @Test func systemdsSocket() throws {
        #expect(try configuration(inherited: [3]).socket == .inherited(3))
        #expect(throws: MediaError.self) { try configuration(inherited: [3, 4]) }
    }

    @Test func whatIsMissingIsNamed() throws {
        func message(_ words: [String], _ paths: Paths) -> String {
            #expect(throws: MediaError.self) { try configuration(words, paths) }.map { "\($0)" } ?? ""
        }
        #expect(message([], paths([:])).contains("XDG_RUNTIME_DIR"))
        #expect(message(["--socket", "/s"], paths([:])).contains("--state"))
        #expect(message([], paths(existing: [])).contains("--worker-program"))
        #expect(message(["--config", "no.json"], paths()).contains("/here/no.json"))
    }

    @Test(arguments: [
        ["--worker", "3"], ["--workers", "0"], ["--workers", "many"], ["--workers"], ["--socket="],
        ["film.mov"],
        ["--help=yes"],
    ]) func wrongArguments(_ words: [String]) {
        let error = #expect(throws: MediaError.self) { try DaemonArguments(words) }
        #expect(error?.code == .invalidRequest)
    }

    @Test func aMistypedOptionNamesTheNearest() {
        let error = #expect(throws: MediaError.self) { try DaemonArguments(["--sokcet", "x"]) }
        #expect(error?.remedy == "did you mean --socket?")
    }

    @Test func settingsAreRead() throws {
        let text =
            #"{"workers": 2, "logLevel": "debug", "presetFolders": ["/p"], "limits": {"jobsPerUser": 5, "retrySeconds": 7}}"#
        let settings = try Settings.parse(Array(text.utf8), "/s.json")
        #expect(settings.workers == 2)
        #expect(settings.logLevel == .debug)
        #expect(settings.presetFolders == ["/p"])
        #expect(settings.limits?.jobsPerUser == 5)
        #expect(settings.limits?.policy.retryDelay == 7000)
    }

    @Test func theGroupThatReadsTheMetricsIsFound() throws {
        func group(_ name: String) throws -> UInt32? {
            let text = #"{"metricsGroup": "\#(name)"}"#
            let settings = try Settings.parse(Array(text.utf8), "/s.json")
            return try Configuration(
                DaemonArguments(["--worker-program", "/w"]), Paths.current(),
                machine: Machine(processors: 1, memory: 1 << 30, groups: "", read: { _ in nil }),
                settings: { _ in settings }
            ).metricsGroup
        }
        #expect(try group("root") == 0)
        #expect(try group("4000010") == 4_000_010)
        #expect(
            #expect(throws: MediaError.self) { try group("no such group") }?.message.contains("metricsGroup")
                == true)
        let peer = PeerCredentials(pid: 1, uid: 5, gid: 6, groups: [7])
        #expect([6, 7].allSatisfy { Caller(peer, own: 1, metricsGroup: $0).readsMetrics })
        #expect([nil, 5, 8].allSatisfy { !Caller(peer, own: 1, metricsGroup: $0).readsMetrics })
    }

    @Test func sandboxAndLimitsAreRead() throws {
        let text =
            #"{"sandbox": "best-effort", "forkServer": false, "limits": {"stallSeconds": 30, "outputMiB": 7}}"#
        let settings = try Settings.parse(Array(text.utf8), "/s.json")
        #expect(settings.sandbox == .bestEffort && settings.forkServer == false)
        let limits = try #require(settings.limits)
        #expect(limits.stallSeconds == 30 && limits.jobSeconds == 86_400 && limits.memoryMiB == nil)
        let setup = Worker.Setup(policy: .bestEffort, limits: limits)
        #expect(
            setup.arguments == ["--sandbox", "best-effort", "--seconds", "86400", "--output", "7"])
        #expect(Worker.Setup().arguments.starts(with: ["--sandbox", "required"]))
        #expect(try DaemonArguments(["--fork-server", "off"]).forkServer == false)
        #expect(try DaemonArguments(["--fork-server=on"]).forkServer == true)
        #expect(throws: MediaError.self) { try DaemonArguments(["--fork-server", "maybe"]) }
        #expect(try DaemonArguments(["--few-jobs"]).fewJobs)
        #expect(setup.serverArguments == ["--fork-server"] + setup.arguments)
        let few = Worker.Setup(preparesForks: false)
        #expect(few.serverArguments == ["--fork-server", "--unprepared"] + few.arguments)
        #expect(try DaemonArguments(["--sandbox", "required"]).sandbox == .required)
        #expect(throws: MediaError.self) { try DaemonArguments(["--sandbox", "off"]) }
    }

    /// A setting that cannot be a PostgreSQL is refused without being shown: it may hold a password.
    @Test func theQueueIsNamed() throws {
        for queue in ["postgresql://trimd@db/trimd", "postgres:///x", "service=films", "host=/run dbname=x"] {
            let settings = try Settings.parse(Array(#"{"queue": "\#(queue)", "node": "n1"}"#.utf8), "/s.json")
            #expect(settings.queue == queue && settings.node == "n1")
        }
        for text in [#"{"queue": "mysql://a:geheim@h/x"}"#, #"{"queue": ""}"#, #"{"node": ""}"#] {
            let error = #expect(throws: MediaError.self) { try Settings.parse(Array(text.utf8), "/s.json") }
            #expect(error?.code == .invalidRequest && error?.message.contains("geheim") == false, "\(text)")
        }
    }

    @Test(arguments: [
        (#"{"sandbox": "off"}"#, "required or best-effort"), (#"{"limits": {"stall": 9}}"#, "stallSeconds"),
        (#"{"limits": {"stallSeconds": 1}}"#, "5 to 86400"),
        (#"{"worker": 2}"#, "did you mean 'workers'?"), (#"{"workers": 0}"#, "1 to 256"),
        (#"{"workers": "two"}"#, "workers"), (#"{"logLevel": "loud"}"#, "error, warning, info or debug"),
        (#"{"state": "here"}"#, "absolute"), (#"{"presetFolders": ["p"]}"#, "absolute"), ("{", "/s.json"),
        ("[]", "/s.json"),
    ]) func wrongSettings(_ text: String, _ hint: String) {
        let error = #expect(throws: MediaError.self) { try Settings.parse(Array(text.utf8), "/s.json") }
        #expect(error?.message.hasPrefix("/s.json: ") == true)
        #expect(error?.message.contains(hint) == true, "\(error?.message ?? "")")
    }
}
