import AppleFiles
import AppleStores
import Format
import Foundation
import SQLite
import TestSupport
import Testing

/// What the reader finds in a file must be what the program did that made it.
@Suite("Random stores and the programs that made them")
struct AppleLawTests {
  @Test(
    "History, rows and links are those of the program, also after migrations and purges.",
    arguments: AppleFile.HistoryLayout.allCases
  )
  func programs(_ layout: AppleFile.HistoryLayout) throws {
    var random = SeededGenerator(for: "programs in Apple's layout, \(layout)")
    for _ in 0..<trials(25, long: 1000) {
      try withTemporaryFolder { folder in
        let model = FileModel.random(using: &random)
        let file = try AppleFile(
          folder.appending(path: "Music.sqlite"),
          model,
          history: layout
        )
        for _ in 0..<Int.random(in: 0...8, using: &random) {
          let count = Int.random(in: 0...10, using: &random)
          try file.runRandomly(changes: count, using: &random)
          switch Int.random(in: 0..<10, using: &random) {
          case 0: try file.migrate(to: file.model.changed(using: &random))
          case 1 where layout != .none:
            try file.purge(before: Int64.random(in: 1...9, using: &random))
          case 2: try file.checkpoint("PASSIVE")
          default: break
          }
        }
        try check(file)
      }
    }
  }

  @Test("The generator makes the tables of the model whose tables are written by hand.")
  func tables() throws {
    try withTemporaryFolder { folder in
      let file = try AppleFile(folder.appending(path: "Music.sqlite"), .music)
      let made = try FileTables(file.connection).columns.mapValues { Set($0) }
      let written = try FileTables(Fixture().open()).columns.mapValues { Set($0) }
      #expect(made == written)
    }
  }

  @Test("A copy that was made during a checkpoint has the same content.")
  func checkpoints() throws {
    var random = SeededGenerator(for: "checkpoints in Apple's layout")
    try withTemporaryFolder { folder in
      let url = folder.appending(path: "Music.sqlite")
      let file = try AppleFile(url, .random(using: &random))
      for _ in 0..<5 { try file.runRandomly(changes: 8, using: &random) }
      try file.pinReader()
      let before = try Data(contentsOf: url)
      for _ in 0..<5 { try file.runRandomly(changes: 8, using: &random) }
      try file.checkpoint("PASSIVE")
      // The file has the first commits, and the log has all.
      #expect(try Data(contentsOf: url) != before)
      let copy = folder.appending(path: "Copy.sqlite")
      try file.copy(to: copy)
      file.releaseReader()
      try check(file, at: copy)
      try file.checkpoint()
      #expect(try Data(contentsOf: copy) != Data(contentsOf: url))
    }
  }

  @Test("A large store has a change for each insert, update and delete.")
  func large() throws {
    try withTemporaryFolder { folder in
      let url = folder.appending(path: "Large.sqlite")
      let file = try AppleFile.large(url, transactions: 300, textSize: 20)
      try file.append(transactions: 20, textSize: 20)
      let store = try AppleStore(file.connection, isStrict: true)
      let history = try #require(try AppleHistory(store))
      var living: Set<[Int64]> = []
      var count = 0
      while try history.next() != nil {
        count += 1
        while let change = try history.nextChange() {
          #expect(change.unread == [])
          let object = [Int64(change.entity ?? -1), change.id]
          #expect(living.contains(object) == (change.kind != .insert))
          if change.kind == .delete { living.remove(object) } else { living.insert(object) }
        }
      }
      #expect(count == 321)
      let rows = "SELECT (SELECT count(*) FROM ZCLIP) + (SELECT count(*) FROM ZPART)"
      #expect(try file.connection.number(rows) == Int64(living.count))
    }
  }

