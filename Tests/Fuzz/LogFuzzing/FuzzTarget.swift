import ChangeLog
import Format
import Pages
import Pipeline
import Store

/// A reader that must not crash, hang or use all memory, whatever bytes it gets.
///
/// A target returns nothing, because refusing the bytes is always right.
package enum FuzzTarget: String, CaseIterable, Sendable {
  /// The lines of a log; after a NUL, the lines of its erasure records.
  case log
  /// Logs of a folder, separated by NULs, which are verified and replayed into a store.
  case folder
  /// A compressed file, read in two ways that must agree.
  case gzip
  case token
  /// A SQLite database.
  case pages
  /// A SQLite database and its write-ahead log.
  case wal
  /// A property list of Core Data: metadata, a value or a model.
  case plist
  /// The bitmap of an update in Core Data's history.
  case bitmap
  /// A compressed model of Core Data.
  case deflate
  /// A binary leaf of a composite, or a value of a transformer, which can be JSON.
  case leaf
  /// A value with a tag, which can name a file of its own.
  case tag

  /// Reads bytes as the target's kind of input.
  ///
  /// - Throws: ``FuzzFinding`` if two readings differ.
  package func run(_ bytes: [UInt8]) throws {
    switch self {
    case .log: try fuzzLog(bytes)
    case .folder: try fuzzFolder(bytes)
    case .gzip: try fuzzGzip(bytes)
    case .token: try fuzzToken(bytes)
    case .pages: try fuzzPages(bytes)
    case .wal: try fuzzWriteAheadLog(bytes)
    case .plist: try fuzzPropertyList(bytes)
    case .bitmap: try fuzzBitmap(bytes)
    case .deflate: try fuzzDeflate(bytes)
    case .leaf: try fuzzLeaf(bytes)
    case .tag: try fuzzTag(bytes)
    }
  }
}

/// A fault that no input may cause.
package struct FuzzFinding: Error {
  package let message: String
}

/// Calls `body`, and catches the errors that refuse bad input; any other error is a finding.
func refusing(_ body: () throws -> Void) throws {
  do {
    try body()
  } catch is LogError {
    // The input is not a log.
  } catch is StoreError {
    // The log does not match a store.
  } catch is PipelineError {
    // The operation is impossible for these logs.
  } catch is PageError {
    // The database is damaged.
  }
}
