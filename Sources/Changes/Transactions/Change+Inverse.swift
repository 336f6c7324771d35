extension Change {
  /// Calls with the change that takes this one back: an insertion for a deletion, and what was
  /// before in the place of what was after.
  package func withInverse<Result>(_ body: (Change) throws -> Result) rethrows -> Result {
    var inverse = self
    switch kind {
    case .insert: inverse.kind = .delete
    case .update: inverse.kind = .update
    case .delete: inverse.kind = .insert
    }
    inverse.before = after
    inverse.after = before
    guard !special.isEmpty || !large.isEmpty else { return try body(inverse) }
    return try withSidesSwapped(special).withUnsafeBytes { special in
      try withSidesSwapped(large).withUnsafeBytes { large in
        inverse.special = special
        inverse.large = large
        return try body(inverse)
      }
    }
  }

  /// Whether a value of the change was erased.
  package var hasErasedValues: Bool {
    guard !special.isEmpty else { return false }
    let erased = Array("\"\(SpecialValue.erasedName)\"".utf8)
    return members(of: Array(special)).contains { side in
      members(of: side.value).contains { $0.value == erased }
    }
  }
}

/// Notes on both sides of a change, each taken for the other one's.
private func withSidesSwapped(_ notes: UnsafeRawBufferPointer) -> [UInt8] {
  var before: [UInt8] = []
  var after: [UInt8] = []
  for side in members(of: Array(notes)) {
    if side.key.elementsEqual(#""before":"#.utf8) {
      after = side.value
    } else {
      before = side.value
    }
  }
  var result: [UInt8] = []
  joinSides(before, after, to: &result)
  return result
}
