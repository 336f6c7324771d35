import AppleFiles
import AppleStores
import Format
import Foundation
import SQLite
import TestSupport
import Testing

@Suite("The history of a store")
struct AppleHistoryTests {
  private func read(
    _ fixture: Fixture,
    after: Int64? = nil
  ) throws -> [(transaction: AppleTransaction?, changes: [AppleChange])] {
    let history = try #require(
      try AppleHistory(AppleStore(fixture.open(), isStrict: false), after: after)
    )
    var result: [(transaction: AppleTransaction?, changes: [AppleChange])] = []
    func changes() throws -> [AppleChange] {
      var changes: [AppleChange] = []
      while let change = try history.nextChange() { changes.append(change) }
      return changes
    }
    while let transaction = try history.next() { result.append((transaction, try changes())) }
    result.append((nil, try changes()))
    return result
  }

  @Test("Both layouts have the same transactions.", arguments: Fixture.HistoryLayout.allCases)
  func transactions(_ layout: Fixture.HistoryLayout) throws {
    let history = try read(Fixture(layout: layout))
    let transactions = history.compactMap(\.transaction)
    #expect(transactions.map(\.number) == [2, 3, 5])
    #expect(transactions[0].time == .real(700_000_001.25))
    #expect(transactions.map(\.bundle) == Array(repeating: "org.example.music", count: 3))
    #expect(transactions.map(\.process) == Array(repeating: "Music", count: 3))
    #expect(transactions.map(\.context) == [nil, nil, "background"])
    #expect(transactions.map { $0.migratedFrom != nil } == [false, true, false])
    #expect(transactions[1].migratedFrom == "old==")
    #expect(transactions[2].author == "sync")
    #expect(history.map { $0.changes.map(\.number) } == [[3, 4], [], [5, 6, 7], []])
    #expect(try read(Fixture(layout: layout), after: 3).map(\.transaction?.number) == [5, nil])
  }

  @Test("Updates name their properties, and deletes the values that were kept.")
  func changes() throws {
    let changes = try read(Fixture()).flatMap(\.changes)
    #expect(changes.map(\.kind) == [.insert, .insert, .update, .update, .delete])
    #expect(changes.map(\.entity) == [1, 2, 2, 5, 2])
    #expect(changes.map(\.id) == [1, 3, 3, 1, 2])
    #expect(changes.flatMap(\.unread) == [])
    #expect(changes[2].properties == ["album", "rating"])
    // No person got another favorite, so the fans of the song are the same.
    #expect(changes[2].toMany == .known(["people"]))
    #expect(changes[3].properties == ["mood"])
    #expect(changes[3].toMany == .candidates(["notes", "songs"], count: 1))
    let id = Data(
      [0, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88, 0x99, 0xaa, 0xbb, 0xcc]
        + [0xdd, 0xee, 0xff]
    )
    #expect(changes[4].tombstone.map(\.attribute) == ["id", "isLoud"])
    #expect(changes[4].tombstone.map(\.value) == [.blob(id), .integer(1)])
  }

  @Test("A place in an ordered relationship and the entity of a reference name the relationship.")
  func slots() throws {
    var fixture = Fixture()
    fixture.changes = """
      UPDATE ACHANGE SET ZCOLUMNS = x'4000' WHERE Z_PK = 5;
      UPDATE ACHANGE SET ZCOLUMNS = x'2000' WHERE Z_PK = 6;
      """
    let changes = try read(fixture).flatMap(\.changes)
    #expect(changes[2].properties == ["album"])
    #expect(changes[3].properties == ["favorite"])
  }

  @Test("A to-many relationship is not named by changes of which a migration removed some.")
  func removedChanges() throws {
    typealias Relationship = FileModel.Relationship
    var model = FileModel(entities: [
      FileModel.Entity(
        name: "Owner",
        relationships: [
          Relationship(name: "others", destination: "Other", inverse: "owner", maximum: 0),
          Relationship(name: "things", destination: "Thing", inverse: "owner", maximum: 0),
        ]
      ),
      FileModel.Entity(
        name: "Other",
        relationships: [Relationship(name: "owner", destination: "Owner", inverse: "others")]
      ),
      FileModel.Entity(
        name: "Thing",
        relationships: [Relationship(name: "owner", destination: "Owner", inverse: "things")]
      ),
      FileModel.Entity(name: "Gone", parent: "Thing"),
    ])
    try withTemporaryFolder { folder in
      let file = try AppleFile(folder.appending(path: "Owners.sqlite"), model)
      let (owner, second) = (file.insert("Owner"), file.insert("Owner"))
      let other = file.insert("Other")
      try file.save()
      file.link(owner, "things", file.insert("Gone"))
      file.link(second, "others", other)
      try file.save()
      func toMany() throws -> [AppleChange.ToMany] {
        let store = try AppleStore(Connection(path: file.url.path, mode: .readOnly))
        guard let history = try AppleHistory(store, after: 1) else { return [] }
        _ = try history.next()
        var result: [AppleChange.ToMany] = []
        while let change = try history.nextChange() {
          if change.toMany.count > 0 { result.append(change.toMany) }
        }
        return result
      }
      model.entities.removeLast()
      try file.migrate(to: model)
      let open = AppleChange.ToMany.candidates(["others", "things"], count: 1)
      let found = try toMany()
      #expect(found == [open, open])
    }
  }

  @Test("A composite can have one slot, or one for each leaf, if the length decides.")
  func composites() throws {
    var fixture = Fixture()
    // Two to-one slots, one for the entity, then three leaves of the address.
    fixture.changes = "UPDATE ACHANGE SET ZCOLUMNS = x'0C0000' WHERE Z_PK = 6"
    let change = try #require(try read(fixture).flatMap(\.changes).first { $0.number == 6 })
    #expect(change.properties == ["address"])
    #expect(change.unread == [])
  }

  @Test(
    "What can't be read is named with its change.",
    arguments: [
      ("UPDATE ACHANGE SET ZCOLUMNS = x'81' WHERE Z_PK = 5", [.bitmap(.length)]),
      ("UPDATE ACHANGE SET ZCOLUMNS = x'814000' WHERE Z_PK = 5", [.bitmap(.length)]),
      ("UPDATE ACHANGE SET ZCOLUMNS = x'8101' WHERE Z_PK = 5", [.bitmap(.extraBits)]),
      ("UPDATE ACHANGE SET ZCOLUMNS = NULL WHERE Z_PK = 5", [.missingBitmap]),
      ("UPDATE ACHANGE SET ZCHANGETYPE = 0 WHERE Z_PK = 5", [.unexpectedBitmap]),
      ("UPDATE ACHANGE SET ZENTITY = 99 WHERE Z_PK = 5", [.unknownEntity(99)]),
      ("UPDATE ACHANGE SET ZCHANGETYPE = 7, ZCOLUMNS = NULL WHERE Z_PK = 5", [.unknownKind(7)]),
      ("UPDATE ACHANGE SET ZTOMBSTONE1 = 1 WHERE Z_PK = 5", [.unexpectedTombstone(1)]),
      ("UPDATE ACHANGE SET ZTRANSACTIONID = 4 WHERE Z_PK = 5", [.missingTransaction]),
      ("UPDATE ACHANGE SET ZTRANSACTIONID = 9 WHERE Z_PK = 5", [.missingTransaction]),
      ("UPDATE ACHANGE SET ZTRANSACTIONID = NULL WHERE Z_PK = 5", [.missingTransaction]),
      ("UPDATE ACHANGE SET ZTRANSACTIONID = \(Int64.max) WHERE Z_PK = 5", [.missingTransaction]),
      ("DELETE FROM Z_MODELCACHE", [.guessedModel]),
    ] as [(String, [AppleChange.Unread])]
  )
  func unread(statement: String, reasons: [AppleChange.Unread]) throws {
    var fixture = Fixture()
    fixture.changes = statement
    let changes = try read(fixture).flatMap(\.changes)
    #expect(changes.count == 5)
    #expect(changes.first { $0.number == 5 }?.unread == reasons)
  }

  @Test("Each bitmap of an entity has the properties of its bits, or is refused.")
  func allBitmaps() throws {
    let store = try AppleStore(Fixture().open())
    let slots = BitmapSlots(2, of: store.model, in: store.layout)
    let names = ["album", "album", "createdAt", "id", "name", "isLoud", "lyrics", "rating"]
    for bits in 0..<(1 << 16) {
      let bytes = [UInt8(bits >> 8), UInt8(bits & 255)]
      let result = bytes.withUnsafeBytes { slots.decode($0) }
      guard bits & 0x3f == 0 else {
        guard case .failure(let error) = result, error.reason == .extraBits else {
          Issue.record("\(bytes) has bits behind the last slot.")
          continue
        }
        continue
      }
      var expected: [String] = []
      for (slot, name) in names.enumerated() where bits >> (15 - slot) & 1 == 1 {
        if expected.last != name { expected.append(name) }
      }
      let toMany = (bits >> 7 & 1) + (bits >> 6 & 1)
      let named = try result.get()
      if named.properties != expected || named.toManyCount != toMany {
        Issue.record("\(bytes) names \(named) instead of \(expected) and \(toMany).")
      }
    }
  }

  @Test("A store without history has none.")
  func none() throws {
    var fixture = Fixture()
    fixture.changes = "DROP TABLE ACHANGE"
    #expect(try AppleHistory(AppleStore(fixture.open())) == nil)
  }
}
