import Foundation
import SourceGraph
import Testing

@Suite("Layers inside a module")
struct LayerTests {
  private func graph(of module: LayeredModule) throws -> SourceGraph {
    try SourceGraph(
      folder: packageRoot.appending(path: "Sources/" + module.name),
      imported: module.imported.map { packageRoot.appending(path: "Sources/" + $0) }
    )
  }

  @Test("A file uses only files of its own folder and of folders that the table of layers allows.")
  func usesGoDown() throws {
    for module in layeredModules {
      let graph = try graph(of: module)
      for (file, uses) in graph.uses.enumerated() {
        let folder = graph.folder(of: file)
        let layer = module.layers.first { $0.name == folder }
        for (used, names) in uses {
          let other = graph.folder(of: used)
          guard other != folder, layer?.mayUse.contains(other) != true,
            layer?.exceptions[other] == nil
          else { continue }
          Issue.record(
            "\(module.name)/\(graph.files[file]) uses \(names.sorted()) of \(graph.files[used])"
          )
        }
      }
    }
  }

  @Test("The table of layers has each folder of its modules, and each of its rows has a folder.")
  func tableIsComplete() throws {
    for module in layeredModules {
      let graph = try graph(of: module)
      let folders = Set(graph.files.indices.map { graph.folder(of: $0) })
      #expect(folders == Set(module.layers.map(\.name)), "\(module.name)")
    }
  }

  @Test("A layer may use only layers below it.")
  func tablePointsDown() {
    for module in layeredModules {
      for (place, layer) in module.layers.enumerated() {
        let below = Set(module.layers[..<place].map(\.name))
        #expect(layer.mayUse.isSubset(of: below), "\(module.name)/\(layer.name)")
      }
    }
  }

  @Test("Each exception of the table of layers is still used, and has a reason.")
  func exceptionsAreNeeded() throws {
    for module in layeredModules {
      let graph = try graph(of: module)
      for (place, layer) in module.layers.enumerated() {
        let above = Set(module.layers[place...].map(\.name)).subtracting([layer.name])
        var used: Set<String> = []
        for (file, uses) in graph.uses.enumerated() where graph.folder(of: file) == layer.name {
          used.formUnion(uses.keys.map { graph.folder(of: $0) })
        }
        for (other, reason) in layer.exceptions {
          #expect(
            above.contains(other) && used.contains(other) && !reason.isEmpty,
            "\(module.name)/\(layer.name) is an exception for \(other)"
          )
        }
      }
    }
  }

  @Test("At most 25 files of the store use each other in a circle.")
  func cycles() throws {
    let store = try #require(layeredModules.first { $0.name == "Store" })
    let cycles = try graph(of: store).cycles
    #expect((cycles.first?.count ?? 0) <= 25)
  }
}

@Suite("The graph of the symbols that files use")
struct SourceGraphTests {
  /// The other files that the first file uses.
  private func used(_ sources: (path: String, text: String)...) -> [String] {
    let graph = SourceGraph(sources: sources)
    return graph.uses[0].keys.sorted().map { graph.files[$0] }
  }

  @Test("A file that writes the name of a type uses the file that declares it.")
  func types() {
    #expect(
      used(("a.swift", "struct A { var b: [B?] }"), ("b.swift", "struct B {}")) == ["b.swift"]
    )
  }

  @Test("A member is found by the type of a parameter, a property and a result.")
  func members() {
    let uses = used(
      ("a.swift", "struct A { let b: B; func run() { b.make().name() } }"),
      ("b.swift", "struct B { func make() -> C { C() } }"),
      ("c.swift", "struct C {}"),
      ("d.swift", "extension C { func name() {} }"),
      ("e.swift", "struct E { func name() {} }")
    )
    #expect(uses == ["b.swift", "d.swift"])
  }

  @Test("A member of a type of another module is not attributed to this module.")
  func importedMembers() {
    let graph = SourceGraph(
      sources: [
        ("a.swift", "func run(_ statement: Statement) { statement.reset() }"),
        ("b.swift", "struct B { func reset() {} }"),
      ],
      imported: [("s.swift", "class Statement { func reset() {} }")]
    )
    #expect(graph.uses[0].isEmpty)
  }

  @Test("In the graph, a local name hides a global one.")
  func locals() {
    let uses = used(
      ("a.swift", "func run() { let other = 1; print(other) }"),
      ("b.swift", "func other() {}")
    )
    #expect(uses.isEmpty)
  }

  @Test("An enumeration case belongs to the type that its context requires.")
  func cases() {
    let uses = used(
      ("a.swift", "func run() { show(.insert) }"),
      ("b.swift", "func show(_ kind: Kind) {}"),
      ("c.swift", "enum Kind { case insert }"),
      ("d.swift", "enum Other { case insert }")
    )
    #expect(uses == ["b.swift", "c.swift"])
  }

  @Test("Files that use each other are one cycle.")
  func cycles() {
    let graph = SourceGraph(sources: [
      ("a.swift", "struct A { var b: B? }"),
      ("b.swift", "final class B { var c: C? }"),
      ("c.swift", "final class C { var b: B? }"),
    ])
    #expect(graph.cycles == [[1, 2]])
  }
}
