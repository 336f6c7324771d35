import AppleStores
import Foundation
import SQLite
import TestSupport
import Testing

@Suite("Files that Apple's frameworks wrote", .enabled(if: RealStores.areThere))
struct RealStoreTests {
  @Test("The predicted columns and join tables are those of the file.", arguments: RealStores.names)
  func model(_ name: String) throws {
    try RealStores.withCopy(of: name) { connection in
      let store = try AppleStore(connection, isStrict: true)
      let layout = store.layout
      for difference in layout.differences { print("  unmatched: \(difference)") }
      for finding in store.model.findings { print("  finding: \(finding)") }
      if !layout.otherTables.isEmpty { print("  other tables: \(layout.otherTables)") }
      #expect(layout.differences.isEmpty)
      #expect(layout.otherTables.isEmpty)
      #expect(store.metadata.properties != nil)
      let hashes = Set(store.metadata.versionHashes.keys)
      #expect(hashes == Set(store.model.entities.map(\.name)))
      for (index, entity) in store.model.entities.enumerated() where entity.parent == nil {
        let family = Set(store.model.family(of: index).map { store.model.entities[$0].number })
        let rows = try connection.prepare("SELECT DISTINCT Z_ENT FROM Z\(entity.name.uppercased())")
        while try rows.step() { #expect(family.contains(rows.int64(at: 0)), "\(entity.name)") }
      }
    }
  }

  @Test("Each transaction and each change is read, and each bitmap.", arguments: RealStores.names)
  func history(_ name: String) throws {
    try RealStores.withCopy(of: name) { connection in
      let store = try AppleStore(connection, isStrict: true)
      guard let history = try AppleHistory(store) else {
        #expect(!store.tables.has("ACHANGE"))
        return
      }
      var transactions: Int64 = 0
      var kinds: [Int64: Int64] = [:]
      var tombstones: Int64 = 0
      var unread: [AppleChange.Unread: Int] = [:]
      var ambiguous = 0
      while let transaction = try history.next() {
        transactions += 1
        while let change = try history.nextChange() {
          #expect(change.transaction == transaction.number)
          kinds[change.kind?.rawValue ?? -1, default: 0] += 1
          tombstones += Int64(change.tombstone.count)
          for reason in change.unread { unread[reason, default: 0] += 1 }
          if case .candidates = change.toMany { ambiguous += 1 }
        }
      }
      #expect(try history.nextChange() == nil)
      #expect(try transactions == connection.number("SELECT count(*) FROM ATRANSACTION"))
      for kind in AppleChange.Kind.allCases {
        let sql = "SELECT count(*) FROM ACHANGE WHERE ZCHANGETYPE = \(kind.rawValue)"
        #expect(try kinds[kind.rawValue, default: 0] == connection.number(sql))
      }
      #expect(try kinds.values.reduce(0, +) == connection.number("SELECT count(*) FROM ACHANGE"))
      let columns = store.tables.columns["ACHANGE", default: []].filter {
        $0.hasPrefix("ZTOMBSTONE")
      }
      let kept = columns.map { "(\($0) IS NOT NULL)" }.joined(separator: " + ")
      if !kept.isEmpty {
        #expect(try tombstones == connection.number("SELECT sum(\(kept)) FROM ACHANGE"))
      }
      if ambiguous > 0 || !unread.isEmpty {
        print("\(name): \(ambiguous) ambiguous to-many bitmaps, unread \(unread)")
      }
      #expect(unread.isEmpty)
    }
  }

  @Test("Each row and each link is read.", arguments: RealStores.names)
  func rows(_ name: String) throws {
    try RealStores.withCopy(of: name) { connection in
      let store = try AppleStore(connection, isStrict: true)
      let schema = try AppleSchema(store)
      for loosened in schema.loosened { print("\(name): \(loosened)") }
      let folder = ExternalFolder(besideStore: RealStores.folder.appending(path: name).path)
      var counts: [Int: Int64] = [:]
      for table in store.layout.tables {
        let rows = try AppleRows(store, schema, root: table.root, external: folder)
        var last = Int64.min
        while let row = try rows.next() {
          #expect(row.id > last)
          last = row.id
          counts[row.entity, default: 0] += 1
        }
        #expect(rows.unknownCount == 0)
        if !rows.specialCounts.isEmpty { print("\(name): special \(rows.specialCounts)") }
        #expect(rows.specialCounts.isEmpty)
      }
      for (index, entity) in store.model.entities.enumerated() {
        let table = "Z\(store.model.entities[entity.root].name.uppercased())"
        let sql = "SELECT count(*) FROM \(table) WHERE Z_ENT = \(entity.number)"
        #expect(try counts[index, default: 0] == connection.number(sql), "\(entity.name)")
      }
      for join in store.layout.joins {
        let links = try AppleLinks(store, join)
        var count: Int64 = 0
        while try links.next() != nil { count += 1 }
        #expect(try count == connection.number("SELECT count(*) FROM \(join.table)"))
      }
    }
  }
}

extension Connection {
  /// The integer of a query with one row.
  func number(_ sql: String) throws -> Int64 {
    let statement = try prepare(sql)
    return try statement.step() ? statement.int64(at: 0) : 0
  }
}
