import Format
import Foundation
import Glibc
import Store
import StoreTesting
import TestSupport
import Testing

@Suite("Large values")
struct BlobTests {
  private let schema = StoreSchema(
    version: "1",
    entities: [
      Entity(
        name: "Photo",
        attributes: [
          Attribute(name: "image", type: .data, isOptional: true, isExternal: true),
          Attribute(name: "text", type: .string, isOptional: true),
        ]
      )
    ]
  )

  private let small = Data(repeating: 1, count: 128 * 1024)
  private let middle = Data(repeating: 2, count: 128 * 1024 + 1)
  private let big = Data(repeating: 3, count: 1024 * 1024 + 1)

  private func digest(_ data: Data) -> String { SHA256.digest(of: Array(data)).description }

  /// Calls `body` with a store in a file, and a function that lists its blob files.
  private func withPhotos(_ body: (Store, () throws -> [String]) throws -> Void) throws {
    try withStore(.file, schema: schema) { store, _ in
      let folder = store.location.path + "-blobs"
      try body(store) {
        FileManager.default.fileExists(atPath: folder)
          ? try FileManager.default.contentsOfDirectory(atPath: folder).sorted() : []
      }
    }
  }

  private func image(_ id: Int64, in store: Store) throws -> Data? {
    try store.read { reader in
      let statement = try reader.connection.prepare("SELECT image FROM Photo WHERE id = ?1")
      try statement.bind(1, id)
      guard try statement.step() else { return nil }
      switch statement.value(at: 0) {
      case .blob(let data): return data
      case .text(let digest): return try reader.externalData(digest)
      default: return nil
      }
    }
  }

  @Test("Large values of external attributes are kept in files named by their digests.")
  func files() throws {
    try withPhotos { store, files in
      try store.write(Author()) { writer in
        try writer.insert(0, id: 1, values: [.blob(self.small), .null])
        try writer.insert(0, id: 2, values: [.blob(self.middle), .null])
        try writer.insert(0, id: 3, values: [.null, .null])
        #expect(try writer.row(0, id: 2) == [.text(self.digest(self.middle)), .null])
      }
      #expect(try files() == [self.digest(self.middle)])
      #expect(try rows("SELECT typeof(image) FROM Photo", in: store) == ["blob", "text", "null"])
      #expect(try self.image(1, in: store) == self.small)
      #expect(try self.image(2, in: store) == self.middle)
      let text = try #require(try history(of: store).dropFirst().first?.text)
      #expect(text.contains(self.middle.base64EncodedString()))
      #expect(try rows("SELECT DISTINCT large FROM history_change", in: store) == ["null"])
    }
  }

  @Test("Rows with equal values share one file, which exists as long as a row needs it.")
  func shared() throws {
    try withPhotos { store, files in
      try store.write(Author()) { writer in
        try writer.insert(0, id: 1, values: [.blob(self.middle), .null])
        try writer.insert(0, id: 2, values: [.blob(self.middle), .null])
      }
      #expect(try rows("SELECT rows, history FROM store_blob", in: store) == ["2|0"])
      try store.write(Author()) { writer in
        try writer.update(0, id: 1, columns: [0], values: [.blob(self.middle)])
        try writer.update(0, id: 1, columns: [0], values: [.text(self.digest(self.middle))])
      }
      #expect(try rows("SELECT rows, history FROM store_blob", in: store) == ["2|0"])
      #expect(try rows("SELECT count(*) FROM history_transaction", in: store) == ["1"])
      try store.write(Author()) { try $0.delete(0, id: 1) }
      #expect(try files().count == 1)
      try store.write(Author()) { writer in
        try writer.update(0, id: 2, columns: [0], values: [.blob(self.small)])
      }
      #expect(try files() == [])
      #expect(try rows("SELECT * FROM store_blob", in: store) == [])
      let text = try #require(try lastChanges(of: store).first)
      #expect(text.contains(self.middle.base64EncodedString()))
      #expect(text.contains(self.small.base64EncodedString()))
    }
  }

