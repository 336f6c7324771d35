extension Value {
  /// True where both are stored as the same bits.
  ///
  /// Equality is wider: it takes negative zero for zero, and two spellings of one character in
  /// Unicode for each other, which would lose changes.
  package func isSame(as other: Value) -> Bool {
    switch (self, other) {
    case (.null, .null): true
    case (.integer(let left), .integer(let right)): left == right
    case (.real(let left), .real(let right)): left.bitPattern == right.bitPattern
    case (.text(let left), .text(let right)): hasSameBytes(left, right)
    case (.blob(let left), .blob(let right)): left == right
    case (.brokenText(let left), .brokenText(let right)): left == right
    default: false
    }
  }
}
