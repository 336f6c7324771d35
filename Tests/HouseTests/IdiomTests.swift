import Foundation
import Testing

@Suite("The language of the documents")
struct IdiomTests {
  /// Files and folders whose text the list of idioms covers.
  private static let covered = ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "docs"]

  /// Files in these folders that are still to be rewritten, or made from the sources.
  private static let later: Set = [
    "docs/CLI.md", "docs/CLI_JSON.md", "docs/CLI_TRIPS.md", "docs/FORMAT.md", "docs/SECURITY.md",
  ]

  private struct Idiom {
    let pattern: NSRegularExpression
    let remedy: Substring
  }

  private struct Exemption: Hashable {
    let path: String
    let text: String
  }

  /// The rejected idioms, and the lines that may contain them.
  private func list() throws -> (idioms: [Idiom], exemptions: Set<Exemption>) {
    let url = packageRoot.appending(path: "Tests/HouseTests/Idioms.txt")
    var idioms: [Idiom] = []
    var exemptions: Set<Exemption> = []
    var section = ""
    for line in try String(contentsOf: url, encoding: .utf8).split(separator: "\n") {
      if line.hasPrefix("# ") {
        section = String(line.dropFirst(2).prefix { $0.isLetter })
      } else if section == "rejected" {
        let parts = line.split(separator: "\t")
        try #require(parts.count == 2, "\(line)")
        idioms.append(
          Idiom(pattern: try NSRegularExpression(pattern: String(parts[0])), remedy: parts[1])
        )
      } else if section == "exempt" {
        let end = try #require(line.range(of: ": "), "\(line)")
        exemptions.insert(
          Exemption(path: String(line[..<end.lowerBound]), text: String(line[end.upperBound...]))
        )
      }
    }
    return (idioms, exemptions)
  }

  @Test("No document contains an idiom of Idioms.txt, except in lines that the list exempts.")
  func documents() throws {
    let (idioms, exemptions) = try list()
    #expect(idioms.count > 20)
    let texts = try files(under: "").filter { file in
      !Self.later.contains(file.path)
        && Self.covered.contains { file.path == $0 || file.path.hasPrefix($0 + "/") }
    }
    #expect(texts.count > 15)
    var used: Set<Exemption> = []
    for file in texts {
      for (index, line) in file.lines.enumerated() {
        let text = String(line)
        let whole = NSRange(text.startIndex..., in: text)
        for idiom in idioms where idiom.pattern.firstMatch(in: text, range: whole) != nil {
          let reason = exemptions.first { $0.path == file.path && text.contains($0.text) }
          if let reason {
            used.insert(reason)
          } else {
            Issue.record("\(file.path):\(index + 1): write \(idiom.remedy): \(text)")
          }
        }
      }
    }
    #expect(used == exemptions, "not needed: \(exemptions.subtracting(used))")
  }
}
