// swift-tools-version: 6.2

import CompilerPluginSupport
import Foundation
import PackageDescription

// The folder of the toolchain's SwiftSyntax modules, with which the macros are built: the package needs
// no network and never compiles swift-syntax. Nil if no swiftc on the PATH has them.
let hostLibraries: String? = {
  let searchPath = Context.environment["PATH"] ?? ""
  for folder in searchPath.split(separator: ":") {
    let compiler = URL(fileURLWithPath: String(folder)).appendingPathComponent("swiftc")
    guard FileManager.default.isExecutableFile(atPath: compiler.path) else { continue }
    let host = compiler.resolvingSymlinksInPath()
      .deletingLastPathComponent()
      .appendingPathComponent("../lib/swift/host")
      .standardizedFileURL
    let module = host.appendingPathComponent("SwiftSyntaxMacros.swiftmodule")
    if FileManager.default.fileExists(atPath: module.path) { return host.path }
  }
  return nil
}()

let syntaxModules = [
  "SwiftBasicFormat", "SwiftCompilerPluginMessageHandling", "SwiftDiagnostics", "SwiftIfConfig",
  "SwiftOperators", "SwiftParser", "SwiftParserDiagnostics", "SwiftSyntax", "SwiftSyntaxBuilder",
  "SwiftSyntaxMacroExpansion", "SwiftSyntaxMacros",
]
let syntaxSettings: [SwiftSetting] = hostLibraries.map { [.unsafeFlags(["-I", $0])] } ?? []
let syntaxLinking: [LinkerSetting] =
  hostLibraries.map { host in
    [.unsafeFlags(["-L", host, "-Xlinker", "-rpath", "-Xlinker", host])]
      + syntaxModules.map { .linkedLibrary($0) }
  } ?? []
// A file with one error, which the compiler shows instead of an error for each missing module.
let withoutSyntax = "WithoutSwiftSyntax.swift"

// Whether to use a library that makes logs faster without changing their lines: if its header exists,
// unless TRAVELOG_PLAIN is set when the package is built.
func hasHeader(_ name: String) -> Bool {
  guard Context.environment["TRAVELOG_PLAIN", default: ""].isEmpty else { return false }
  return ["/usr/include", "/usr/local/include"].contains {
    FileManager.default.fileExists(atPath: $0 + "/" + name)
  }
}
let hasDeflate = hasHeader("libdeflate.h")
let deflate: [Target.Dependency] = hasDeflate ? ["CDeflate"] : []
let deflateSettings: [SwiftSetting] = hasDeflate ? [.define("DEFLATE")] : []

