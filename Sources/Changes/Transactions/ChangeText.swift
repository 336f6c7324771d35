/// A change as it is put together, for a row of history or for its reader.
package struct ChangeText {
  package var changed: [UInt8] = []
  package var before = ChangeSide()
  package var after = ChangeSide()
  private var special: [UInt8] = []
  private var large: [UInt8] = []

  package init() {}

  /// Makes it empty, and keeps the room.
  package mutating func removeAll() {
    changed.empty()
    before.removeAll()
    after.removeAll()
    special.empty()
    large.empty()
  }

  /// Adds a name to the list of what changed; the key has quotes and a colon.
  package mutating func appendChanged(_ key: some Collection<UInt8>) {
    changed.append(changed.isEmpty ? UInt8(ascii: "[") : UInt8(ascii: ","))
    changed.append(contentsOf: key.dropLast())
  }

  /// Closes what was put together, and calls with it.
  package mutating func withChange<Result>(
    _ kind: ChangeKind,
    sequence: Int64,
    _ entity: UnsafeRawBufferPointer,
    _ object: Int64,
    _ body: (Change) throws -> Result
  ) rethrows -> Result {
    if !changed.isEmpty { changed.append(UInt8(ascii: "]")) }
    before.close()
    after.close()
    joinSides(before.special, after.special, to: &special)
    joinSides(before.large, after.large, to: &large)
    let none = UnsafeRawBufferPointer(start: nil, count: 0)
    return try changed.withUnsafeBytes { changed in
      try before.json.withUnsafeBytes { before in
        try after.json.withUnsafeBytes { after in
          try special.withUnsafeBytes { special in
            try large.withUnsafeBytes { large in
              try body(
                Change(
                  kind: kind,
                  sequence: sequence,
                  entity: entity,
                  object: object,
                  changed: changed,
                  before: kind == .insert ? none : before,
                  after: kind == .delete ? none : after,
                  special: special,
                  large: large
                )
              )
            }
          }
        }
      }
    }
  }
}
