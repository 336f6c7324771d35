import Foundation
import TestSupport
import Testing

@Suite("Package.swift")
struct ManifestTests {
  @Test("Every target declares each module of the package that it imports.")
  func importsAreDeclared() throws {
    let targets = try dumpedTargets()
    #expect(targets.count > 40)
    let names = Set(targets.map(\.name))
    for target in targets {
      for file in try swiftFiles(under: target.path) {
        let imported = Set(file.code.compactMap { importedModule($0.text) })
        let undeclared = imported.intersection(names).subtracting(
          target.dependencies + [target.name]
        )
        #expect(undeclared.isEmpty, "\(file.path): \(target.name) does not declare \(undeclared)")
      }
    }
  }

  @Test(
    "Without SwiftSyntax, Package.swift can be read, and the macros fail to build with one error.",
    .enabled(if: !FileManager.default.fileExists(atPath: "/usr/bin/swiftc"))
  )
  func withoutSwiftSyntax() throws {
    let tools = try toolchain()
    try withTemporaryFolder { folder in
      let environment = ["PATH": "/usr/bin:/bin", "HOME": folder.path]
      func swift(_ tool: String, _ arguments: String...) throws -> (text: String, code: Int32) {
        let program = tools.appending(path: tool).path
        return try run(
          [program, "--scratch-path", folder.path] + arguments,
          environment: environment
        )
      }
      let dump = try swift("swift-package", "dump-package")
      #expect(dump.code == 0, "\(dump.text)")
      let build = try swift("swift-build", "--target", "SwiftDataMacroExpansion")
      #expect(build.code != 0)
      let errors = build.text.split(separator: "\n").filter { $0.contains(": error: ") }
      #expect(Set(errors).count == 1, "\(build.text)")
      #expect(errors.first?.contains("Install a Swift 6.2 or newer toolchain") == true)
    }
  }

  private struct Target {
    let name: String
    let path: String
    let dependencies: [String]
  }

  /// The targets of Package.swift, the one for the fuzzer included.
  private func dumpedTargets() throws -> [Target] {
    struct Dump: Decodable {
      struct Target: Decodable {
        let name: String
        let type: String
        let path: String?
        let dependencies: [[String: [String?]]]
      }
      let targets: [Target]
    }
    let package = try toolchain().appending(path: "swift-package").path
    return try withTemporaryFolder { folder in
      var environment = ProcessInfo.processInfo.environment
      environment["TRAVELOG_FUZZ"] = "1"
      let dump = try run(
        [package, "--scratch-path", folder.path, "dump-package"],
        environment: environment
      )
      // SwiftPM may print warnings first.
      let json = Data(dump.text.drop { $0 != "{" }.utf8)
      let targets = try JSONDecoder().decode(Dump.self, from: json).targets
      return targets.map { target in
        Target(
          name: target.name,
          path: target.path ?? (target.type == "test" ? "Tests/" : "Sources/") + target.name,
          dependencies: target.dependencies.flatMap { $0.values.compactMap { $0.first ?? nil } }
        )
      }
    }
  }
}
