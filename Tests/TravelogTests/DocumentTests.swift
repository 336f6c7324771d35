import Foundation
import TestSupport
import Testing

@Suite("The commands and links of the documents")
struct DocumentTests {
  /// The documents whose commands are run; some need other programs.
  static let documents =
    [
      "docs/APPLE_STORES.md", "docs/FROM_A_MAC.md", "docs/TOKENS.md", "docs/SECURITY.md",
      "docs/SCALE.md",
    ]
    + (installed("sqlite3") == nil
      ? []
      : [
        "README.md", "docs/ADOPT.md", "docs/START_SWIFT.md", "docs/RESTORE.md", "docs/OPERATE.md",
      ])
    + (["openssl", "jq", "xxd"].contains { installed($0) == nil } ? [] : ["docs/SIGNED_HEADS.md"])

  @Test(
    "A reader who types the commands of a document from top to bottom sees what it shows.",
    arguments: DocumentTests.documents
  )
  func commands(document: String) throws {
    let steps = try steps(of: document)
    #expect(!steps.isEmpty)
    try withTemporaryFolder { folder in
      var reader = DocumentReader(in: folder)
      for step in steps {
        switch step {
        case .file(let path, let text): try reader.write(text, to: path)
        case .command(let line, let command, let shown):
          let output = try reader.type(command)
          #expect(
            matches(output, shown),
            "\(document):\(line): “\(command)” printed:\n\(output)"
          )
        }
      }
    }
  }

  @Test("Every link between documents leads to a file, and to a heading if it names one.")
  func links() throws {
    let pages =
      try FileManager.default.contentsOfDirectory(
        atPath: packageRoot.appending(path: "docs").path
      ).filter { $0.hasSuffix(".md") }.map { "docs/\($0)" } + ["README.md", "CONTRIBUTING.md"]
    let pattern = try Regex(
      #"\]\(([^)#:]*)(#[^)]*)?\)"#,
      as: (Substring, Substring, Substring?).self
    )
    for page in pages {
      let file = packageRoot.appending(path: page)
      for match in try String(contentsOf: file, encoding: .utf8).matches(of: pattern) {
        let name = String(match.output.1)
        let target =
          name.isEmpty ? file : file.deletingLastPathComponent().appending(path: name)
        guard FileManager.default.fileExists(atPath: target.path) else {
          Issue.record("\(page) leads to \(match.output.1)")
          continue
        }
        guard let heading = match.output.2, target.pathExtension == "md" else { continue }
        let anchors = try String(contentsOf: target, encoding: .utf8).split(separator: "\n")
          .filter { $0.hasPrefix("#") }.map(anchor)
        #expect(anchors.contains(String(heading)), "\(page) leads to \(match.output.0)")
      }
    }
  }

  /// The anchor of a heading on GitHub.
  private func anchor(_ heading: Substring) -> String {
    let text = heading.drop { $0 == "#" || $0 == " " }.lowercased()
    return "#"
      + text.filter { $0.isLetter || $0.isNumber || " -_".contains($0) }
      .replacing(" ", with: "-")
  }
}
