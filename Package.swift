// swift-tools-version: 6.2
// The architecture on one page: every module, and what each may import. Any other import is a build error.
import PackageDescription

let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .strictMemorySafety(),
    .treatAllWarnings(as: .error),
]

/// A C library of the system: a module map and one shim header.
func system(_ name: String, pkgConfig: String? = nil, packages: [String] = []) -> Target {
    .systemLibrary(
        name: name, path: "Sources/System/\(name)", pkgConfig: pkgConfig,
        providers: packages.isEmpty ? nil : [.apt(packages)])
}

/// The compiler's flags for a debug build of a module that is optimised.
let optimised = ["-O", "-wmo", "-num-threads", "2"]

/// Code in C of ours: hardened as Debian's packages are, where it is optimised, which `_FORTIFY_SOURCE` needs.
func code(_ name: String, defines: [CSetting] = []) -> Target {
    #if arch(x86_64)
        let controlFlow = "-fcf-protection"
    #else
        let controlFlow = "-mbranch-protection=standard"
    #endif
    let hardening = [
        "-D_FORTIFY_SOURCE=2", "-fstack-protector-strong", "-fstack-clash-protection", controlFlow,
        "-Werror=format-security",
    ]
    return .target(
        name: name, path: "Sources/System/\(name)",
        cSettings: defines + [.unsafeFlags(hardening, .when(configuration: .release))])
}

/// A module that others import.
/// - Parameters:
///   - folder: where its own folder lies.
///   - computes: whether tests compute so much in it that it is optimised in debug builds too. That takes three times as long to compile,
///     and less if the module is compiled as a whole.
func library(
    _ name: String, _ dependencies: Target.Dependency..., in folder: String = "Sources",
    computes: Bool = false
) -> Target {
    .target(
        name: name, dependencies: dependencies, path: "\(folder)/\(name)",
        swiftSettings: settings + (computes ? [.unsafeFlags(optimised, .when(configuration: .debug))] : []))
}

/// With the fuzzer, programs are libraries without their beginning, so that it reaches their parsers.
let isFuzzing = Context.environment["TRIMD_FUZZ"] != nil

/// A program.
/// - Parameters:
///   - exclude: files in its folder that the compiler does not read.
///   - links: the linker's flags.
func tool(
    _ name: String, _ dependencies: Target.Dependency..., exclude: [String] = [], links: [LinkerSetting] = []
) -> Target {
    isFuzzing
        ? .target(
            name: name, dependencies: dependencies, path: "Sources/\(name)",
            exclude: exclude + ["main.swift"], swiftSettings: settings)
        : .executableTarget(
            name: name, dependencies: dependencies, path: "Sources/\(name)", exclude: exclude,
            swiftSettings: settings, linkerSettings: links)
}

/// The tests of one module, or of the programs together.
func tests(_ name: String, _ dependencies: Target.Dependency...) -> Target {
    .testTarget(name: name, dependencies: dependencies, path: "Tests/\(name)", swiftSettings: settings)
}

/// Every parser of ours, as a fuzzer sees it: a program with libFuzzer, or a sample in the tests.
let parserDependencies: [Target.Dependency] = [
    "trimctl", "trimd", "TrimPage", "Lists", "Playlists", "Wire", "Platform", "Media", "MediaTime", "Text",
]
let parsers: [Target] =
    isFuzzing
    ? [
        .systemLibrary(name: "CFuzzer", path: "Tests/CFuzzer"),
        .executableTarget(
            name: "fuzz", dependencies: ["CFuzzer"] + parserDependencies, path: "Tests/Fuzz",
            exclude: ["MutationTests.swift"], swiftSettings: settings),
    ]
    : [
        .testTarget(
            name: "FuzzTests", dependencies: parserDependencies, path: "Tests/Fuzz", exclude: ["main.swift"],
            swiftSettings: settings)
    ]

