import Testing

@testable import Store

@Suite("Schema versions")
struct SchemaVersionTests {
  @Test("Versions are compared part by part, as numbers.")
  func order() {
    let ascending = ["", "a", "b", "0", "0.0.1", "0.1", "1.0", "1.0.0.1", "1.2", "1.10", "2", "10"]
    for (left, first) in ascending.enumerated() {
      for (right, second) in ascending.enumerated() {
        #expect((SchemaVersion(first) < SchemaVersion(second)) == (left < right))
        #expect((SchemaVersion(first) == SchemaVersion(second)) == (left == right))
      }
    }
  }

  @Test("Zeros at the end of a version, and at the front of a part, do not matter.")
  func equal() {
    #expect(SchemaVersion("1") == SchemaVersion("1.0.0"))
    #expect(SchemaVersion("1.02") == SchemaVersion("1.2"))
    #expect(SchemaVersion("1.0.0") <= SchemaVersion("1"))
  }
}
