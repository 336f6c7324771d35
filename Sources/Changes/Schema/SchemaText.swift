import FoundationEssentials

extension StoreSchema {
  /// The schema as the catalog keeps it: JSON with sorted keys and no blanks.
  package func json() throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(self), as: UTF8.self)
  }

  private static let read = Recent<Data, StoreSchema>(isSame: ==)

  /// Reads what ``json()`` wrote; the same text gives copies of one schema.
  package init(json: Data) throws {
    self = try Self.read.value(of: json) { try JSONDecoder().decode(StoreSchema.self, from: json) }
  }

  /// True where both are copies of one schema, which is sure for as long as one of them is kept.
  ///
  /// Equality would take names for each other that differ in their spelling in Unicode.
  package func isCopy(of other: StoreSchema) -> Bool {
    entities.withUnsafeBufferPointer { mine in
      other.entities.withUnsafeBufferPointer { $0.baseAddress == mine.baseAddress }
    } && version.utf8.elementsEqual(other.version.utf8)
  }
}
