import AppleFiles
import AppleStores
import Format
import SQLite
import TestSupport
import Testing

@Suite("The model of a store")
struct AppleModelTests {
  private func open(_ fixture: Fixture, isStrict: Bool = true) throws -> AppleStore {
    try AppleStore(fixture.open(), isStrict: isStrict)
  }

  @Test("Entities have their numbers, parents and own properties.")
  func entities() throws {
    let store = try open(Fixture())
    let model = store.model
    #expect(model.guess == nil)
    #expect(model.findings == [])
    let names = ["Item", "Album", "Song", "Note", "Passport", "Person"]
    #expect(model.entities.map(\.name) == names)
    #expect(model.entities.map(\.number) == [1, 2, 3, 4, 5, 6])
    #expect(model.entities.map(\.parent) == [nil, 0, 0, nil, nil, nil])
    #expect(model.entities[0].isAbstract)
    #expect(model.entities[1].renamingIdentifier == "Record")
    #expect(model.entities[1].attributes.map(\.name) == ["price", "rating"])
    #expect(model.entities[2].relationships.map(\.name) == ["album", "people"])
    #expect(model.entities[4].uniques == [["number"]])
    let person = model.entities[5]
    #expect(person.attributes.first { $0.name == "mood" }?.isRawValue == true)
    #expect(person.attributes.first { $0.name == "closeness" }?.isRawValue == false)
    #expect(person.attributes.first { $0.name == "address" }?.leaves.count == 3)
    #expect(person.relationships.first { $0.name == "passport" }?.deleteRule == .cascade)
    let album = try #require(model.entities[2].relationships.first { $0.name == "album" })
    #expect(model.inverse(of: album)?.relationship.isOrdered == true)
  }

  @Test("The metadata have the UUID, the versions and the hashes.")
  func metadata() throws {
    let metadata = try open(Fixture()).metadata
    #expect(metadata.uuid == Fixture.uuid)
    #expect(metadata.frameworkVersion == 1414)
    #expect(metadata.modelVersions == ["2.1.0"])
    #expect(metadata.versionHashes == ["Item": [1, 2, 3]])
    #expect(metadata.versionDigest == "digest==")
    #expect(metadata.historyKeys == ["NSPersistentHistoryTrackingKey"])
  }

  @Test("Columns follow the rule of names, with numbers where two would be the same.")
  func columns() throws {
    let layout = try open(Fixture()).layout
    #expect(layout.differences == [])
    #expect(layout.otherTables == [])
    #expect(layout.attributes[AppleProperty(1, "rating")] == ["ZRATING"])
    #expect(layout.attributes[AppleProperty(2, "rating")] == ["ZRATING1"])
    #expect(layout.attributes[AppleProperty(5, "address")] == ["ZSTREET", "ZZIP", "ZTAGS"])
    #expect(layout.attributes[AppleProperty(5, "work")] == ["ZSTREET1", "ZSINCE"])
    #expect(layout.attributes[AppleProperty(5, "shown")] == nil)
    let album = try #require(layout.toOnes[AppleProperty(2, "album")])
    #expect(album.column == "ZALBUM")
    #expect(album.orderColumn == "Z_FOK_ALBUM")
    #expect(album.entityColumn == nil)
    let favorite = try #require(layout.toOnes[AppleProperty(5, "favorite")])
    #expect(favorite.column == "ZFAVORITE")
    #expect(favorite.entityColumn == "Z1_FAVORITE")
    #expect(favorite.orderColumn == nil)
    #expect(layout.hidden.map(\.columns.column) == ["Z6NOTES"])
    #expect(layout.joins.map(\.table) == ["Z_3PEOPLE"])
    #expect(layout.joins.map(\.source) == ["Z_3SONGS"])
    #expect(layout.joins.map(\.target) == ["Z_6PEOPLE"])
  }

  @Test("A table with other columns is reported by name, and only its matching columns are used.")
  func otherColumns() throws {
    var fixture = Fixture()
    fixture.changes = """
      ALTER TABLE ZPERSON DROP COLUMN ZHEIGHT;
      ALTER TABLE ZPERSON ADD COLUMN ZSURPRISE INTEGER;
      DROP TABLE Z_3PEOPLE;
      CREATE TABLE ZSTRANGER (Z_PK INTEGER PRIMARY KEY);
      """
    let layout = try open(fixture).layout
    #expect(layout.differences.map(\.table) == ["ZPERSON", "Z_3PEOPLE"])
    #expect(layout.differences.map(\.missing) == [["ZHEIGHT"], []])
    #expect(layout.differences.map(\.unexpected) == [["ZSURPRISE"], []])
    #expect(layout.differences.map(\.isMissing) == [false, true])
    #expect(layout.attributes[AppleProperty(5, "height")] == [nil])
    #expect(layout.joins == [])
    #expect(layout.otherTables == ["ZSTRANGER"])
  }

