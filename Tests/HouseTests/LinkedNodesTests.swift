import Foundation
import Testing

@Suite("The nodes of predicates in static archives")
struct LinkedNodesTests {
  @Test("SQLTranslation refers to each file that extends nodes of predicates, so it is linked.")
  func linked() throws {
    let files = try files(under: "Sources/SwiftData/Predicate").filter {
      $0.path.hasSuffix(".swift")
    }
    let translation = try #require(files.first { $0.path.hasSuffix("SQLTranslation.swift") })
    let list = translation.lines.joined(separator: "\n")
    var count = 0
    for file in files {
      let nodes = file.lines.compactMap { line in
        line.firstMatch(of: #/^extension PredicateExpressions\.(\w+): SQLNode/#).map {
          String($0.1)
        }
      }
      guard !nodes.isEmpty else { continue }
      count += 1
      #expect(nodes.contains { list.contains("Nodes.\($0)<") }, "\(file.path)")
    }
    #expect(count > 10)
  }
}
