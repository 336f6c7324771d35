import AppleStores
import Foundation
import SQLite
import TestSupport

/// Files that Apple's frameworks wrote, which are not a part of the package.
///
/// They are in a folder beside the package, or in the folder that the environment names. Tests that
/// need them are skipped if there are none.
enum RealStores {
  static let folder: URL = {
    if let path = ProcessInfo.processInfo.environment["TRAVELOG_APPLE_STORES"] {
      return URL(filePath: path)
    }
    return URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../../shared/apple-stores").standardizedFileURL
  }()

  /// The paths of the files, from the folder.
  static let names: [String] = {
    // The folder may be missing.
    let all = (try? FileManager.default.subpathsOfDirectory(atPath: folder.path)) ?? []
    return all.filter { $0.hasSuffix(".sqlite") || $0.hasSuffix(".db") }.sorted()
  }()

  static var areThere: Bool { !names.isEmpty }

  /// Opens a copy of a file with its write-ahead log.
  static func withCopy<Result>(
    of name: String,
    _ body: (Connection) throws -> Result
  ) throws -> Result {
    try withTemporaryFolder { temporary in
      let copy = temporary.appending(path: "copy.sqlite").path
      for suffix in ["", "-wal"] {
        let source = folder.appending(path: name).path + suffix
        guard FileManager.default.fileExists(atPath: source) else { continue }
        try FileManager.default.copyItem(atPath: source, toPath: copy + suffix)
        try FileManager.default.setAttributes(
          [.posixPermissions: 0o600],
          ofItemAtPath: copy + suffix
        )
      }
      return try body(Connection(path: copy, mode: .readWrite))
    }
  }
}
