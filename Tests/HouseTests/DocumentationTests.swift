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

extension SymbolGraph.Symbol {
  /// Whether the comment only repeats the declaration: it is one paragraph, without an example, an
  /// error or a condition.
  fileprivate var isBare: Bool {
    let ofProtocols = [
      "==(_:_:)", "hash(into:)", "encode(to:)", "init(from:)", "description", "debugDescription",
      "errorDescription",
    ]
    guard location != nil, !pathComponents.contains(where: { $0.hasPrefix("_") }),
      let name = pathComponents.last, !name.hasPrefix("build_"), !ofProtocols.contains(name)
    else { return false }
    let remark =
      #/
      ```|-\ Throws:|-\ Returns:|"[^"]+"|;|n't\b|
      \b(?i:nil|empty|if|unless|until|while|without|only|never|always|not|no|cannot|except|default|
      including|least|most|before|after|even|also|too|same|unique|none|0|may|must|all|ignores|
      such\ as|at\ once|temporary|permanent)\b
      /#
    let lines = docComment?.lines.map(\.text) ?? []
    let paragraphs = lines.split { $0.allSatisfy(\.isWhitespace) }
    return paragraphs.count < 2 && !lines.contains { $0.contains(remark) }
  }
}

@Suite("The documentation of the products")
struct DocumentationTests {
  @Test("DocC has no warning. Public declarations have a summary, and an example or edge case.")
  func summaries() throws {
    try withTemporaryFolder { folder in
      let program = packageRoot.appending(path: "Tools/document").path
      let (text, code) = try run([program, Bundle.main.bundleURL.path, folder.path])
      #expect(code == 0, "\(text)")

      let symbols = folder.appendingPathComponent("symbols")
      // OSLog only re-exports os, and FaultShim is in C for the tests.
      let documented = try FileManager.default.contentsOfDirectory(atPath: symbols.path)
      let manifest = try String(
        contentsOf: packageRoot.appending(path: "Package.swift"),
        encoding: .utf8
      )
      let libraries = manifest.matches(of: #/\.library\(name: "(\w+)"/#).map { String($0.1) }
      #expect(Set(documented + ["OSLog", "FaultShim"]) == Set(libraries))
      let paths = try FileManager.default.subpathsOfDirectory(atPath: symbols.path)
      var count = 0
      var bare: [String] = []
      for path in paths where path.hasSuffix(".json") {
        let data = try Data(contentsOf: symbols.appendingPathComponent(path))
        for symbol in try JSONDecoder().decode(SymbolGraph.self, from: data).symbols {
          count += 1
          guard let location = symbol.location else { continue }
          let summary = symbol.docComment?.lines.first?.text ?? ""
          let hasSummary = summary.contains { !$0.isWhitespace }
          #expect(hasSummary, "\(symbol.pathComponents.joined(separator: ".")) in \(location.uri)")
          if symbol.isBare {
            bare.append(symbol.pathComponents.joined(separator: ".") + ": " + summary)
          }
        }
      }
      #expect(count > 500)
      #expect(bare.isEmpty, "No example, edge case or error in:\n\(bare.joined(separator: "\n"))")
    }
  }
}
