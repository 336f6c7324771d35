import Foundation
import SwiftParser
import SwiftSyntax

/// Which files of a module name what other files of it declare.
///
/// The files are parsed, not compiled: names are looked up as the compiler would, through scopes,
/// types of parameters and properties, and extensions. A member of an expression whose type is unknown
/// counts only if exactly one file of the module declares a member with that name and those labels.
public struct SourceGraph {
  /// The paths, relative to the folder of the module, in order.
  public let files: [String]
  /// For each file, the files that it uses, with the names.
  public let uses: [[Int: Set<String>]]

  /// Reads all Swift files under the folder of a module.
  ///
  /// Without the imported modules, a call of one of their members could be attributed to
  /// a member of this module.
  ///
  /// - Throws: The error of reading a file.
  public init(folder: URL, imported: [URL] = []) throws {
    try self.init(
      sources: Self.sources(in: folder),
      imported: imported.flatMap { try Self.sources(in: $0) }
    )
  }

  private static func sources(in folder: URL) throws -> [(path: String, text: String)] {
    let root = folder.path.hasSuffix("/") ? folder.path : folder.path + "/"
    let paths = try FileManager.default.subpathsOfDirectory(atPath: root)
    return try paths.filter { $0.hasSuffix(".swift") }.sorted().map { path in
      (path, try String(contentsOfFile: root + path, encoding: .utf8))
    }
  }

  /// Reads files that are given with their paths.
  public init(
    sources: [(path: String, text: String)],
    imported: [(path: String, text: String)] = []
  ) {
    let trees = sources.map { Parser.parse(source: $0.text) }
    var declarations = Declarations()
    for (_, text) in imported {
      let visitor = DeclarationVisitor(file: nil, declarations: declarations)
      visitor.walk(Parser.parse(source: text))
      declarations = visitor.declarations
    }
    for (file, tree) in trees.enumerated() {
      let visitor = DeclarationVisitor(file: file, declarations: declarations)
      visitor.walk(tree)
      declarations = visitor.declarations
    }
    let index = MemberIndex(declarations)
    files = sources.map(\.path)
    uses = trees.enumerated().map { file, tree in
      let visitor = ReferenceVisitor(file: file, declarations: declarations, index: index)
      visitor.walk(tree)
      return visitor.uses
    }
  }

  /// The folder of a file: the part of its path before the first slash, or "" for none.
  public func folder(of file: Int) -> String {
    let parts = files[file].split(separator: "/")
    return parts.count > 1 ? String(parts[0]) : ""
  }

  /// The sets of files that all use each other, directly or through others, largest first.
  public var cycles: [[Int]] {
    var search = CycleSearch(edges: uses.map { $0.keys.sorted() })
    return search.run().filter { $0.count > 1 }.sorted { $0.count > $1.count }
  }
}

/// Finds the strongly connected components of a graph, by Tarjan's algorithm.
private struct CycleSearch {
  let edges: [[Int]]
  private var number: [Int?]
  private var low: [Int]
  private var isOpen: [Bool]
  private var open: [Int] = []
  private var counter = 0
  private var found: [[Int]] = []

  init(edges: [[Int]]) {
    self.edges = edges
    number = Array(repeating: nil, count: edges.count)
    low = Array(repeating: 0, count: edges.count)
    isOpen = Array(repeating: false, count: edges.count)
  }

  mutating func run() -> [[Int]] {
    for node in edges.indices where number[node] == nil { visit(node) }
    return found
  }

  private mutating func visit(_ node: Int) {
    number[node] = counter
    low[node] = counter
    counter += 1
    open.append(node)
    isOpen[node] = true
    for next in edges[node] {
      if let seen = number[next] {
        if isOpen[next] { low[node] = min(low[node], seen) }
      } else {
        visit(next)
        low[node] = min(low[node], low[next])
      }
    }
    guard low[node] == number[node] else { return }
    var component: [Int] = []
    while let last = open.popLast() {
      isOpen[last] = false
      component.append(last)
      if last == node { break }
    }
    found.append(component.sorted())
  }
}