  @Test(
    "Numbers follow from the model if the names of Z_PRIMARYKEY are old or missing.",
    arguments: [
      ("DELETE FROM Z_PRIMARYKEY", 0),
      ("UPDATE Z_PRIMARYKEY SET Z_NAME = 'Record' WHERE Z_ENT = 2", 1),
    ]
  )
  func numbers(change: String, findings: Int) throws {
    var fixture = Fixture()
    fixture.changes = change
    let model = try open(fixture).model
    #expect(model.entities.map(\.number) == [1, 2, 3, 4, 5, 6])
    #expect(model.index(numbered: 2) == model.index(named: "Album"))
    #expect(model.findings.count == findings)
  }

  @Test("Siblings are sorted without regard to case.")
  func siblings() throws {
    let names = ["NWActivity", "NetworkAttachment", "ComputeSync", "ComputedAsset"]
    let model = FileModel(entities: names.map { FileModel.Entity(name: $0) })
    let store = try open(Fixture(cache: deflated(model.archive())))
    let sorted = ["ComputedAsset", "ComputeSync", "NetworkAttachment", "NWActivity"]
    #expect(store.model.entities.map(\.name) == sorted)
  }

  @Test("Without a model, entities and attributes are guessed from the tables, and this is said.")
  func guess() throws {
    let store = try open(Fixture(cache: nil), isStrict: false)
    #expect(store.model.guess?.contains("missing") == true)
    let names = ["Item", "Album", "Song", "Note", "Passport", "Person"]
    #expect(store.model.entities.map(\.name) == names)
    #expect(
      store.model["Note"]?.attributes.map(\.name) == ["Z6NOTES", "position", "text"].sorted()
    )
    let schema = try AppleSchema(store).schema
    #expect(schema["Note"]?.attributes.map(\.type).contains(.string) == true)
    var fixture = Fixture(cache: nil)
    fixture.changes = "DELETE FROM Z_PRIMARYKEY"
    let other = try open(fixture, isStrict: false).model
    #expect(other.entities.map(\.name) == ["ITEM", "NOTE", "PASSPORT", "PERSON"])
  }

  private static let brokenCaches: [String: [UInt8]] = {
    let archive = FileModel.music.archive()
    let list = ArchiveBuilder()
    let deep = FileModel(
      entities: (0..<70).map {
        FileModel.Entity(name: "E\($0)", parent: $0 == 0 ? nil : "E\($0 - 1)")
      }
    )
    let cyclic = FileModel(entities: [
      FileModel.Entity(name: "A", parent: "B"), FileModel.Entity(name: "B", parent: "A"),
    ])
    let long = FileModel(
      entities: (0..<600).map {
        FileModel.Entity(name: String(repeating: "long", count: 1000) + "\($0)")
      }
    )
    return [
      "long": deflated(long.archive()), "empty": [], "text": Array("no model".utf8),
      "not a list": deflated([1, 2, 3]),
      "cut": Array(deflated(archive).dropLast(100)), "no archive": deflated(Plist.array([]).bytes),
      "list": deflated(list.bytes(root: list.list([]))), "cycle": deflated(cyclic.archive()),
      "deep": deflated(deep.archive()), "endless": endlessComposite(),
      "bomb": deflated([UInt8](repeating: 0, count: 80 << 20)),
    ]
  }()

  /// A model with a composite that contains itself ten times.
  private static func endlessComposite() -> [UInt8] {
    let builder = ArchiveBuilder()
    let composite = builder.reserve()
    builder.set(
      composite,
      "NSCompositeAttributeDescription",
      [
        ("NSPropertyName", builder.text("all")), ("NSAttributeType", .integer(2100)),
        ("NSCompositeElements", builder.list((0..<10).map { _ in .uid(composite) })),
      ]
    )
    let entity = builder.object(
      "NSEntityDescription",
      [
        ("NSEntityName", builder.text("A")),
        ("NSProperties", builder.dictionary([("all", .uid(composite))])),
      ]
    )
    let model = builder.object(
      "NSManagedObjectModel",
      [("NSEntities", builder.dictionary([("A", entity)]))]
    )
    return deflated(builder.bytes(root: model))
  }

  @Test(
    "A broken model is refused in strict reading, and guessed otherwise.",
    arguments: brokenCaches.keys.sorted()
  )
  func broken(_ name: String) throws {
    let fixture = Fixture(cache: Self.brokenCaches[name])
    let error = #expect(throws: StoreError.self) { try open(fixture) }
    #expect(error?.code == .damaged)
    #expect(try open(fixture, isStrict: false).model.isGuess)
  }

  @Test("A database without the tables of Core Data is not a store.")
  func notAStore() throws {
    let connection = try Connection(path: "", mode: .memory)
    let error = #expect(throws: StoreError.self) { _ = try AppleStore(connection) }
    #expect(error?.code == .notAStore)
  }

  @Test("A cut or changed model is read or refused.")
  func damage() throws {
    let archive = FileModel.music.archive()
    for index in stride(from: 0, to: archive.count, by: trials(311, long: 37)) {
      var changed = archive
      changed[index] ^= 0x55
      _ = try open(Fixture(cache: deflated(changed)), isStrict: false)
    }
  }
}
