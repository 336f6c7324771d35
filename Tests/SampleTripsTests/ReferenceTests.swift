import Foundation
import Testing

@Suite("The reference of trips")
struct ReferenceTests {
  @Test("docs/CLI_TRIPS.md equals the output of the program; make reference writes it.")
  func reference() throws {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    let page = try String(
      contentsOf: root.appendingPathComponent("docs/CLI_TRIPS.md"),
      encoding: .utf8
    )
    #expect(
      try trips("generate", "reference").output == page,
      "docs/CLI_TRIPS.md is out of date; “make reference” writes it."
    )
    let completions = try trips("completions", "bash")
    #expect(completions.code == 0)
    #expect(completions.output.contains("complete -F _trips trips"))
    #expect(try trips("__complete", "wid").output.hasPrefix("widget\t"))
  }
}
