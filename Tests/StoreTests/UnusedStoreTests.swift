import Format
import Foundation
import Store
import StoreTesting
import TestSupport
import Testing

@Suite("Unused stores")
struct UnusedStoreTests {
  @Test("An empty store is removed unless a program has it open.")
  func removal() throws {
    try withTemporaryFolder { folder in
      let url = folder.appendingPathComponent("test.store")
      try withExtendedLifetime(Store.open(.file(url), schema: sampleSchema)) {
        let error = #expect(throws: StoreError.self) { try Store.removeUnused(url) }
        #expect(error?.code == .locked)
      }
      #expect(try Store.removeUnused(url))
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
      try Store.open(.file(url), schema: sampleSchema).write(Author()) {
        try $0.insert(tag, id: 1, values: [.text("sea")])
      }
      #expect(try !Store.removeUnused(url))
      #expect(try rows("SELECT count(*) FROM Tag", in: Store.open(.file(url))) == ["1"])
    }
  }
}
