/// A change that is being written, for a row of history or for a reader of history.
package struct ChangeText {
  package var changed: [UInt8] = []
  package var before = ChangeSide()
  package var after = ChangeSide()
  /// The parts of the change, one after the other.
  private var bytes: [UInt8] = []

  package init() {}

  /// Empties the change without releasing its memory.
  package mutating func removeAll() {
    changed.empty()
    before.removeAll()
    after.removeAll()
    bytes.empty()
  }

  /// Adds a name to the list of changed properties, given as a key with quotes and a colon.
  package mutating func appendChanged(_ key: some Collection<UInt8>) {
    changed.append(changed.isEmpty ? UInt8(ascii: "[") : UInt8(ascii: ","))
    changed.append(contentsOf: key.dropLast())
  }

  /// Completes the texts, and calls `body` with the change.
  package mutating func withChange<Result>(
    _ kind: ChangeKind,
    sequence: Int64,
    entity: UnsafeRawBufferPointer,
    object: Int64,
    _ body: (Change) throws -> Result
  ) rethrows -> Result {
    if !changed.isEmpty { changed.append(UInt8(ascii: "]")) }
    before.close()
    after.close()
    bytes.empty()
    bytes += changed
    let endOfChanged = bytes.count
    if kind != .insert { bytes += before.json }
    let endOfBefore = bytes.count
    if kind != .delete { bytes += after.json }
    let endOfAfter = bytes.count
    joinSides(before.special, after.special, to: &bytes)
    let endOfSpecial = bytes.count
    joinSides(before.large, after.large, to: &bytes)
    return try bytes.withUnsafeBytes { bytes in
      try body(
        Change(
          kind: kind,
          sequence: sequence,
          entity: entity,
          object: object,
          changed: UnsafeRawBufferPointer(rebasing: bytes[..<endOfChanged]),
          before: UnsafeRawBufferPointer(rebasing: bytes[endOfChanged..<endOfBefore]),
          after: UnsafeRawBufferPointer(rebasing: bytes[endOfBefore..<endOfAfter]),
          special: UnsafeRawBufferPointer(rebasing: bytes[endOfAfter..<endOfSpecial]),
          large: UnsafeRawBufferPointer(rebasing: bytes[endOfSpecial...])
        )
      )
    }
  }
}
