extension Change {
  /// Calls `body` with the inverse change.
  ///
  /// A deletion becomes an insertion, and the values before and after the change are exchanged.
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
    var swapped: [UInt8] = []
    let ends = [special, large].map { notes in
      let notes = CanonicalText(notes)
      joinSides(notes.value(of: "after") ?? [], notes.value(of: "before") ?? [], to: &swapped)
      return swapped.count
    }
    return try swapped.withUnsafeBytes { swapped in
      inverse.special = UnsafeRawBufferPointer(rebasing: swapped[..<ends[0]])
      inverse.large = UnsafeRawBufferPointer(rebasing: swapped[ends[0]...])
      return try body(inverse)
    }
  }
}
