import Foundation
import TestSupport
import Testing

@testable import Format
@testable import Store

@Suite("Connections of migrations")
struct MigrationConnectionTests {
  @Test("Neither a migration nor its replay leaves a connection open.")
  func closing() throws {
    try withTemporaryFolder { folder in
      // Other tests open files at the same time, so only those of this folder are counted.
      func open() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap {
          // The descriptor may be closed meanwhile.
          try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/" + $0)
        }.filter { $0.hasPrefix(folder.path) }
      }
      var entities = sampleSchema.entities
      entities[0].attributes.append(
        Attribute(name: "added", type: .int64, defaultValue: .integer(1))
      )
      let next = StoreSchema(version: "2.0.0", entities: entities)
      for number in 0..<3 {
        let url = folder.appendingPathComponent("store \(number)")
        try Store.open(.file(url), schema: sampleSchema).write(Author()) {
          try $0.insert(tag, id: 1, values: [.text("north")])
        }
        try Migration.migrate(url, to: next, author: Author())
        let origin = try Store.open(.file(url), schema: next)
        let replica = try FollowingReplica(
          of: origin,
          at: folder.appendingPathComponent("replica \(number)")
        )
        try replica.follow(origin)
        try replica.expectEquality(origin)
      }
      #expect(try open() == [])
    }
  }
}
