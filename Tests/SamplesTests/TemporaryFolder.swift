import Foundation

/// Runs a test with a folder of its own, which is gone afterwards.
func withTemporaryFolder<Result>(
  isolation: isolated (any Actor)? = #isolation,
  _ body: (URL) async throws -> Result
) async throws -> Result {
  let folder = FileManager.default.temporaryDirectory
    .appending(path: "samples-" + UUID().uuidString, directoryHint: .isDirectory)
  try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  let result: Result
  do {
    result = try await body(folder)
  } catch {
    try FileManager.default.removeItem(at: folder)
    throw error
  }
  try FileManager.default.removeItem(at: folder)
  return result
}

/// A day of September 2026, in UTC.
func day(_ number: Int) -> Date {
  Date(timeIntervalSinceReferenceDate: 809_913_600 + Double(number - 1) * 86_400)
}
