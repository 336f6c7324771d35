import Format
import FoundationEssentials

/// Decodes the values of a change for its row, including large values.
struct ChangeValues {
  let decoders: [ObjectDecoder]
  let blobs: Blobs
  var content: (String) throws -> LargeValue

  /// The values of columns in one side of a change; nil for an erased or unknown value that is not in
  /// the id.
  func values(
    _ members: ArraySlice<ObjectDecoder.Member>,
    side: Change.Side,
    change: Change,
    of entity: EntityIndex
  ) throws -> [Value?] {
    let decoder = decoders[entity]
    let notes = change.notes(on: side)
    return try members.map { member in
      let note = notes.value(decoder.keys[member.index])
      if !note.large.isEmpty {
        // The value is missing in the origin too, so the row gets the digest of the value.
        if note.isMissing { return .text(try digest(in: note.large)) }
        return try largeValue(note.large, member: member, side: side, decoder: decoder)
      }
      if note.special.isEmpty { return try decoder.value(member, special: nil) }
      let name = note.specialName
      if note.isUnknown { return decoder.layout.keyValue(at: member.index, of: change.id) }
      guard let name, let known = SpecialValue(name: name) else {
        throw decoder.refusal(member.value)
      }
      return try decoder.value(member, special: known)
    }
  }

  /// Stores the large values of a change; the caller must then count their uses.
  func keep(_ change: Change) throws {
    guard !change.large.isEmpty else { return }
    for side in Change.Side.allCases {
      let notes = change.notes(on: side)
      for (key, reference) in notes.large {
        let digest = try digest(in: reference)
        if notes.value(key).isMissing {
          try blobs.adopt(digest, rows: 0)
        } else if try !blobs.isKept(digest) {
          try blobs.keep(content(of: reference), digest: digest)
        }
      }
    }
  }

  /// A large value; throws if its size is not the size in its reference.
  private func content(of reference: [UInt8]) throws -> LargeValue {
    let digest = try digest(in: reference)
    let value = try content(digest)
    guard value.size == LargeReference(reference)?.size else { throw alteredValue(digest) }
    return value
  }

  private func largeValue(
    _ reference: [UInt8],
    member: ObjectDecoder.Member,
    side: Change.Side,
    decoder: ObjectDecoder
  ) throws -> Value {
    let digest = try digest(in: reference)
    let column = decoder.layout.columns[member.index]
    // A large value of an external attribute is written to a blob file, and the row contains its
    // digest.
    if column.isExternal, blobs.hasFolder {
      if side == .after, try !blobs.isKept(digest) {
        try blobs.keep(content(of: reference), digest: digest)
      }
      return .text(digest)
    }
    let data = try content(of: reference).data()
    guard data.withUnsafeBytes({ SHA256.digest(of: $0) }).description == digest else {
      throw alteredValue(digest)
    }
    let type = column.type
    let isBlob = type == .any && member.value.starts(with: "\"blob:".utf8)
    if isBlob || type == .data || type == .transformed { return .blob(data) }
    return data.withUnsafeBytes { Value(text: $0) }
  }

  private func digest(in reference: [UInt8]) throws -> String {
    guard let digest = LargeReference(reference)?.digest else {
      throw CanonicalEncodingError(
        message: "\(String(decoding: reference, as: UTF8.self)) names no large value"
      )
    }
    return digest
  }
}
