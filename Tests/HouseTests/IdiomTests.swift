import Foundation
import Testing

@Suite("The language of documents, code and tests")
struct IdiomTests {
  /// Files and folders whose text the list of idioms covers.
  private static let covered = [
    "README.md", "CHANGELOG.md", "CONTRIBUTING.md", "Makefile", "Package.swift", "docs", "Sources",
    "Tests", "Benchmarks", "Tools", "Pipelines",
  ]

  /// The list itself, and inputs that no person wrote.
  private static let skipped = ["Tests/HouseTests/Idioms.txt", "Tests/Fuzz/Corpora/"]

  private struct Idiom {
    let pattern: NSRegularExpression
    let remedy: Substring
  }

  private struct Exemption: Hashable {
    let path: String
    let text: String
  }

  /// The content of Idioms.txt.
  private struct List {
    var idioms: [Idiom] = []
    var exemptions: Set<Exemption> = []
    /// Files and folders that still contain idioms.
    var later: Set<String> = []

    init() throws {
      let url = packageRoot.appending(path: "Tests/HouseTests/Idioms.txt")
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
        } else if section == "later" {
          later.insert(String(line))
        }
      }
    }

    /// The entry of ``later`` for a file.
    func later(for path: String) -> String? {
      later.first { path == $0 || path.hasPrefix($0 + "/") }
    }
  }

  @Test("No text of the package contains an idiom of Idioms.txt, except as the list allows.")
  func texts() throws {
    let list = try List()
    #expect(list.idioms.count > 20)
    // One search for all idioms at once, because few lines contain one.
    let any = try NSRegularExpression(
      pattern: list.idioms.map { "(?:\($0.pattern.pattern))" }.joined(separator: "|")
    )
    let covered = try files(under: "").filter { file in
      Self.covered.contains { file.path == $0 || file.path.hasPrefix($0 + "/") }
        && !Self.skipped.contains { file.path.hasPrefix($0) }
    }
    #expect(covered.count > 900)
    var used: Set<Exemption> = []
    var later: Set<String> = []
    for file in covered where found(any, in: file.lines.joined(separator: "\n")) {
      if let entry = list.later(for: file.path) {
        later.insert(entry)
        continue
      }
      for (index, line) in file.lines.enumerated() where found(any, in: String(line)) {
        let text = String(line)
        for idiom in list.idioms where found(idiom.pattern, in: text) {
          let reason = list.exemptions.first { $0.path == file.path && text.contains($0.text) }
          if let reason {
            used.insert(reason)
          } else {
            Issue.record("\(file.path):\(index + 1): write \(idiom.remedy): \(text)")
          }
        }
      }
    }
    #expect(used == list.exemptions, "not needed: \(list.exemptions.subtracting(used))")
    #expect(later == list.later, "clean, so remove it: \(list.later.subtracting(later).sorted())")
  }

  private func found(_ pattern: NSRegularExpression, in text: String) -> Bool {
    pattern.firstMatch(in: text, range: NSRange(text.startIndex..., in: text)) != nil
  }
}
