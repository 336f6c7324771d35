extension Change {
  /// Calls with the change that takes this one back: an insertion for a deletion, and what was
  /// before in the place of what was after.
  public func withInverse<Result>(_ body: (Change) throws -> Result) rethrows -> Result {
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

  /// True where a value was erased that the change had.
  public var hasErasedValues: Bool {
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

extension HistoryRows {
  /// Calls with what takes each change of some transactions back, the newest first.
  ///
  /// - Throws: ``StoreError/Code/irreversible`` where one of them changed the schema, or where values
  ///   were erased, and ``StoreError/Code/historyExpired`` where one was deleted.
  func inverses(
    of range: ClosedRange<Int64>,
    _ body: (_ transaction: Int64, Change) throws -> Void
  ) throws {
    var id = range.upperBound
    while id >= range.lowerBound {
      guard let transaction = try transaction(id), transaction.state != .deleted else {
        throw StoreError(
          .historyExpired,
          "Transaction \(id) can't be taken back, because the history of the store \(path) does not"
            + " have it any more; restore the store from a copy instead.",
          path: path
        )
      }
      guard transaction.operation != .migration else {
        throw irreversible(id, "it gave the store another schema")
      }
      let changes = try changes(backwardsFrom: transaction)
      var count: Int64 = 0
      while try changes.step() {
        let change = try change(at: changes)
        guard !change.hasErasedValues else { throw irreversible(id, "values of it were erased") }
        try change.withInverse { try body(id, $0) }
        count += 1
      }
      guard count == transaction.count else {
        throw damaged("changes of transaction \(id) are missing")
      }
      id -= 1
    }
  }

  private func irreversible(_ id: Int64, _ why: String) -> StoreError {
    StoreError(
      .irreversible,
      "Transaction \(id) of the store \(path) can't be taken back, because \(why). Take back only"
        + " what came after it.",
      path: path
    )
  }
}
