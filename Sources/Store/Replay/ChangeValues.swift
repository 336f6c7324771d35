import Changes
import FoundationEssentials
import SQLite

/// Reads the stored values that a change names, the large ones included.
struct ChangeValues {
  enum Side {
    case before, after

    fileprivate var key: [UInt8] {
      switch self {
      case .before: Array(#""before":"#.utf8)
      case .after: Array(#""after":"#.utf8)
      }
    }
  }

  private typealias Notes = [[UInt8]: [UInt8]]

  let decoders: [ObjectDecoder]
  let blobs: Blobs
  /// Gives a value that is too large for a line, by its SHA-256.
  var content: (String) throws -> LargeValue

  private static let missing = Array("\"\(SpecialValue.missingName)\"".utf8)

  /// The stored values that members mean, which are columns; nil for one that was erased.
  func values(
    _ members: ArraySlice<ObjectDecoder.Member>,
    _ side: Side,
    _ change: Change,
    _ entity: Int
  ) throws -> [Value?] {
    let decoder = decoders[entity]
    let special = notes(change.special, side)
    let large = notes(change.large, side)
    return try members.map { member in
      let key = decoder.keys[member.index]
      if let reference = large[key] {
        // Nobody has it, so that the digest stands for it.
        if special[key] == Self.missing { return .text(try digest(in: reference)) }
        return try largeValue(reference, member, side, decoder)
      }
      guard let text = special[key] else { return try decoder.value(member, special: nil) }
      guard let name = text.withUnsafeBytes({ parseJSONString($0) }) else {
        throw decoder.refusal(member.value)
      }
      if name == SpecialValue.erasedName { return nil }
      guard let known = SpecialValue(name: name) else { throw decoder.refusal(member.value) }
      return try decoder.value(member, special: known)
    }
  }

  /// Sees to it that the large values that a change names are kept, before they are counted.
  func keep(_ change: Change) throws {
    guard !change.large.isEmpty else { return }
    for side in [Side.before, .after] {
      let special = notes(change.special, side)
      for (key, reference) in notes(change.large, side) {
        let digest = try digest(in: reference)
        if special[key] == Self.missing {
          try blobs.adopt(digest, rows: 0)
        } else if try !blobs.isKept(digest) {
          try blobs.keep(content(digest), digest)
        }
      }
    }
  }

  private func notes(_ object: UnsafeRawBufferPointer, _ side: Side) -> Notes {
    guard !object.isEmpty else { return [:] }
    guard let found = members(of: Array(object)).first(where: { $0.key == side.key }) else {
      return [:]
    }
    var result: Notes = [:]
    for member in members(of: found.value) { result[member.key] = member.value }
    return result
  }

  private func largeValue(
    _ reference: [UInt8],
    _ member: ObjectDecoder.Member,
    _ side: Side,
    _ decoder: ObjectDecoder
  ) throws -> Value {
    let digest = try digest(in: reference)
    let column = decoder.layout.columns[member.index]
    // What lies in a file goes from file to file, and its digest stands for it.
    if column.isExternal, blobs.hasFolder {
      if side == .after, try !blobs.isKept(digest) { try blobs.keep(content(digest), digest) }
      return .text(digest)
    }
    let data = try content(digest).data()
    guard data.withUnsafeBytes({ SHA256.digest(of: $0) }).description == digest else {
      throw alteredValue(digest)
    }
    let type = column.type
    if type == .data || type == .transformed { return .blob(data) }
    return data.withUnsafeBytes { Value(text: $0) }
  }

  private func digest(in reference: [UInt8]) throws -> String {
    guard
      let text = members(of: reference).first(where: { $0.key == Array(#""sha256":"#.utf8) }),
      let digest = text.value.withUnsafeBytes({ parseJSONString($0) })
    else {
      throw CanonicalEncodingError(
        message: "\(String(decoding: reference, as: UTF8.self)) names no large value"
      )
    }
    return digest
  }
}
