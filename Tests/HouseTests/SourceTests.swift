import Foundation
import Testing

@Suite("Rules for every source file")
struct SourceTests {
  @Test("No source traps if it could throw.")
  func noTraps() throws {
    let traps = ["try" + "!", "fatal" + "Error(", " as" + "! "]
    for file in try swiftFiles(under: "Sources") {
      for (number, text) in file.code {
        for trap in traps where text.contains(trap) {
          Issue.record("\(file.path):\(number): \(trap)")
        }
      }
    }
  }

  @Test("No file contains a path of one machine.")
  func noMachinePaths() throws {
    let folders = ["/ho" + "me/", "/Us" + "ers/", "/wo" + "rk/", packageRoot.path + "/"]
    for file in try files(under: "") {
      for (index, text) in file.lines.enumerated() {
        for folder in folders where text.contains(folder) {
          Issue.record("\(file.path):\(index + 1): \(folder)")
        }
      }
    }
  }

  @Test("A file is named …Tests.swift exactly if it contains tests.")
  func testFilesHaveTests() throws {
    for file in try swiftFiles(under: "Tests") {
      let isNamedSo = file.path.hasSuffix("Tests.swift")
      let hasTest = file.code.contains { $0.text.contains("@" + "Test") }
      #expect(isNamedSo == hasTest, "\(file.path): name …Tests.swift and a test go together")
    }
  }
}
