import Foundation
import TestSupport
import Testing

@testable import Changes

@Suite("Writing the values of an object")
struct ObjectEncoderTests {
  @Test("A value of more than a MiB is apart, and so is a text in an attribute with its own files.")
  func apart() throws {
    let layouts = try tripSchema.layouts()
    #expect(LargeValue.limit == 1_048_576)
    for layout in layouts {
      let encoder = ObjectEncoder(layout, layouts: layouts)
      for (index, column) in layout.columns.enumerated() {
        let place = ColumnIndex(index)
        for (count, isLarge) in [(0, false), (1_048_576, false), (1_048_577, true)] {
          let text = Value.text(String(repeating: "a", count: count))
          #expect(encoder.isApart(text, at: place) == (isLarge || column.isExternal))
          #expect(encoder.isApart(.blob(Data(count: count)), at: place) == isLarge)
          #expect(encoder.isApart(.brokenText(Data(count: count)), at: place) == isLarge)
        }
        for value in [.null, .integer(.max), .real(.infinity)] as [Value] {
          #expect(!encoder.isApart(value, at: place))
        }
      }
    }
  }
}
