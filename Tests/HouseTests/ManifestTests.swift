import Foundation
import TestSupport
import Testing

@Suite("Package.swift")
struct ManifestTests {
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
}
