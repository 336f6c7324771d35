import FoundationEssentials
import SQLite

/// A value of the catalog that is JSON.
protocol CatalogEntry: Codable {
  static var key: String { get }
}

extension CatalogEntry {
  /// Reads the entry; nil if the catalog does not have it.
  init?(on connection: Connection) throws {
    guard case .text(let json) = try Catalog.value(Self.key, on: connection) else { return nil }
    do {
      self = try JSONDecoder().decode(Self.self, from: Data(json.utf8))
    } catch {
      throw Catalog.damaged(Self.key, at: connection.path, cause: error)
    }
  }

  func note(on connection: Connection) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    let json = String(decoding: try encoder.encode(self), as: UTF8.self)
    try Catalog.set(Self.key, value: .text(json), on: connection)
  }
}
