import Testing

@testable import ChangeLog

@Suite("Taking a line apart")
struct LinePartsTests {
  @Test("Skipping stops before the text that is looked for, and does not move if there is none.")
  func skipping() {
    let line = Array("one,two,,three".utf8)
    line.withUnsafeBytes { bytes in
      var parts = LineParts(bytes)
      let steps: [(text: StaticString, isThere: Bool, position: Int)] = [
        (",t", true, 3), (",th", true, 8), ("two", false, 8), ("threes", false, 8), ("e", true, 12),
      ]
      for step in steps {
        let isThere = parts.skip(to: step.text)
        #expect(isThere == step.isThere)
        #expect(parts.position == step.position)
        #expect(!parts.isAtEnd)
      }
      let hasRest = parts.has("ee")
      #expect(hasRest)
      #expect(parts.isAtEnd)
    }
  }
}
