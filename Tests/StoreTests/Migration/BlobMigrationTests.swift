import Foundation
import SQLite
import StoreTesting
import Testing

@testable import Format
@testable import Store

@Suite("Large values in migrations")
struct BlobMigrationTests {
  static func schema(_ version: String, _ attributes: Attribute...) -> StoreSchema {
    StoreSchema(version: version, entities: [Entity(name: "Photo", attributes: attributes)])
  }

  static func image(
    _ name: String = "image",
    isExternal: Bool = true,
    original: String? = nil
  ) -> Attribute {
    Attribute(
      name: name,
      type: .data,
      isOptional: true,
      originalName: original,
      isExternal: isExternal
    )
  }

  static let note = Attribute(name: "note", type: .string, defaultValue: .text("-"))
  static let middle = Data(repeating: 2, count: 200_000)
  static let large = Data(repeating: 3, count: 1_100_000)

  static func digest(_ data: Data) -> String { SHA256.digest(of: Array(data)).description }

  /// Two rows with one value, one row with a value that history keeps in a file, and one without.
  static func fill(_ writer: Writer) throws {
    try writer.insert(0, id: 1, values: [.blob(middle)])
    try writer.insert(0, id: 2, values: [.blob(middle)])
    try writer.insert(0, id: 3, values: [.blob(large)])
    try writer.insert(0, id: 4, values: [.null])
  }

  static func files(_ url: URL) throws -> Set<String> {
    Set(
      try FileManager.default.contentsOfDirectory(
        atPath: url.path(percentEncoded: false) + "-blobs"
      )
    )
  }

  static func counts(_ store: Store) throws -> [String] {
    try rows("SELECT size, rows, history FROM store_blob ORDER BY size", in: store)
  }

  @Test("Blob files stay if their attribute is renamed or its table is rebuilt.")
  func stay() throws {
    try withStoreFile(Self.schema("1", Self.image()), fill: Self.fill) { url in
      let before = try Self.files(url)
      let store = try migrate(
        url,
        to: Self.schema("2", Self.image("picture", original: "image"), Self.note)
      )
      #expect(try Self.files(url) == before)
      #expect(try Self.counts(store) == ["200000|2|0", "1100000|1|1"])
      #expect(
        try rows("SELECT id, picture, note FROM Photo WHERE id > 2", in: store)
          == ["3|\(Self.digest(Self.large))|-", "4|null|-"]
      )
    }
  }

  @Test("Large values move into the table if their attribute is no longer external.")
  func comeIn() throws {
    try withStoreFile(Self.schema("1", Self.image()), fill: Self.fill) { url in
      _ = try migrate(url, to: Self.schema("2", Self.image(isExternal: false)))
      let store = try Store.open(.file(url))
      #expect(
        try rows("SELECT length(image), typeof(image) FROM Photo ORDER BY id", in: store)
          == ["200000|blob", "200000|blob", "1100000|blob", "null|null"]
      )
      // History still needs the largest one.
      #expect(try Self.counts(store) == ["1100000|0|1"])
      #expect(try Self.files(url) == [Self.digest(Self.large)])
      _ = try migrate(url, to: Self.schema("3", Self.image()))
      #expect(try rows("SELECT count(image) FROM Photo", in: Store.open(.file(url))) == ["3"])
    }
  }

  @Test("Blob files are removed with their attribute, except those that history needs.")
  func go() throws {
    try withStoreFile(
      Self.schema("1", Self.image(), Self.note),
      fill: { writer in
        try writer.insert(0, id: 1, values: [.blob(Self.middle), .text("a")])
        try writer.insert(0, id: 2, values: [.blob(Self.large), .text("b")])
      }
    ) { url in
      _ = try migrate(url, to: Self.schema("2", Self.note))
      #expect(try Self.counts(Store.open(.file(url))) == ["1100000|0|1"])
      #expect(try Self.files(url) == [Self.digest(Self.large)])
    }
  }

  @Test("A missing blob file stops a migration that needs it, and nothing is changed.")
  func missing() throws {
    try withStoreFile(Self.schema("1", Self.image()), fill: Self.fill) { url in
      let folder = url.path(percentEncoded: false) + "-blobs/"
      try FileManager.default.removeItem(atPath: folder + Self.digest(Self.middle))
      #expect(throws: StoreError.self) {
        try Migration.migrate(
          url,
          to: Self.schema("2", Self.image(isExternal: false)),
          author: Author()
        )
      }
      #expect(try Store.open(.file(url)).schema.version == "1")
    }
  }

  @Test(
    "Blob files that stages add and remove are counted only after the commit.",
    arguments: [true, false]
  )
  func staged(isCommitted: Bool) throws {
    let new = Data(repeating: 9, count: 300_000)
    try withStoreFile(Self.schema("1", Self.image()), fill: Self.fill) { url in
      let before = try Self.files(url)
      let migration = try StagedMigration.begin(on: url)
      let copy = try Store.open(.file(migration.workingCopy))
      try copy.write(Author()) { writer in
        try writer.update(0, id: 1, columns: [0], values: [.null])
        try writer.update(0, id: 2, columns: [0], values: [.blob(new)])
      }
      #expect(try Self.files(url) == before)
      if isCommitted { try migration.commit() } else { migration.abandon() }
      let store = try Store.open(.file(url))
      let expected = isCommitted ? [Self.large, new] : [Self.large, Self.middle]
      #expect(try Self.files(url) == Set(expected.map(Self.digest)))
      #expect(
        try Self.counts(store)
          == (isCommitted ? ["300000|1|0", "1100000|1|1"] : ["200000|2|0", "1100000|1|1"])
      )
    }
  }

  @Test("Blob files of a crash before the copy replaced the store are removed.")
  func crashBeforeCommit() throws {
    try withStoreFile(Self.schema("1", Self.image()), fill: Self.fill) { url in
      let before = try Self.files(url)
      let migration = try StagedMigration.begin(on: url)
      try Store.open(.file(migration.workingCopy)).write(Author()) {
        try $0.insert(0, id: 9, values: [.blob(Data(repeating: 9, count: 300_000))])
      }
      let blobs = BlobFolderCopy(from: url, to: migration.workingCopy)
      try blobs.bringBack()
      #expect(try Self.files(url).count == before.count + 2)
      migration.abandon()
      _ = try Store.open(.file(url))
      #expect(try Self.files(url) == before)
    }
  }
}
