import Changes
import Foundation
import SQLite
import Store
import StoreTesting
import Testing

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
}