  @Test("History refers to values over one mebibyte, and keeps their files.")
  func largeInHistory() throws {
    try withPhotos { store, files in
      try store.write(Author()) { try $0.insert(0, id: 1, values: [.blob(self.big), .null]) }
      let reference = #"{"sha256":"\#(digest(big))","size":1048577}"#
      #expect(
        try rows("SELECT after, large FROM history_change", in: store)
          == [#"{"image":null,"text":null}|{"after":{"image":\#(reference)}}"#]
      )
      try store.write(Author()) { try $0.delete(0, id: 1) }
      #expect(try rows("SELECT rows, history FROM store_blob", in: store) == ["0|2"])
      #expect(try files() == [self.digest(self.big)])
    }
  }

  @Test(
    "A large text of an ordinary attribute stays in its row, and history refers to its file.",
    arguments: Place.allCases
  )
  func largeText(place: Place) throws {
    let text = String(repeating: "é", count: 600_000)
    try withStore(place, schema: schema) { store, _ in
      try store.write(Author()) { try $0.insert(0, id: 1, values: [.null, .text(text)]) }
      #expect(try rows("SELECT length(text) FROM Photo", in: store) == ["600000"])
      #expect(
        try rows("SELECT after, large FROM history_change", in: store) == [
          #"{"image":null,"text":null}|{"after":{"text":"#
            + #"{"sha256":"\#(self.digest(Data(text.utf8)))","size":1200000}}}"#
        ]
      )
      let kept = try rows("SELECT rows, history, length(content) FROM store_blob", in: store)
      #expect(kept == [place == .memory ? "0|1|1200000" : "0|1|null"])
    }
  }

  @Test("Only the net effect of merged changes is counted for a file.")
  func merging() throws {
    try withPhotos { store, files in
      let other = self.big + [9]
      try store.write(Author()) { writer in
        try writer.insert(0, id: 1, values: [.blob(self.big), .null])
        try writer.update(0, id: 1, columns: [0], values: [.blob(other)])
        try writer.insert(0, id: 2, values: [.blob(self.big), .null])
        try writer.delete(0, id: 2)
      }
      #expect(try files() == [self.digest(other)])
      #expect(try rows("SELECT rows, history FROM store_blob", in: store) == ["1|1"])
      try store.write(Author()) { writer in
        try writer.update(0, id: 1, columns: [0], values: [.blob(self.big)])
        try writer.update(0, id: 1, columns: [1], values: [.text("x")])
        try writer.update(0, id: 1, columns: [0], values: [.blob(other)])
      }
      #expect(
        try lastChanges(of: store) == [#"update Photo 1 ["text"] {"text":null} {"text":"x"}"#]
      )
      #expect(try files() == [self.digest(other)])
      try store.write(Author()) { writer in
        try writer.update(0, id: 1, columns: [0], values: [.null])
        try writer.update(0, id: 1, columns: [1], values: [.text("y")])
      }
      let large = try rows("SELECT large FROM history_change ORDER BY id DESC LIMIT 1", in: store)
      #expect(
        large == [#"{"before":{"image":{"sha256":"\#(self.digest(other))","size":1048578}}}"#]
      )
      #expect(try rows("SELECT rows, history FROM store_blob", in: store) == ["0|2"])
    }
  }

  @Test("A write that is rolled back leaves no file.")
  func rollback() throws {
    try withPhotos { store, files in
      #expect(throws: CancellationError.self) {
        try store.write(Author()) { writer in
          try writer.insert(0, id: 1, values: [.blob(self.middle), .null])
          #expect(try files().contains(self.digest(self.middle)))
          throw CancellationError()
        }
      }
      #expect(try files() == [])
      try store.write(Author()) { try $0.insert(0, id: 1, values: [.blob(self.middle), .null]) }
      #expect(try self.image(1, in: store) == self.middle)
    }
  }

  @Test("Files of a program that was killed during a write are removed at the next opening.")
  func leftovers() throws {
    try withStore(.file, schema: schema) { store, reopen in
      try store.write(Author()) { try $0.insert(0, id: 1, values: [.blob(self.middle), .null]) }
      let folder = URL(fileURLWithPath: store.location.path + "-blobs")
      for name in [self.digest(self.big), ".writing.1.2", ".\(self.digest(self.small)).7"] {
        try Data("left".utf8).write(to: folder.appendingPathComponent(name))
      }
      let again = try reopen()
      #expect(
        try FileManager.default.contentsOfDirectory(atPath: folder.path)
          == [self.digest(self.middle)]
      )
      #expect(try self.image(1, in: again) == self.middle)
    }
  }

  @Test("The error of a missing file has its digest, and history keeps the digest.")
  func missing() throws {
    try withPhotos { store, files in
      try store.write(Author()) { try $0.insert(0, id: 1, values: [.blob(self.middle), .null]) }
      let name = try #require(try files().first)
      try FileManager.default.removeItem(atPath: store.location.path + "-blobs/" + name)
      let error = #expect(throws: StoreError.self) { try self.image(1, in: store) }
      #expect(error?.code == .missingBlob)
      #expect(error?.message.contains(name) == true)
    }
  }

  @Test(
    "An object with a missing file is changed and deleted, and history records that it is missing."
  )
  func missingInHistory() throws {
    for data in [middle, big] {
      try withPhotos { store, files in
        for id in 1...2 as ClosedRange<Int64> {
          try store.write(Author()) {
            try $0.insert(0, id: id, values: [.blob(data), .text("\(id)")])
          }
        }
        let name = try #require(try files().first)
        try FileManager.default.removeItem(atPath: store.location.path + "-blobs/" + name)
        try store.write(Author()) { try $0.delete(0, id: 1) }
        try store.write(Author()) {
          try $0.update(0, id: 2, columns: [0], values: [.blob(self.small)])
        }
        let large = #"{"before":{"image":{"sha256":"\#(name)","size":\#(data.count)}}}"#
        for kind in ["delete", "update"] {
          let condition = "FROM history_change WHERE kind = '\(kind)'"
          #expect(try rows("SELECT large \(condition)", in: store) == [large])
          #expect(
            try rows("SELECT special \(condition)", in: store)
              == [#"{"before":{"image":"missing"}}"#]
          )
        }
        #expect(
          try rows("SELECT before FROM history_change WHERE kind = 'delete'", in: store)
            == [#"{"image":null,"text":"1"}"#]
        )
        #expect(try self.image(2, in: store) == self.small)
        #expect(try rows("SELECT rows FROM store_blob", in: store) == ["0"])
        // A value that is restored or written again is available to history too.
        try store.write(Author()) { try $0.insert(0, id: 3, values: [.blob(data), .null]) }
        #expect(try self.image(3, in: store) == data)
      }
    }
  }

  @Test("A store in memory keeps large values in their rows.")
  func memory() throws {
    try withStore(.memory, schema: schema) { store, _ in
      try store.write(Author()) { try $0.insert(0, id: 1, values: [.blob(self.big), .null]) }
      #expect(try self.image(1, in: store) == self.big)
      #expect(try rows("SELECT typeof(image) FROM Photo", in: store) == ["blob"])
      #expect(try rows("SELECT size FROM store_blob", in: store) == ["1048577"])
    }
  }

  @Test("A copy contains an altered large value as it is, also if it can't be a hard link.")
  func copyOfAlteredValue() throws {
    let schema = StoreSchema(
      version: "1",
      entities: [
        Entity(
          name: "Photo",
          attributes: [Attribute(name: "image", type: .data, isExternal: true)]
        )
      ]
    )
    try withTemporaryFolder { folder in
      let url = folder.appendingPathComponent("a.store")
      let copy = folder.appendingPathComponent("b.store")
      let store = try Store.open(.file(url), schema: schema)
      let values = [UInt8(1), 2].map { Data(repeating: $0, count: 200_000) }
      let names = values.map { SHA256.digest(of: Array($0)).description }
      try store.write(Author()) { writer in
        for (index, value) in values.enumerated() {
          try writer.insert(0, id: Int64(index) + 1, values: [.blob(value)])
        }
      }
      let altered = Data("altered".utf8)
      try altered.write(to: URL(fileURLWithPath: url.path + "-blobs/" + names[0]))
      let unnamed = url.path + "-blobs/notes"
      try altered.write(to: URL(fileURLWithPath: unnamed))
      // A hard link can't replace this symbolic link, which leads to no file.
      mkdir(copy.path + "-blobs", 0o700)
      symlink("nowhere", copy.path + "-blobs/" + names[0])
      try store.copy(to: copy)
      let found = try FileManager.default.contentsOfDirectory(atPath: copy.path + "-blobs")
      #expect(found.sorted() == names.sorted())
      for (name, value) in zip(names, [altered, values[1]]) {
        #expect(try Data(contentsOf: URL(fileURLWithPath: copy.path + "-blobs/" + name)) == value)
      }
    }
  }
}
