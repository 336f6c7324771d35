extension Change {
  /// Calls with the change without the values of some properties, which are erased in it.
  ///
  /// Links are lists, which name objects and hold no value, and stay. What goes is asked by the
  /// property's key, with quotes and colon, and the side.
  public func withErased<Result>(
    _ erases: (_ key: [UInt8], _ isAfter: Bool) -> Bool,
    _ body: (Change) throws -> Result
  ) rethrows -> Result {
    let newBefore = erased(before, #""before":"#) { erases($0, false) }
    let newAfter = erased(after, #""after":"#) { erases($0, true) }
    var notes: [UInt8] = []
    var references: [UInt8] = []
    joinSides(newBefore.special, newAfter.special, to: &notes)
    joinSides(newBefore.large, newAfter.large, to: &references)
    return try newBefore.json.withUnsafeBytes { json in
      try newAfter.json.withUnsafeBytes { newAfter in
        try notes.withUnsafeBytes { notes in
          try references.withUnsafeBytes { references in
            var change = self
            change.before = before.isEmpty ? before : json
            change.after = after.isEmpty ? after : newAfter
            change.special = notes
            change.large = references
            return try body(change)
          }
        }
      }
    }
  }

  /// One side with the values erased that are to go.
  private func erased(
    _ object: UnsafeRawBufferPointer,
    _ side: String,
    _ erases: ([UInt8]) -> Bool
  ) -> ChangeSide {
    var result = ChangeSide()
    for (key, value) in values(of: object, side) {
      let isLinks = value.json.first == UInt8(ascii: "[")
      result.append(key, !isLinks && erases(key) ? .erased : value)
    }
    result.close()
    return result
  }

  private func values(
    of object: UnsafeRawBufferPointer,
    _ side: String
  ) -> [(key: [UInt8], value: EncodedValue)] {
    guard !object.isEmpty else { return [] }
    func notes(_ all: UnsafeRawBufferPointer) -> [(key: [UInt8], value: [UInt8])] {
      guard !all.isEmpty else { return [] }
      let found = members(of: Array(all)).first { $0.key.elementsEqual(side.utf8) }
      return found.map { members(of: $0.value) } ?? []
    }
    let special = notes(self.special)
    let large = notes(self.large)
    return members(of: Array(object)).map { member in
      var value = EncodedValue(json: member.value)
      value.special = special.first { $0.key == member.key }?.value ?? []
      value.large = large.first { $0.key == member.key }?.value ?? []
      return (member.key, value)
    }
  }
}

/// A value that a change tells of, as those see it who look for values to erase.
public struct ToldValue: Hashable, Sendable {
  /// The property's key with quotes and colon.
  public let key: [UInt8]
  /// True for what was after the change.
  public let isAfter: Bool
  /// True for a value that is not there any more.
  public let isErased: Bool
  /// True for one that is null.
  public let isNull: Bool
  /// A digest of the value, which tells whether two are the same.
  public let digest: Digest
  /// The digests of the files that it is in.
  public let files: [String]
}

extension Change {
  /// The values that the change tells of, before and after it, without links.
  public var toldValues: [ToldValue] {
    let sides = [(before, #""before":"#, false), (after, #""after":"#, true)]
    return sides.flatMap { object, side, isAfter in
      values(of: object, side).compactMap { key, value in
        guard value.json.first != UInt8(ascii: "[") else { return nil }
        let text = value.json + [0] + value.special + [0] + value.large
        let reference = members(of: value.large).first?.value.dropFirst().dropLast()
        return ToldValue(
          key: key,
          isAfter: isAfter,
          isErased: value == .erased,
          isNull: value == EncodedValue(json: Array("null".utf8)),
          digest: SHA256.digest(of: text),
          files: reference.map { [String(decoding: $0, as: UTF8.self)] } ?? []
        )
      }
    }
  }
}
