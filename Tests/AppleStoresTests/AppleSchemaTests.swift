import AppleFiles
import AppleStores
import Format
import Foundation
import SQLite
import TestSupport
import Testing

@Suite("A store's model as our schema")
struct AppleSchemaTests {
  private func open(_ changes: String = "") throws -> (store: AppleStore, schema: AppleSchema) {
    var fixture = Fixture()
    fixture.changes = changes
    let store = try AppleStore(fixture.open(), isStrict: true)
    return (store, try AppleSchema(store))
  }

  /// The values of an object by property.
  private func values(
    _ id: Int64,
    of root: String,
    _ opened: (store: AppleStore, schema: AppleSchema),
    folder: String = "/nowhere/Music.sqlite"
  ) throws -> [String: StoredValue] {
    let rows = try AppleRows(
      opened.store,
      opened.schema,
      root: #require(opened.store.model.index(named: root)),
      external: ExternalFolder(besideStore: folder)
    )
    while let row = try rows.next() {
      guard row.id == id else { continue }
      let names = opened.schema.layoutNames[row.entity]
      return Dictionary(uniqueKeysWithValues: zip(names, row.values))
    }
    return [:]
  }

  @Test("Attributes have the types of our schema, and their columns its names.")
  func attributes() throws {
    let schema = try open().schema.schema
    #expect(schema.version == "2.1.0")
    func types(_ entity: String) -> [String: ValueType] {
      let attributes = schema[entity]?.attributes ?? []
      return Dictionary(uniqueKeysWithValues: attributes.map { ($0.name, $0.type) })
    }
    #expect(types("Item") == ["name": .string, "id": .uuid, "createdAt": .date])
    #expect(
      types("Song") == [
        "name": .string, "id": .uuid, "createdAt": .date, "rating": .int64, "isLoud": .bool,
        "lyrics": .data, "_tracks_order": .int64,
      ]
    )
    #expect(types("Album")["price"] == .decimal)
    #expect(
      types("Person") == [
        "address": .json, "work": .json, "mood": .string, "closeness": .json, "aliases": .json,
        "color": .transformed, "homepage": .url, "height": .float,
      ]
    )
    let song = try #require(schema["Song"])
    #expect(song.parent == "Item")
    #expect(song.table == "Item")
    #expect(song.sharesTable)
    let id = try #require(song.attributes.first { $0.name == "id" })
    #expect(id.column == "id_")
    #expect(id.preservesValueOnDeletion)
    #expect(song.attributes.first { $0.name == "lyrics" }?.isExternal == true)
    #expect(song.attributes.first { $0.name == "name" }?.isOptional == false)
    #expect(schema["Album"]?.originalName == "Record")
    #expect(schema["Passport"]?.uniques == [["number"]])
  }

  @Test("Relationships have the storage of our stores.")
  func relationships() throws {
    let opened = try open()
    let schema = opened.schema.schema
    func relationship(_ entity: String, _ name: String) throws -> Relationship {
      try #require(schema[entity]?.relationships.first { $0.name == name })
    }
    #expect(try relationship("Song", "album").storage == .column("album"))
    #expect(try relationship("Album", "tracks").storage == .inverseColumn("album"))
    #expect(try relationship("Song", "fans").storage == .inverseColumn("favorite"))
    let join = Relationship.Storage.joinTable("Person_songs", source: "Person", target: "Song")
    #expect(try relationship("Person", "songs").storage == join)
    let other = Relationship.Storage.joinTable("Person_songs", source: "Song", target: "Person")
    #expect(try relationship("Song", "people").storage == other)
    // The owner's side cascades, so the column is on the other side.
    #expect(try relationship("Passport", "owner").storage == .column("owner"))
    #expect(try relationship("Person", "passport").storage == .inverseColumn("owner"))
    #expect(try relationship("Person", "notes").inverse == "_Person_notes")
    let hidden = try relationship("Note", "_Person_notes")
    #expect(hidden.isHidden)
    #expect(hidden.destination == "Person")
    #expect(opened.schema.loosened == [])
    #expect(try schema.layouts().count == 6)
  }

  @Test("Values have the form of our columns.")
  func values() throws {
    let opened = try open()
    let song = try values(3, of: "Item", opened)
    #expect(song["id"] == .value(.text("00112233-4455-6677-8899-AABBCCDDEEFF")))
    #expect(song["rating"] == .value(.integer(4)))
    #expect(song["isLoud"] == .value(.integer(1)))
    #expect(song["lyrics"] == .value(.blob(Data("Hi.".utf8))))
    #expect(song["album"] == .value(.integer(1)))
    #expect(song["_tracks_order"] == .value(.integer(1024)))
    let album = try values(1, of: "Item", opened)
    #expect(album["price"] == .value(.text("9.99")))
    #expect(album["createdAt"] == .value(.real(700_000_000.5)))
    let person = try values(1, of: "Person", opened)
    let address = #"{"street":"Main","tags":["b","a"],"zip":101}"#
    #expect(person["address"] == .value(.text(address)))
    #expect(person["work"] == .value(.text(#"{"since":5,"street":"Side"}"#)))
    #expect(person["mood"] == .value(.text("happy")))
    #expect(person["closeness"] == .value(.text(#"{"far":{}}"#)))
    #expect(person["aliases"] == .value(.text(#"["Björk","B"]"#)))
    #expect(person["color"] == .value(.blob(Data("bpl".utf8))))
    #expect(person["homepage"] == .value(.text("https://bjork.com")))
    let empty = try values(2, of: "Person", opened)
    #expect(empty["address"] == .value(.text("{}")))
    for name in ["work", "mood", "closeness", "aliases"] { #expect(empty[name] == .value(.null)) }
    let note = try values(1, of: "Note", opened)
    #expect(note["_Person_notes"] == .value(.integer(1)))
  }

  @Test("The links of a join table are those of its rows, in the order of their owners.")
  func links() throws {
    let store = try open().store
    let links = try AppleLinks(store, #require(store.layout.joins.first))
    var found: [[Int64]] = []
    while let link = try links.next() { found.append([link.owner, link.destination]) }
    // In our schema, the persons own the links to their songs.
    #expect(found == [[1, 3], [2, 3], [2, 4]])
  }

  @Test("Relationships of an entity with itself, and ordered ones without an inverse, are found.")
  func nodes() throws {
    typealias Relationship = FileModel.Relationship
    let model = FileModel(entities: [
      FileModel.Entity(
        name: "Node",
        relationships: [
          Relationship(name: "children", destination: "Leaf", maximum: 0, isOrdered: true),
          Relationship(
            name: "following",
            destination: "Node",
            inverse: "followedBy",
            maximum: 0,
            isOrdered: true
          ),
          Relationship(name: "followedBy", destination: "Node", inverse: "following", maximum: 0),
          Relationship(name: "friends", destination: "Node", inverse: "friends", maximum: 0),
        ]
      ),
      FileModel.Entity(
        name: "Leaf",
        attributes: [FileModel.Attribute(name: "text", type: 700)]
      ),
    ])
    var fixture = Fixture(cache: deflated(model.archive()))
    fixture.changes = """
      CREATE TABLE ZNODE (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER);
      CREATE TABLE ZLEAF (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER,
        Z2CHILDREN INTEGER, Z_FOK_2CHILDREN INTEGER, ZTEXT VARCHAR);
      CREATE TABLE Z_2FOLLOWING (Z_2FOLLOWEDBY INTEGER, Z_2FOLLOWING INTEGER,
        Z_FOK_2FOLLOWING INTEGER);
      CREATE TABLE Z_2FRIENDS (Z_2FRIENDS INTEGER, REFLEXIVE INTEGER);
      INSERT INTO ZNODE VALUES (1, 2, 1), (2, 2, 1);
      INSERT INTO ZLEAF VALUES (1, 1, 1, 2, 512, 'a');
      INSERT INTO Z_2FOLLOWING VALUES (1, 2, 1024);
      """
    let store = try AppleStore(fixture.open(), isStrict: true)
    #expect(store.layout.differences == [])
    let schema = try AppleSchema(store)
    #expect(schema.loosened.map(\.reason) == [.lostOrder])
    let leaf = try values(1, of: "Leaf", (store, schema))
    #expect(leaf["_Node_children"] == .value(.integer(2)))
    #expect(leaf["_children_order"] == .value(.integer(512)))
    // Node 1 follows node 2; in our schema, the followed one owns the link.
    let join = try #require(store.layout.joins.first { $0.table == "Z_2FOLLOWING" })
    let link = try #require(try AppleLinks(store, join).next())
    #expect([link.owner, link.destination] == [2, 1])
    let layouts = try schema.schema.layouts()
    let tables = joinTables(among: layouts)
    #expect(tables.map(\.name) == ["Node_followedBy", "Node_friends"])
    #expect(tables.first?.logName(layouts) == "followedBy")
  }

  @Test("An external value is a file beside the store, is missing, or is refused if it is a link.")
  func external() throws {
    let opened = try open()
    let missing = try values(4, of: "Item", opened)["lyrics"]
    #expect(missing == .missing(name: Fixture.external))
    try withTemporaryFolder { folder in
      let store = folder.appending(path: "Music.sqlite").path
      let values = folder.appending(path: ".Music_SUPPORT/_EXTERNAL_DATA")
      try FileManager.default.createDirectory(at: values, withIntermediateDirectories: true)
      let file = values.appending(path: Fixture.external)
      try Data("long".utf8).write(to: file)
      let there = try self.values(4, of: "Item", opened, folder: store)["lyrics"]
      guard case .file(let found) = there else {
        Issue.record("There is no file: \(String(describing: there))")
        return
      }
      #expect(found.path == file.path)
      #expect(found.size == 4)
      try FileManager.default.removeItem(at: file)
      try FileManager.default.createSymbolicLink(
        atPath: file.path,
        withDestinationPath: "/etc/hostname"
      )
      let error = #expect(throws: StoreError.self) {
        try self.values(4, of: "Item", opened, folder: store)
      }
      #expect(error?.code == .damaged)
    }
  }

  @Test("A tag that is not known, or a name that is a path, is kept as it is.")
  func tags() throws {
    for bytes in ["x'07AABB'", "x''", "CAST('\u{2}../../../../../../../../../etc/passwd' AS BLOB)"]
    {
      let opened = try open("UPDATE ZITEM SET ZLYRICS = \(bytes) WHERE Z_PK = 3")
      guard case .special(.blob) = try values(3, of: "Item", opened)["lyrics"] else {
        Issue.record("\(bytes) is not special.")
        continue
      }
    }
  }

  @Test("Values of another storage class are special and counted.")
  func special() throws {
    let opened = try open(
      """
      UPDATE ZITEM SET ZRATING = 70000, ZPRICE = 'cheap', ZCREATEDAT = 'then' WHERE Z_PK = 1;
      UPDATE ZITEM SET ZISLOUD = 2, ZID = x'01', ZNAME = x'02' WHERE Z_PK = 3;
      """
    )
    let rows = try AppleRows(
      opened.store,
      opened.schema,
      root: 0,
      external: ExternalFolder(besideStore: "/nowhere/Music")
    )
    while try rows.next() != nil {}
    let names = Set(rows.specialCounts.keys.map(\.name))
    #expect(names == ["rating", "price", "createdAt", "isLoud", "id", "name"])
    let album = try values(1, of: "Item", opened)
    #expect(album["rating"] == .special(.integer(70_000)))
    #expect(album["price"] == .special(.text("cheap")))
  }

  @Test(
    "A rule that the file breaks is not in the schema, and is listed.",
    arguments: [
      ("UPDATE ZITEM SET ZNAME = NULL WHERE Z_PK = 3", .missingValue, "name", 1),
      ("UPDATE ZITEM SET ZALBUM = 77 WHERE Z_PK > 2", .missingDestination, "album", 2),
      ("UPDATE ZITEM SET ZALBUM = 3 WHERE Z_PK = 4", .otherEntity, "album", 1),
      ("UPDATE ZNOTE SET Z6NOTES = 9", .missingDestination, "notes", 2),
      ("UPDATE ZPASSPORT SET ZOWNER = NULL", .oneSided, "passport", 1),
      ("INSERT INTO ZPASSPORT VALUES (2, 5, 1, NULL, 'A 1')", .duplicates, "number", 1),
      ("INSERT INTO Z_3PEOPLE VALUES (3, 99), (98, 1)", .missingLink, "people", 2),
      ("ALTER TABLE ZNOTE DROP COLUMN ZTEXT", .missingColumn, "text", 0),
    ] as [(String, Loosened.Reason, String, Int64)]
  )
  func loosened(change: String, reason: Loosened.Reason, property: String, count: Int64) throws {
    let opened = try open(change)
    let found = opened.schema.loosened
    #expect(found.map(\.reason) == [reason])
    #expect(found.map(\.property) == [property])
    #expect(found.map(\.count) == [count])
    let schema = opened.schema.schema
    switch reason {
    case .missingValue:
      #expect(schema["Song"]?.attributes.first { $0.name == "name" }?.isOptional == true)
    case .missingDestination, .otherEntity:
      let entity = property == "album" ? "Song" : "Note"
      let name = property == "album" ? property : "_Person_notes"
      #expect(schema[entity]?.attributes.first { $0.name == name }?.type == .int64)
      #expect(schema["Album"]?.relationships.contains { $0.name == "tracks" } == (entity == "Note"))
    case .oneSided:
      let owner = try #require(schema["Passport"]?.relationships.first)
      #expect(owner.inverse == nil)
      #expect(owner.storage == .column("owner"))
    case .duplicates: #expect(schema["Passport"]?.uniques == [])
    case .missingLink, .missingColumn, .lostOrder: break
    }
    // The values are read all the same.
    for (index, entity) in opened.store.model.entities.enumerated() where entity.parent == nil {
      let rows = try AppleRows(
        opened.store,
        opened.schema,
        root: index,
        external: ExternalFolder(besideStore: "/nowhere/Music")
      )
      while try rows.next() != nil {}
    }
  }

  @Test("Rows of an unknown entity are counted.")
  func unknownRows() throws {
    let opened = try open("UPDATE ZITEM SET Z_ENT = 44 WHERE Z_PK = 3")
    let rows = try AppleRows(
      opened.store,
      opened.schema,
      root: 0,
      external: ExternalFolder(besideStore: "/nowhere/Music")
    )
    var ids: [Int64] = []
    while let row = try rows.next() { ids.append(row.id) }
    #expect(ids == [1, 4])
    #expect(rows.unknownCount == 1)
  }

  @Test("A value that history kept has the form of its column.")
  func kept() throws {
    let opened = try open()
    let history = try #require(try AppleHistory(opened.store))
    var values: [StoredValue] = []
    while try history.next() != nil {
      while let change = try history.nextChange() {
        values += change.tombstone.map { opened.schema.value($0, of: change.entity ?? 0) }
      }
    }
    let id = Value.text("00112233-4455-6677-8899-AABBCCDDEEFF")
    #expect(values == [.value(id), .value(.integer(1))])
  }

  @Test("A damaged file is read or refused with an error of this library.")
  func damage() throws {
    var random = SeededGenerator(for: "damaged stores of Core Data")
    try withTemporaryFolder { folder in
      let path = folder.appending(path: "whole").path
      try Fixture().open().execute("VACUUM INTO '\(path)'")
      let bytes = try Data(contentsOf: URL(filePath: path))
      let damaged = folder.appending(path: "damaged")
      for _ in 0..<trials(60, long: 3000) {
        var changed = bytes
        for _ in 0..<Int.random(in: 1...20, using: &random) {
          let place = Int.random(in: 100..<changed.count, using: &random)
          changed[place] = UInt8.random(in: 0...255, using: &random)
        }
        if Int.random(in: 0..<5, using: &random) == 0 {
          changed = changed.prefix(Int.random(in: 0..<changed.count, using: &random))
        }
        try changed.write(to: damaged)
        do {
          try readAll(Connection(path: damaged.path, mode: .readOnly))
        } catch is SQLiteError {
          // SQLite refuses the page.
        } catch is StoreError {
          // The content is not that of a store.
        }
      }
    }
  }

  private func readAll(_ connection: Connection) throws {
    let store = try AppleStore(connection)
    if let history = try AppleHistory(store) {
      while try history.next() != nil { while try history.nextChange() != nil {} }
    }
    let schema = try AppleSchema(store)
    let folder = ExternalFolder(besideStore: connection.path)
    for table in store.layout.tables {
      let rows = try AppleRows(store, schema, root: table.root, external: folder)
      while try rows.next() != nil {}
    }
    for join in store.layout.joins {
      let links = try AppleLinks(store, join)
      while try links.next() != nil {}
    }
  }

  @Test("A number of a decimal column has the shortest decimal.")
  func decimals() throws {
    for (number, text) in [
      ("0.1", "0.1"), ("100", "100"), ("1e-7", "0.0000001"), ("-2.50", "-2.5"), ("0.0", "0"),
      ("1.5e21", "1500000000000000000000"), ("123456789.125", "123456789.125"),
    ] {
      let opened = try open("UPDATE ZITEM SET ZPRICE = \(number) WHERE Z_PK = 1")
      #expect(try values(1, of: "Item", opened)["price"] == .value(.text(text)), "\(number)")
    }
  }
}