let package = Package(
    name: "trimd",
    products: isFuzzing
        ? []
        : ["trimd", "trim-worker", "trimctl"].map { .executable(name: $0, targets: [$0]) }
            + [
                .executable(name: "trim-page", targets: ["TrimPage"]),
                .library(name: "TrimClient", targets: ["TrimClient"]),
            ],
    targets: [
        system(
            "CFFmpeg", pkgConfig: "libavformat libavcodec libavfilter libswresample libavutil",
            packages: [
                "libavformat-dev", "libavcodec-dev", "libavfilter-dev", "libswresample-dev", "libavutil-dev",
            ]),
        system("CSQLite", pkgConfig: "sqlite3", packages: ["libsqlite3-dev"]),
        system("CPostgres", packages: ["libpq-dev"]),
        system("CSystemd", pkgConfig: "libsystemd", packages: ["libsystemd-dev"]),
        system("CMicrohttpd", pkgConfig: "libmicrohttpd", packages: ["libmicrohttpd-dev"]),
        system("CSeccomp", pkgConfig: "libseccomp", packages: ["libseccomp-dev"]),
        // Not libass.pc: its flags are those of all that it needs, some of which SwiftPM refuses.
        system("CAss", pkgConfig: "freetype2", packages: ["libass-dev"]),
        system("CGcrypt", pkgConfig: "libgcrypt", packages: ["libgcrypt20-dev"]),
        system("CLinux"),
        code("CPassLog"),
        code("CEncoderCalls"),
        // `make build` names the commit.
        code(
            "CRelease",
            defines: Context.environment["TRIMD_COMMIT"].map { [.define("TRIMD_COMMIT", to: "\"\($0)\"")] }
                ?? []),

        library("Text", computes: true),
        library("MediaTime", computes: true),
        library("Media", "MediaTime", "Text"),
        library("Lists", "Media", "MediaTime", "Text", computes: true),
        library("Platform", "Text", "CLinux"),
        library("Wire", "Platform", "Media", "MediaTime", "Text", "CLinux", "CRelease"),
        library("JobQueue", "Platform", "Media", "MediaTime", "Text", "CSQLite", "CPostgres"),
        library("Playlists", "MediaTime", "Text", computes: true),
        library("Codecs", "Media", "MediaTime", computes: true),
        library("ISOMedia", computes: true),
        library(
            "Libav", "ISOMedia", "MediaTime", "Text", "CFFmpeg", "CLinux", "CPassLog", "CEncoderCalls",
            computes: true
        ),
        library("Libass", "CAss"),
        library(
            "Source", "Codecs", "Libav", "ISOMedia", "Playlists", "Media", "MediaTime", "Text", computes: true
        ),
        library(
            "Render", "Source", "Codecs", "Libass", "Libav", "ISOMedia", "Media", "MediaTime", "Text",
            computes: true
        ),
        library(
            "Pictures", "Render", "Source", "Codecs", "Libav", "Media", "MediaTime", "Text", computes: true),
        library(
            "Check", "Pictures", "Render", "Source", "Codecs", "Libav", "Media", "MediaTime", "Text",
            computes: true
        ),
        library(
            "Export", "Check", "Pictures", "Render", "Source", "Codecs", "Libav", "Media", "MediaTime",
            "Text", computes: true
        ),

        tool(
            "trimd", "Wire", "JobQueue", "Platform", "Media", "MediaTime", "Text", "CGcrypt", "CLinux",
            "CSystemd"),
        tool(
            "trim-worker", "Wire", "Export", "Check", "Pictures", "Render", "Source", "Libass", "Libav",
            "Platform", "Media", "MediaTime", "Text", "CLinux", "CSeccomp",
            // Its forks would look up the same functions again, each in 168 libraries; and nothing can be written there afterwards.
            links: [.unsafeFlags(["-Xlinker", "-z", "-Xlinker", "now"])]),
        library("TrimClient", "Wire", "Platform", "Media", "MediaTime", "Text", "CLinux"),
        tool("trimctl", "TrimClient", "Wire", "Lists", "Platform", "Media", "MediaTime", "Text", "CLinux"),

        tool(
            "TrimPage", "TrimClient", "Wire", "Lists", "Platform", "Media", "MediaTime", "Text", "CLinux",
            "CMicrohttpd", exclude: ["Page"]),

        tests("TextTests", "Text"),
        tests("MediaTimeTests", "MediaTime"),
        tests("MediaTests", "Media", "MediaTime", "Text"),
        tests("ListsTests", "Lists", "Media", "MediaTime"),
        tests("PlaylistsTests", "Playlists", "MediaTime", "Text"),
        tests("PlatformTests", "Platform"),
        tests("WireTests", "Wire", "Platform", "Media", "MediaTime", "Text", "CLinux"),
        tests("JobQueueTests", "JobQueue", "Platform", "Media", "MediaTime", "Text"),
        library("Signals", in: "Tests", computes: true),
        tests(
            "ExportTests", "Export", "Check", "Pictures", "Render", "Source", "Codecs", "Libav", "ISOMedia",
            "Media", "MediaTime", "Text", "CLinux", "Signals"),
        tests(
            "trimctlTests", "trimctl", "TrimClient", "Lists", "Platform", "Media", "MediaTime", "Text", "Wire"
        ),
        tests("TrimClientTests", "TrimClient", "trimctl", "Wire"),
        tests("TrimPageTests", "TrimPage", "TrimClient", "Lists", "Platform", "Media", "MediaTime", "Text"),
        tests("trimdTests", "trimd", "JobQueue", "Platform", "Media", "MediaTime", "Text", "Wire"),
        tests("SystemTests", "Wire", "Platform", "Media", "MediaTime", "Text"),
    ] + parsers
)
