import Format
import SQLite

/// What the framework notes about a store in `Z_METADATA`.
package struct AppleMetadata: Sendable {
  /// The UUID of the store, as the file has it.
  package let uuid: String
  /// The property list, if it can be read.
  package let properties: PropertyValue?
  /// Why the property list can't be read.
  package let problem: String?

  /// The version of the framework that wrote the store last.
  package var frameworkVersion: Int64? { properties?["NSPersistenceFrameworkVersion"]?.integer }

  package var maximumFrameworkVersion: Int64? {
    properties?["NSPersistenceMaximumFrameworkVersion"]?.integer
  }

  /// The version that the app gave its model.
  package var modelVersions: [String] {
    guard case .array(let versions)? = properties?["NSStoreModelVersionIdentifiers"] else {
      return []
    }
    return versions.compactMap(\.text)
  }

  /// The hash of each entity.
  package var versionHashes: [String: [UInt8]] {
    guard case .dictionary(let hashes)? = properties?["NSStoreModelVersionHashes"] else {
      return [:]
    }
    return hashes.compactMapValues(\.data)
  }

  /// The digest of all hashes, to which the marker of a later migration refers.
  package var versionDigest: String? { properties?["NSStoreModelVersionHashesDigest"]?.text }
  package var checksum: String? { properties?["NSStoreModelVersionChecksumKey"]?.text }
  package var hashesVersion: Int64? { properties?["NSStoreModelVersionHashesVersion"]?.integer }

  /// The keys of the list that begin with `NSPersistentHistory`, such as the one for tracking.
  package var historyKeys: [String] {
    guard case .dictionary(let members)? = properties else { return [] }
    return members.keys.filter { $0.contains("PersistentHistory") }.sorted(by: precedes)
  }

  init(_ connection: Connection, _ tables: FileTables) throws {
    guard tables.has("Z_UUID", in: "Z_METADATA") else { throw notAStore(connection.path) }
    let hasList = tables.has("Z_PLIST", in: "Z_METADATA")
    let statement = try connection.prepare(
      "SELECT Z_UUID, \(hasList ? "Z_PLIST" : "NULL") FROM Z_METADATA LIMIT 1"
    )
    guard try statement.step() else { throw notAStore(connection.path) }
    uuid = statement.string(at: 0)
    guard statement.type(at: 1) == .blob else {
      (properties, problem) = (nil, "The metadata have no property list.")
      return
    }
    do throws(StoreError) {
      let bytes = try bytes(at: 1, of: statement, describing: "The property list in Z_METADATA")
      let list = try PropertyList(bytes, name: "The property list in Z_METADATA")
      (properties, problem) = (try list.tree(), nil)
    } catch {
      (properties, problem) = (nil, error.message)
    }
  }
}

/// The bytes of a blob, unless there are too many.
func bytes(
  at column: Int32,
  of statement: Statement,
  describing what: String
) throws(StoreError) -> [UInt8] {
  let bytes = statement.bytes(at: column)
  guard bytes.count <= PropertyList.limit else { throw tooLarge(what) }
  return Array(bytes)
}

func notAStore(_ path: String) -> StoreError {
  StoreError(.notAStore, at: path) {
    "\(path) is not a store of Core Data.\nTo add history to it: travelog adopt \(path)"
  }
}
