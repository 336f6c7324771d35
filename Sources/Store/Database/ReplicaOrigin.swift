import SQLite

/// The store that a replica is made of.
package struct ReplicaOrigin: Hashable, Sendable {
  /// The identifier of that store, which the replica gets too.
  package var identifier: String
  /// The lineage whose transactions the replica takes.
  package var lineage: Int64

  /// Makes an origin.
  package init(identifier: String, lineage: Int64) {
    self.identifier = identifier
    self.lineage = lineage
  }

  /// Notes in the catalog of a new store that it is a replica.
  func write(on connection: Connection) throws {
    try Catalog.set("identifier", .text(identifier), on: connection)
    try Catalog.set("lineage", .integer(lineage), on: connection)
    try Catalog.set("replica", .integer(1), on: connection)
  }
}
