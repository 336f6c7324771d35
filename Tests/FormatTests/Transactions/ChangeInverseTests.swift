import Testing

@testable import Format

@Suite("The inverse of a change")
struct ChangeInverseTests {
  /// The parts of a change, which outlive its bytes.
  private func parts(_ change: Change) -> [String] {
    [change.kind.rawValue, "\(change.sequence)", "\(change.id)"]
      + [
        change.entity, change.changed, change.before, change.after, change.special, change.large,
      ].map { String(decoding: $0, as: UTF8.self) }
  }

  private func inverse(_ sample: SampleChange) -> [String] {
    sample.withChange { $0.withInverse(parts) }
  }

  @Test("A deletion becomes an insertion, and the values before and after are exchanged.")
  func kinds() {
    let (insert, update, delete) = (SampleChange.insert, SampleChange.update, SampleChange.delete)
    #expect(inverse(insert) == ["delete", "0", "7", "Trip", "", insert.after, "", "", ""])
    #expect(
      inverse(update)
        == ["update", "0", "7", "Trip", update.changed, update.after, update.before, "", ""]
    )
    #expect(inverse(delete) == ["insert", "0", "7", "Trip", "", "", delete.before, "", ""])
  }

  @Test("The notes on special and large values change their sides.")
  func notes() {
    let large = #"{"name":{"sha256":""# + String(repeating: "0a", count: 32)
    let noted = inverse(.noted)
    #expect(noted[7] == #"{"after":{"name":"erased"},"before":{"rating":"nan"}}"#)
    #expect(noted[8] == #"{"before":"# + large + #"","size":2000000}}}"#)
    var special = SampleChange.noted
    special.large = ""
    #expect(inverse(special)[7...] == [noted[7], ""])
    var onlyLarge = SampleChange.noted
    onlyLarge.special = ""
    #expect(inverse(onlyLarge)[7...] == ["", noted[8]])
  }

  @Test("The inverse of the inverse is the change.")
  func twice() {
    for sample in SampleChange.all {
      sample.withChange { change in
        let twice = change.withInverse { $0.withInverse(parts) }
        #expect(twice == parts(change))
      }
    }
  }

  @Test("An error of the closure is passed on.")
  func errors() {
    struct Stop: Error {}
    for sample in SampleChange.all {
      #expect(throws: Stop.self) {
        try sample.withChange { try $0.withInverse { _ in throw Stop() } }
      }
    }
  }
}
