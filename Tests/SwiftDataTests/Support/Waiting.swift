import Foundation
import Testing

/// Waits until a condition holds; the test fails if that takes longer than the limit.
func eventually(
  within limit: Duration = .seconds(10),
  isolation: isolated (any Actor)? = #isolation,
  sourceLocation: SourceLocation = #_sourceLocation,
  _ condition: () throws -> Bool
) async throws {
  let start = ContinuousClock.now
  while try !condition() {
    guard ContinuousClock.now - start < limit else {
      Issue.record("The condition does not hold after \(limit).", sourceLocation: sourceLocation)
      return
    }
    try await Task.sleep(for: .milliseconds(5))
  }
}
