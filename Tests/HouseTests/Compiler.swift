import Foundation
import TestSupport

/// Compiles source that uses SwiftData, without generating code; returns the compiler's messages and
/// its exit code.
func typecheck(_ source: String, options: [String] = []) throws -> (text: String, code: Int32) {
  try withTemporaryFolder { folder in
    let file = folder.appending(path: "Source.swift")
    try source.write(to: file, atomically: true, encoding: .utf8)
    let build = Bundle.main.bundleURL.path
    let maps = [
      "\(build)/CSwiftRuntime.build/module.modulemap",
      "Sources/CLibraries/CSQLite/module.modulemap",
      "Sources/CLibraries/CZlib/module.modulemap",
    ]
    let result = try run(
      [
        "swiftc", "-typecheck", "-swift-version", "6", file.path,
        "-I", "\(build)/Modules", "-module-cache-path", ".build/modules",
        "-load-plugin-executable", "\(build)/SwiftDataMacros-tool#SwiftDataMacros",
      ] + options + maps.flatMap { ["-Xcc", "-fmodule-map-file=\($0)"] }
    )
    return (result.text, result.code)
  }
}
