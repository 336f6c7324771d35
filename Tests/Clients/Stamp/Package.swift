// swift-tools-version: 6.2

import CompilerPluginSupport
import Foundation
import PackageDescription

// SwiftSyntax comes with the toolchain, as for Travelog's macros.
let compilers = Context.environment["PATH", default: ""].split(separator: ":")
  .map { URL(fileURLWithPath: $0 + "/swiftc") }
  .filter { FileManager.default.isExecutableFile(atPath: $0.path) }
let syntax = compilers[0].resolvingSymlinksInPath().deletingLastPathComponent()
  .appendingPathComponent("../lib/swift/host").standardizedFileURL.path
let syntaxModules = [
  "SwiftBasicFormat", "SwiftCompilerPluginMessageHandling", "SwiftDiagnostics", "SwiftIfConfig",
  "SwiftOperators", "SwiftParser", "SwiftParserDiagnostics", "SwiftSyntax", "SwiftSyntaxBuilder",
  "SwiftSyntaxMacroExpansion", "SwiftSyntaxMacros",
]

let package = Package(
  name: "stamp",
  products: [.library(name: "Stamp", targets: ["Stamp"])],
  targets: [
    .macro(
      name: "StampMacros",
      swiftSettings: [.unsafeFlags(["-I", syntax])],
      linkerSettings: [.unsafeFlags(["-L", syntax, "-Xlinker", "-rpath", "-Xlinker", syntax])]
        + syntaxModules.map { .linkedLibrary($0) }
    ),
    .target(name: "Stamp", dependencies: ["StampMacros"]),
  ]
)
