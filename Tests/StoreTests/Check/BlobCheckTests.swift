import Format
import Foundation
import SQLite
import StoreTesting
import Testing

@testable import Store

@Suite("Checking the counts of large values")
struct BlobCheckTests {
  @Test("A large value that rows need and the table of large values lacks is reported.")
  func uncounted() throws {
    let schema = StoreSchema(
      version: "1",
      entities: [
        Entity(
          name: "Photo",
          attributes: [Attribute(name: "image", type: .data, isOptional: true, isExternal: true)]
        )
      ]
    )
    try withStore(.file, schema: schema) { store, _ in
      let image = Data(repeating: 1, count: 200_000)
      try store.write(Author()) { try $0.insert(0, id: 1, values: [.blob(image)]) }
      #expect(try findings(store) == [])
      try Connection(path: store.location.path, mode: .readWrite)
        .execute("DELETE FROM store_blob")
      let digest = SHA256.digest(of: Array(image)).description
      #expect(
        try findings(store).contains(
          "the large value \(digest) is used by 1 row and 0 changes, but the store counts 0 and 0"
        )
      )
    }
  }

  @Test("A value whose file is missing is one finding, and its row is not reported as changed.")
  func missingFile() throws {
    let schema = StoreSchema(
      version: "1",
      entities: [
        Entity(
          name: "Photo",
          attributes: [
            Attribute(name: "image", type: .data, isOptional: true, isExternal: true),
            Attribute(name: "title", type: .string),
          ]
        )
      ]
    )
    try withStore(.file, schema: schema) { store, _ in
      // History has the bytes of the smaller value, and only the digest of the larger one.
      for (id, count) in [(1, 200_000), (2, 1_200_000)] as [(Int64, Int)] {
        let image = Data(repeating: UInt8(id), count: count)
        try store.write(Author()) {
          try $0.insert(0, id: id, values: [.blob(image), .text("a")])
        }
        let digest = SHA256.digest(of: Array(image)).description
        let file = "\(store.location.path)-blobs/\(digest)"
        let aside = store.location.path + ".aside"
        try #require(FileManager.default.fileExists(atPath: file))
        try FileManager.default.moveItem(atPath: file, toPath: aside)
        let found = try findings(store)
        #expect(found == ["the large value \(digest) is missing"])
        try FileManager.default.moveItem(atPath: aside, toPath: file)
        #expect(try findings(store) == [])
      }
    }
  }
}
