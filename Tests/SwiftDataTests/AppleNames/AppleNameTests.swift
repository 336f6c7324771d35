import Foundation
import Testing

@Suite("The names of Apple's framework")
struct AppleNameTests {
  private static let folder = URL(filePath: #filePath).deletingLastPathComponent()

  private func text(_ url: URL) throws -> String { try String(contentsOf: url, encoding: .utf8) }

  /// The code of a file without comments and generic arguments.
  private func code(_ url: URL) throws -> String {
    var code = try text(url).replacing(#/\/\/.*/#, with: "")
    while code.contains(#/<[^<>]*>/#) { code = code.replacing(#/<[^<>]*>/#, with: "") }
    return code
  }

  @Test(
    "Each public name of Apple's SwiftData is used here, or DEVIATIONS.md explains its absence."
  )
  func everyNameHasAnAnswer() throws {
    let lines = try text(Self.folder.appending(path: "AppleNames.txt"))
      .split(separator: "\n").filter { !$0.hasPrefix("# ") }
    let uses = try code(Self.folder.appending(path: "AppleNameUses.swift"))
    let root = Self.folder.deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let deviations = try text(root.appending(path: "docs/DEVIATIONS.md"))
      .split { $0.isWhitespace }.joined(separator: " ")
    var names: Set<Substring> = []
    for line in lines {
      let fields = line.split(separator: "\t")
      let name = fields[0]
      #expect(names.insert(name).inserted, "\(name) is listed twice")
      switch fields.dropFirst().first {
      case "here":
        let pattern = NSRegularExpression.escapedPattern(for: String(name))
        let use = try Regex("(^|[^A-Za-z0-9_.])\(pattern)([^A-Za-z0-9_]|$)")
        #expect(uses.contains(use), "AppleNameUses.swift does not use \(name)")
      case "missing":
        let reason = try #require(fields.dropFirst(2).first, "\(name) needs a reason")
        #expect(deviations.contains(reason), "DEVIATIONS does not say of \(name): \(reason)")
      default: Issue.record("\(name) is neither used nor documented as missing")
      }
    }
    #expect(names.count >= 110)
  }
}
