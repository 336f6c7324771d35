// swift-tools-version: 6.2

import CompilerPluginSupport
import Foundation
import PackageDescription

// The macros are built with the SwiftSyntax modules that every toolchain carries beside its
// compiler, so that the package needs nothing from the network and swift-syntax is never compiled.
let hostLibraries: String = {
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
  fatalError(
    "No swiftc on the PATH has SwiftSyntax beside it (lib/swift/host/SwiftSyntaxMacros.swiftmodule)."
      + " Install a Swift 6.2 or newer toolchain from swift.org and put its bin folder on the PATH."
  )
}()

let syntaxModules = [
  "SwiftBasicFormat", "SwiftCompilerPluginMessageHandling", "SwiftDiagnostics", "SwiftIfConfig",
  "SwiftOperators", "SwiftParser", "SwiftParserDiagnostics", "SwiftSyntax", "SwiftSyntaxBuilder",
  "SwiftSyntaxMacroExpansion", "SwiftSyntaxMacros",
]
let syntaxSettings: [SwiftSetting] = [.unsafeFlags(["-I", hostLibraries])]
let syntaxLinking: [LinkerSetting] =
  [.unsafeFlags(["-L", hostLibraries, "-Xlinker", "-rpath", "-Xlinker", hostLibraries])]
  + syntaxModules.map { .linkedLibrary($0) }

// A library that makes logs faster, and changes no line of them. It is used where its header is, unless
// TRAVELOG_PLAIN is set when the package is built.
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
    // What tests load before other libraries, to make system calls fail.
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
      pkgConfig: "sqlite3",
      providers: [.apt(["libsqlite3-dev"])]
    ),
    .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
    .target(name: "SQLite", dependencies: ["CSQLite"]),
    .target(name: "Store", dependencies: ["SQLite"]),
    .target(
      name: "ChangeLog",
      dependencies: ["CZlib", "Store"] + deflate,
      swiftSettings: deflateSettings
    ),
    .target(name: "Pipeline", dependencies: ["ChangeLog", "Store"]),
    .target(name: "Audit", dependencies: ["ChangeLog", "Pipeline", "Store"]),
    .target(name: "Report", dependencies: ["Audit", "ChangeLog", "Pipeline", "Store"]),
    .target(name: "SwiftDataMacroExpansion", swiftSettings: syntaxSettings),
    .macro(
      name: "SwiftDataMacros",
      dependencies: ["SwiftDataMacroExpansion"],
      swiftSettings: syntaxSettings,
      linkerSettings: syntaxLinking
    ),
    .target(name: "CSwiftRuntime"),
    .target(name: "SwiftData", dependencies: ["CSwiftRuntime", "Store", "SwiftDataMacros"]),
    .target(name: "os"),
    .target(name: "OSLog", dependencies: ["os"]),
    .target(name: "FoundationExtras"),
    .target(name: "CommandLineKit"),
    .target(name: "JSON5"),
    .target(name: "SampleTrips", dependencies: ["Store", "SwiftData"]),
    .executableTarget(
      name: "travelog",
      dependencies: [
        "Audit", "ChangeLog", "CommandLineKit", "JSON5", "Pipeline", "Report", "Store",
      ]
    ),
    .executableTarget(
      name: "trips",
      dependencies: ["CommandLineKit", "SampleTrips", "Store", "SwiftData"]
    ),
    .target(name: "Samples", dependencies: ["SwiftData", "OSLog", "FoundationExtras"]),
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
        "CBenchmarkPeer", "ChangeLog", "Pipeline", "SampleTrips", "Store", "SwiftData",
      ],
      path: "Benchmarks/Ratios",
      swiftSettings: deflateSettings
    ),
    .testTarget(name: "HouseTests", dependencies: ["ProcessTesting"]),
    .testTarget(name: "CommandLineKitTests", dependencies: ["CommandLineKit"]),
    .testTarget(name: "JSON5Tests", dependencies: ["JSON5"]),
    .testTarget(
      name: "SampleTripsTests",
      dependencies: ["ProcessTesting", "SQLite", "SampleTrips", "Store", "SwiftData", "trips"]
    ),
    .testTarget(name: "OSTests", dependencies: ["OSLog"]),
    .testTarget(name: "FoundationExtrasTests", dependencies: ["FoundationExtras"]),
    .testTarget(name: "SamplesTests", dependencies: ["Samples"]),
    .testTarget(name: "SQLiteTests", dependencies: ["SQLite", "StoreTesting"]),
    .testTarget(
      name: "ChangeLogTests",
      dependencies: ["ChangeLog", "ProcessTesting", "StoreTesting"]
    ),
    .testTarget(
      name: "PipelineTests",
      dependencies: ["ChangeLog", "Pipeline", "ProcessTesting", "Store", "StoreTesting"]
    ),
    .testTarget(
      name: "AuditTests",
      dependencies: [
        "Audit", "ChangeLog", "Pipeline", "PipelineTesting", "Store", "StoreTesting",
      ]
    ),
    .testTarget(
      name: "ReportTests",
      dependencies: [
        "Audit", "ChangeLog", "Pipeline", "PipelineTesting", "ProcessTesting", "Report", "SQLite",
        "Store", "StoreTesting",
      ]
    ),
    .target(name: "FaultShim", path: "Tests/FaultShim", linkerSettings: [.linkedLibrary("dl")]),
    .testTarget(
      name: "TravelogTests",
      dependencies: [
        "ChangeLog", "CommandLineKit", "ProcessTesting", "SQLite", "Store", "StoreTesting",
        "travelog", "trips",
      ]
    ),
    .target(
      name: "LogFuzzing",
      dependencies: ["ChangeLog", "Pipeline", "Store"],
      path: "Tests/Fuzz/LogFuzzing"
    ),
    .testTarget(
      name: "FuzzTests",
      dependencies: ["ChangeLog", "LogFuzzing", "Store", "StoreTesting"],
      path: "Tests/Fuzz/FuzzTests"
    ),
    .target(
      name: "PipelineTesting",
      dependencies: ["ChangeLog", "Pipeline", "Store", "StoreTesting"],
      path: "Tests/PipelineTesting"
    ),
    .target(name: "StoreTesting", dependencies: ["Store"], path: "Tests/StoreTesting"),
    .target(name: "ProcessTesting", path: "Tests/ProcessTesting"),
    .testTarget(
      name: "StoreTests",
      dependencies: ["ProcessProbe", "ProcessTesting", "Store", "StoreTesting"]
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
      dependencies: ["ProcessProbe", "ProcessTesting", "SQLite", "Store", "SwiftData"]
    ),
    // Its models have the names of SwiftData's own types, which no other test should see.
    .testTarget(name: "ModelShapeTests", dependencies: ["SwiftData"]),
  ],
  swiftLanguageModes: [.v6]
)
// It needs libFuzzer, which the flags of "make fuzz" bring.
if !Context.environment["TRAVELOG_FUZZ", default: ""].isEmpty {
  package.targets.append(
    .executableTarget(name: "Fuzzer", dependencies: ["LogFuzzing"], path: "Tests/Fuzz/Fuzzer")
  )
}
if hasDeflate {
  package.targets.append(
    .systemLibrary(name: "CDeflate", pkgConfig: "libdeflate", providers: [.apt(["libdeflate-dev"])])
  )
}