  private func check(_ file: AppleFile, at url: URL? = nil) throws {
    let path = (url ?? file.url).path
    let store = try AppleStore(Connection(path: path, mode: .readOnly), isStrict: true)
    #expect(store.model.entities.map(\.name) == file.model.numbered)
    #expect(store.layout.differences == [])
    #expect(store.layout.otherTables == [])
    #expect(store.metadata.uuid == file.uuid)
    #expect(store.metadata.versionDigest == file.digest)
    try checkHistory(store, file)
    let schema = try AppleSchema(store)
    #expect(schema.loosened.filter { $0.reason != .lostOrder } == [])
    try checkRows(store, schema, file, path)
    try checkLinks(store, file)
  }

  // MARK: History

  private func checkHistory(_ store: AppleStore, _ file: AppleFile) throws {
    guard let history = try AppleHistory(store) else {
      #expect(file.history == .none)
      return
    }
    for wanted in file.transactions {
      let found = try #require(try history.next())
      #expect(found.number == wanted.number)
      #expect(found.time == .real(wanted.time))
      #expect(found.author == wanted.author)
      #expect(found.context == wanted.context)
      #expect(found.bundle == "org.example.music")
      #expect(found.process == "Music")
      #expect(found.migratedFrom == wanted.migratedFrom)
      for change in wanted.changes {
        let read = try #require(try history.nextChange())
        expectSame(read, change, store.model, file.model)
      }
      #expect(try history.nextChange() == nil)
    }
    #expect(try history.next() == nil)
    #expect(try history.nextChange() == nil)
  }

  private func expectSame(
    _ read: AppleChange,
    _ wanted: AppleFile.Change,
    _ model: AppleModel,
    _ fileModel: FileModel
  ) {
    #expect(read.number == wanted.number)
    #expect(read.kind?.rawValue == wanted.kind)
    #expect(read.entity.map { model.entities[$0].name } == wanted.entity)
    #expect(read.id == wanted.id)
    let tombstone = read.tombstone.map { ($0.attribute, $0.value) }
    #expect(
      Dictionary(uniqueKeysWithValues: tombstone) == wanted.tombstone.mapValues(\.plain)
    )
    if read.unread == [.bitmap(.ambiguousComposites)] {
      // Then an entity must have more leaves than composites.
      let attributes = fileModel.attributes(of: wanted.entity)
      #expect(attributes.contains { $0.leaves.count != 1 })
      return
    }
    #expect(read.unread == [])
    let all = fileModel.relationships(of: wanted.entity).map(\.relationship)
    let toMany = Set(all.filter(\.isToMany).map(\.name)).intersection(wanted.properties)
    #expect(Set(read.properties) == wanted.properties.subtracting(toMany))
    #expect(Set(read.properties).count == read.properties.count)
    switch read.toMany {
    case .known(let names): #expect(Set(names) == toMany, "\(wanted)")
    case .candidates(let names, let count):
      #expect(count == toMany.count)
      #expect(toMany.isSubset(of: names))
    }
  }

  // MARK: Rows

  private func checkRows(
    _ store: AppleStore,
    _ schema: AppleSchema,
    _ file: AppleFile,
    _ path: String
  ) throws {
    let external = ExternalFolder(besideStore: path)
    var count = 0
    for (index, root) in store.model.entities.enumerated() where root.parent == nil {
      let rows = try AppleRows(store, schema, root: index, external: external)
      while let row = try rows.next() {
        count += 1
        let object = AppleFile.Object(root: root.name, id: row.id)
        let wanted = try #require(file.rows[object])
        #expect(store.model.entities[row.entity].name == wanted.entity)
        let attributes = file.model.attributes(of: wanted.entity)
        for (name, value) in zip(schema.layoutNames[row.entity], row.values) {
          let written = wanted.values[name] ?? .null
          let attribute = attributes.first { $0.name == name }
          try expectSame(value, written, attribute, "\(wanted.entity) \(row.id) \(name)")
        }
      }
      #expect(rows.unknownCount == 0)
    }
    #expect(count == file.rows.count)
  }

  private func expectSame(
    _ read: StoredValue,
    _ written: FileValue,
    _ attribute: FileModel.Attribute?,
    _ name: String
  ) throws {
    if case .outside(let bytes) = written {
      guard case .file(let file) = read else {
        Issue.record("\(name) is not a file: \(read)")
        return
      }
      #expect(try Data(contentsOf: URL(filePath: file.path)) == Data(bytes))
      return
    }
    guard let attribute else {
      // A reference, an owner or a place.
      #expect(read == .value(written.plain), "\(name)")
      return
    }
    #expect(read == .value(try attribute.expected(written)), "\(name)")
  }

  private func checkLinks(_ store: AppleStore, _ file: AppleFile) throws {
    for join in store.layout.joins {
      let model = store.model
      let (one, other) = try (
        model.entities[join.entity].name,
        #require(model.relationship(join.relationship, of: join.entity)?.relationship.destination)
      )
      let inverse = try #require(
        file.model.relationship(join.relationship, of: one)?.relationship.inverse
      )
      let owners = Set(file.links(one, join.relationship).map { [$0.owner, $0.target] })
      let isOwner = (one, join.relationship) <= (other, inverse)
      let links = try AppleLinks(store, join)
      var found: Set<[Int64]> = []
      while let link = try links.next() {
        found.insert(isOwner ? [link.owner, link.destination] : [link.destination, link.owner])
      }
      #expect(found == owners)
    }
    let all = file.model.entities.flatMap(\.relationships).filter { relationship in
      relationship.isToMany && file.model.inverse(of: relationship)?.relationship.isToMany == true
    }
    let symmetric = all.count { $0.inverse == $0.name }
    #expect(store.layout.joins.count == (all.count + symmetric) / 2)
  }
}

