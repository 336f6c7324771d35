import ChangeLog
import Changes
import Pipeline
import Store

/// What bytes of any kind are given to, to see whether it crashes, hangs or takes all memory.
///
/// A target throws nothing and returns nothing: that bytes are refused is right, whatever they are.
package enum FuzzTarget: String, CaseIterable, Sendable {
  /// The lines of a log, and after a NUL those of its records of erasures.
  case log
  /// Logs of a folder, parted by NULs, which are verified and replayed into a store.
  case folder
  /// What a compressed file holds, read in two ways, which have to give the same.
  case gzip
  /// A token.
  case token

  /// Gives bytes to the target.
  ///
  /// - Throws: ``FuzzFinding`` where two ways differ that should not.
  package func run(_ bytes: [UInt8]) throws {
    switch self {
    case .log: try fuzzLog(bytes)
    case .folder: try fuzzFolder(bytes)
    case .gzip: try fuzzGzip(bytes)
    case .token: try fuzzToken(bytes)
    }
  }
}

/// Something that no input should bring about.
package struct FuzzFinding: Error {
  package let message: String
}

/// Calls, and takes the refusals that there are for bad input; anything else is a finding.
func refusing(_ body: () throws -> Void) throws {
  do {
    try body()
  } catch is LogError {
    // The input is no log.
  } catch is StoreError {
    // What it says does not go together with a store.
  } catch is PipelineError {
    // It can't be done.
  }
}
