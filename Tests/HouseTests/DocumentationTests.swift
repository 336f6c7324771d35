import Foundation
import TestSupport
import Testing

/// What a module declares, as the compiler writes it for DocC.
private struct SymbolGraph: Decodable {
  struct Symbol: Decodable {
    struct Identifier: Decodable { let precise: String }
    struct Comment: Decodable {
      struct Line: Decodable { let text: String }
      let lines: [Line]
    }
    struct Location: Decodable { let uri: String }

    let identifier: Identifier
    let pathComponents: [String]
    let docComment: Comment?
    /// Nil for declarations that the compiler synthesized.
    let location: Location?
  }

  let symbols: [Symbol]
}

@Suite("The documentation of the products")
struct DocumentationTests {
  @Test("DocC has no warning, and every public declaration has a summary.")
  func summaries() throws {
    try withTemporaryFolder { folder in
      let program = packageRoot.appending(path: "Tools/document").path
      let (text, code) = try run([program, Bundle.main.bundleURL.path, folder.path])
      #expect(code == 0, "\(text)")

      let symbols = folder.appendingPathComponent("symbols")
      let paths = try FileManager.default.subpathsOfDirectory(atPath: symbols.path)
      var count = 0
      for path in paths where path.hasSuffix(".json") {
        let data = try Data(contentsOf: symbols.appendingPathComponent(path))
        for symbol in try JSONDecoder().decode(SymbolGraph.self, from: data).symbols {
          count += 1
          guard let location = symbol.location else { continue }
          let summary = symbol.docComment?.lines.first?.text ?? ""
          let hasSummary = summary.contains { !$0.isWhitespace }
          #expect(hasSummary, "\(symbol.pathComponents.joined(separator: ".")) in \(location.uri)")
        }
      }
      #expect(count > 500)
    }
  }
}
