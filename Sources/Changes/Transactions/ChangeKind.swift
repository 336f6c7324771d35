/// What happened to an object in a transaction.
package enum ChangeKind: String, Hashable, Sendable, CaseIterable {
  case insert, update, delete

  /// Calls with the name's bytes, which stay where they are for as long as the program runs.
  package func withName<Result>(
    _ body: (UnsafeRawBufferPointer) throws -> Result
  ) rethrows -> Result {
    let name: StaticString =
      switch self {
      case .insert: "insert"
      case .update: "update"
      case .delete: "delete"
      }
    return try body(UnsafeRawBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount))
  }

  /// Reads a name; nil for another text.
  package init?(name: UnsafeRawBufferPointer) {
    // The first letters differ, so that most rows cost one comparison.
    guard let first = name.first,
      let kind = Self.allCases.first(where: { kind in kind.withName { $0.first == first } }),
      kind.withName({ $0.elementsEqual(name) })
    else { return nil }
    self = kind
  }
}
