import ChangeLog
import FoundationEssentials

/// A record of a verification that found all logs of a store sound.
package struct VerificationRecord: Hashable, Sendable, Codable {
  /// The time of the verification: RFC 3339 in UTC.
  package let time: String
  /// The latest lineage at the time of the verification.
  package let lineage: Int64
  /// The last transaction in the logs of the lineage.
  package let transaction: Int64
  /// The digest of the last transaction.
  package let digest: String

  /// Reads the record of a store; nil if the store has no record, or if the record can't be read.
  init?(_ logs: LogFolder, store: String) throws {
    guard let bytes = try readSmallFile(Self.path(logs, store: store)) else {
      return nil
    }
    // No command depends on the record, so a damaged record counts as missing.
    guard let record = try? JSONDecoder().decode(Self.self, from: Data(bytes)) else { return nil }
    self = record
  }

  private static func path(_ logs: LogFolder, store: String) -> String {
    logs.storeFolder(store) + "/_verified.json"
  }

  /// Writes the record to the folder of the store's logs.
  func write(_ logs: LogFolder, store: String) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    try writeDurably(Array(encoder.encode(self)) + [0x0a], to: Self.path(logs, store: store))
  }
}