extension FileValue {
  /// The value in a column.
  fileprivate var plain: Value {
    switch self {
    case .null, .leaves, .outside, .lost: .null
    case .integer(let integer): .integer(integer)
    case .real(let real): .real(real)
    case .text(let text): .text(text)
    case .blob(let bytes), .inside(let bytes): .blob(Data(bytes))
    }
  }
}

extension FileModel.Attribute {
  /// The value that our schema has for what a program wrote.
  fileprivate func expected(_ written: FileValue) throws -> Value {
    switch (type, written) {
    case (400, .real(let real)):
      var text = String(format: "%.3f", real)
      while text.hasSuffix("0") { text.removeLast() }
      if text.hasSuffix(".") { text.removeLast() }
      return .text(text == "-0" ? "0" : text)
    case (1100, .blob(let bytes)): return .text(uuid(bytes))
    case (2100, .leaves(let leaves)) where isEnumeration && elements.count == 1:
      return leaves[0].plain
    case (2100, .leaves(let leaves)):
      var members: [String: JSONLeaf] = [:]
      for (leaf, value) in zip(elements, leaves) where value != .null {
        members[leaf.name] = isEnumeration ? .empty : JSONLeaf(value, leaf.type)
      }
      if members.isEmpty, isOptional { return .null }
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
      return .text(String(decoding: try encoder.encode(members), as: UTF8.self))
    default: return written.plain
    }
  }
}

private func uuid(_ bytes: [UInt8]) -> String {
  let digits = bytes.map { String(format: "%02X", $0) }
  return [0..<4, 4..<6, 6..<8, 8..<10, 10..<16].map { digits[$0].joined() }.joined(separator: "-")
}

/// A leaf of a composite, as Swift's encoder writes it.
private enum JSONLeaf: Encodable {
  case text(String), integer(Int64), real(Double), bool(Bool), empty

  init(_ value: FileValue, _ type: Int64) {
    switch (type, value) {
    case (800, .integer(let number)): self = .bool(number == 1)
    case (_, .integer(let number)): self = .integer(number)
    case (_, .real(let number)): self = .real(number)
    case (_, .text(let text)): self = .text(text)
    case (1100, .blob(let bytes)): self = .text(uuid(bytes))
    case (_, .blob(let bytes)): self = .text(Data(bytes).base64EncodedString())
    default: self = .empty
    }
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .text(let text): try container.encode(text)
    case .integer(let number): try container.encode(number)
    case .real(let number): try container.encode(number)
    case .bool(let isTrue): try container.encode(isTrue)
    case .empty: try container.encode([String: String]())
    }
  }
}