let package = Package(
  name: "travelog",
  products: [
    .library(name: "SwiftData", targets: ["SwiftData"]),
    // Tests preload it to make system calls fail.
    .library(name: "FaultShim", type: .dynamic, targets: ["FaultShim"]),
    .executable(name: "travelog", targets: ["travelog"]),
    .executable(name: "trips", targets: ["trips"]),
    .library(name: "os", targets: ["os"]),
    .library(name: "OSLog", targets: ["OSLog"]),
    .library(name: "FoundationExtras", targets: ["FoundationExtras"]),
  ],
  targets: [
    .systemLibrary(
      name: "CSQLite",
      path: "Sources/CLibraries/CSQLite",
      pkgConfig: "sqlite3",
      providers: [.apt(["libsqlite3-dev"])]
    ),
    .systemLibrary(
      name: "CZlib",
      path: "Sources/CLibraries/CZlib",
      pkgConfig: "zlib",
      providers: [.apt(["zlib1g-dev"])]
    ),
    .target(name: "SQLite", dependencies: ["CSQLite", "Stopping"]),
    .target(name: "Format"),
    .target(name: "Stopping"),
    .target(name: "Pages"),
    .target(name: "AppleStores", dependencies: ["CZlib", "Format", "SQLite"]),
    .target(
      name: "Store",
      dependencies: ["Adoption", "AppleStores", "Format", "Pages", "SQLite", "Stopping"]
    ),
    .target(name: "Adoption", dependencies: ["Format", "SQLite"]),
    .target(
      name: "ChangeLog",
      dependencies: ["Format", "CZlib", "Stopping"] + deflate,
      swiftSettings: deflateSettings
    ),
    .target(name: "Pipeline", dependencies: ["ChangeLog", "Format", "Store"]),
    .target(name: "Audit", dependencies: ["ChangeLog", "Pipeline", "Format", "Store"]),
    // The page's markup, style and script as files, which the compiler embeds.
    .target(name: "CReportPage", path: "Sources/CLibraries/CReportPage", exclude: ["page"]),
    .target(
      name: "Report",
      dependencies: ["Audit", "CReportPage", "ChangeLog", "Pipeline", "Format", "Store"]
    ),
    .target(
      name: "SwiftDataMacroExpansion",
      exclude: hostLibraries == nil ? [] : [withoutSyntax],
      sources: hostLibraries == nil ? [withoutSyntax] : nil,
      swiftSettings: syntaxSettings
    ),
    .macro(
      name: "SwiftDataMacros",
      dependencies: ["SwiftDataMacroExpansion"],
      swiftSettings: syntaxSettings,
      linkerSettings: syntaxLinking
    ),
    .target(name: "CSwiftRuntime", path: "Sources/CLibraries/CSwiftRuntime"),
    .target(
      name: "SwiftData",
      dependencies: [
        "CSwiftRuntime", "FoundationExtras", "SQLite", "Format", "Store", "SwiftDataMacros",
      ]
    ),
    // A C module named `os`, which `import os.log` needs.
    .systemLibrary(name: "COSLog", path: "Sources/CLibraries/COSLog"),
    .target(name: "os", dependencies: ["COSLog"], path: "Sources/AppleNames/os"),
    .target(name: "OSLog", dependencies: ["os"], path: "Sources/AppleNames/OSLog"),
    .target(
      name: "FoundationExtras",
      path: "Sources/AppleNames/FoundationExtras",
      linkerSettings: [.linkedLibrary("_FoundationICU")]
    ),
    .target(name: "CommandLineKit"),
    .target(
      name: "SampleTrips",
      dependencies: ["Format", "Store", "SwiftData", "Stopping"]
    ),
    .executableTarget(
      name: "travelog",
      dependencies: [
        "Adoption", "Audit", "ChangeLog", "CommandLineKit", "Pipeline", "Report", "Format",
        "SQLite", "Store", "Stopping",
      ]
    ),
    .executableTarget(
      name: "trips",
      dependencies: [
        "CommandLineKit", "SampleTrips", "Format", "Store", "SwiftData", "Stopping",
      ]
    ),
    .target(
      name: "CBenchmarkPeer",
      dependencies: ["CSQLite", "CZlib"] + deflate,
      path: "Benchmarks/Peer",
      exclude: ["import_log.py"],
      cSettings: hasDeflate ? [.define("PEER_DEFLATE")] : [],
      linkerSettings: [.linkedLibrary("sqlite3"), .linkedLibrary("z")]
        + (hasDeflate ? [.linkedLibrary("deflate")] : [])
    ),
    .executableTarget(
      name: "Benchmarks",
      dependencies: [
        "AppleFiles", "CBenchmarkPeer", "ChangeLog", "Pipeline", "SampleTrips", "Format", "SQLite",
        "Store", "SwiftData",
      ],
      path: "Benchmarks/Ratios",
      swiftSettings: deflateSettings
    ),
    .executableTarget(
      name: "mutants",
      path: "Tools/Mutants",
      exclude: ["Switch"],
      swiftSettings: syntaxSettings,
      linkerSettings: syntaxLinking
    ),
    .testTarget(name: "HouseTests", dependencies: ["ProcessTesting", "TestSupport"]),
    .testTarget(name: "CommandLineKitTests", dependencies: ["CommandLineKit"]),
    .testTarget(
      name: "SampleTripsTests",
      dependencies: [
        "ProcessTesting", "SQLite", "SampleTrips", "Format", "Store", "SwiftData", "trips",
        "TestSupport",
      ]
    ),
    .testTarget(name: "OSTests", dependencies: ["OSLog", "os"]),
    .testTarget(name: "FoundationExtrasTests", dependencies: ["FoundationExtras"]),
    // Many apps use this setting, which hides members of modules that a file does not import.
    .testTarget(
      name: "SamplesTests",
      dependencies: ["SwiftData", "TestSupport", "os"],
      swiftSettings: [.enableUpcomingFeature("MemberImportVisibility")]
    ),
    .testTarget(name: "SQLiteTests", dependencies: ["SQLite", "StoreTesting", "TestSupport"]),
    .testTarget(
      name: "AdoptionTests",
      dependencies: [
        "Adoption", "ChangeLog", "Format", "Pipeline", "ProcessTesting", "SQLite", "Store",
        "TestSupport",
      ],
      exclude: ["Programs"]
    ),
    .testTarget(
      name: "PagesTests",
      dependencies: ["LogFuzzing", "Pages", "SQLite", "TestSupport"]
    ),
    .testTarget(
      name: "AppleStoresTests",
      dependencies: [
        "AppleFiles", "AppleStores", "Format", "ProcessTesting", "SQLite", "TestSupport",
      ]
    ),
    .testTarget(name: "FormatTests", dependencies: ["Format", "ProcessTesting", "TestSupport"]),
    .testTarget(
      name: "ChangeLogTests",
      dependencies: [
        "ChangeLog", "ProcessTesting", "Format", "Stopping", "Store", "StoreTesting",
        "TestSupport",
      ]
    ),
    .testTarget(
      name: "PipelineTests",
      dependencies: [
        "AppleFiles", "ChangeLog", "Pipeline", "PipelineTesting", "ProcessTesting", "SQLite",
        "Format", "Store",
        "StoreTesting", "TestSupport",
      ]
    ),
    .testTarget(
      name: "AuditTests",
      dependencies: [
        "Audit", "ChangeLog", "Pipeline", "PipelineTesting", "SQLite", "Format", "Store",
        "StoreTesting", "TestSupport",
      ]
    ),
    .testTarget(
      name: "ReportTests",
      dependencies: [
        "Audit", "ChangeLog", "Pipeline", "PipelineTesting", "ProcessTesting", "Report", "SQLite",
        "Format", "Store", "StoreTesting", "TestSupport",
      ]
    ),
    .target(name: "FaultShim", path: "Tests/FaultShim", linkerSettings: [.linkedLibrary("dl")]),
    .testTarget(
      name: "TravelogTests",
      dependencies: [
        "AppleFiles", "ChangeLog", "Format", "CommandLineKit", "LogFuzzing", "Pipeline",
        "PipelineTesting", "ProcessTesting", "SQLite", "Store", "StoreTesting", "TestSupport",
        "travelog", "trips",
      ]
    ),
    .target(
      name: "LogFuzzing",
      dependencies: ["AppleStores", "ChangeLog", "Pages", "Pipeline", "Format", "Store"],
      path: "Tests/Fuzz/LogFuzzing"
    ),
    .testTarget(
      name: "FuzzTests",
      dependencies: ["ChangeLog", "LogFuzzing", "Format", "Store", "TestSupport"],
      path: "Tests/Fuzz/FuzzTests"
    ),
    .target(
      name: "PipelineTesting",
      dependencies: [
        "ChangeLog", "Pipeline", "SQLite", "Format", "Store", "StoreTesting", "TestSupport",
      ],
      path: "Tests/PipelineTesting"
    ),
    // It shares no code with the reader.
    .target(name: "AppleFiles", dependencies: ["CZlib", "SQLite"], path: "Tests/AppleFiles"),
    .target(
      name: "StoreTesting",
      dependencies: ["SQLite", "Format", "Store", "TestSupport"],
      path: "Tests/StoreTesting"
    ),
    .target(name: "ProcessTesting", path: "Tests/ProcessTesting"),
    .target(name: "TestSupport", dependencies: ["Format"], path: "Tests/TestSupport"),
    .testTarget(
      name: "StoreTests",
      dependencies: [
        "Adoption", "ProcessProbe", "ProcessTesting", "SQLite", "Format", "Store", "StoreTesting",
        "TestSupport",
      ]
    ),
    .testTarget(
      name: "SwiftDataMacroTests",
      dependencies: ["SwiftDataMacroExpansion"],
      swiftSettings: syntaxSettings,
      linkerSettings: syntaxLinking
    ),
    .executableTarget(
      name: "ProcessProbe",
      dependencies: ["SwiftData"],
      path: "Tests/ProcessProbe"
    ),
    .testTarget(
      name: "SwiftDataTests",
      dependencies: [
        "AppleFiles", "ChangeLog", "Pipeline", "ProcessProbe", "ProcessTesting", "SQLite",
        "Format", "Store", "SwiftData", "TestSupport",
      ],
      exclude: ["AppleNames/AppleNames.txt"]
    ),
  ],
  swiftLanguageModes: [.v6]
)
// It needs libFuzzer, which the flags of "make fuzz" link.
if !Context.environment["TRAVELOG_FUZZ", default: ""].isEmpty {
  package.targets.append(
    .executableTarget(name: "Fuzzer", dependencies: ["LogFuzzing"], path: "Tests/Fuzz/Fuzzer")
  )
}
if hasDeflate {
  package.targets.append(
    .systemLibrary(
      name: "CDeflate",
      path: "Sources/CLibraries/CDeflate",
      pkgConfig: "libdeflate",
      providers: [.apt(["libdeflate-dev"])]
    )
  )
}
