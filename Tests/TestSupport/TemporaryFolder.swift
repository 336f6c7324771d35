import Foundation

/// A folder for the files of one test, which is removed with the object.
///
/// Its name has a space and a letter of two bytes, so that each test also shows that paths are
/// neither encoded nor cut at the wrong place.
package final class TemporaryFolder {
  package let url: URL

  package init() throws {
    url = FileManager.default.temporaryDirectory
      .appending(path: "travelog tests ä-\(UUID().uuidString)", directoryHint: .isDirectory)
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit {
    // A folder that can't be removed is not a failure of the test.
    try? FileManager.default.removeItem(at: url)
  }

  package func file(_ name: String) -> URL { url.appending(path: name) }
}

/// Calls `body` with a new folder, and removes the folder at the end.
package func withTemporaryFolder<Result>(_ body: (URL) throws -> Result) throws -> Result {
  let folder = try TemporaryFolder()
  return try withExtendedLifetime(folder) { try body(folder.url) }
}

/// Calls `body` with a new folder, and removes the folder at the end.
package func withTemporaryFolder<Result>(
  isolation: isolated (any Actor)? = #isolation,
  _ body: (URL) async throws -> Result
) async throws -> Result {
  let folder = try TemporaryFolder()
  defer { withExtendedLifetime(folder) {} }
  return try await body(folder.url)
}
