import Format
import Store

/// A change in the form that a store keeps: canonical JSON, which is decoded when it is read.
final class ChangeRecord: Sendable {
  let schema: PastSchema
  let entity: PastEntity
  let kind: ChangeKind
  let object: PersistentIdentifier
  let transaction: Int64
  let number: Int64
  let changed: [UInt8]
  let before: [UInt8]
  let after: [UInt8]
  let special: [UInt8]
  let large: [UInt8]

  init(_ change: Change, of transaction: Transaction, schema: PastSchema) {
    self.schema = schema
    let name = String(decoding: change.entity, as: UTF8.self)
    entity = schema.entity(name)
    kind = change.kind
    object = schema.identifier(name, row: change.object)
    self.transaction = transaction.id
    number = transaction.firstChange + change.sequence
    changed = Array(change.changed)
    before = Array(change.before)
    after = Array(change.after)
    special = Array(change.special)
    large = Array(change.large)
  }

  var typed: HistoryChange {
    func make<Model: PersistentModel>(_: Model.Type) -> HistoryChange {
      switch kind {
      case .insert: .insert(DefaultHistoryInsert<Model>(record: self))
      case .update: .update(DefaultHistoryUpdate<Model>(record: self))
      case .delete: .delete(DefaultHistoryDelete<Model>(record: self))
      }
    }
    return make(entity.model)
  }

  var changedNames: [String] {
    CanonicalText(changed).elements.compactMap { $0.withUnsafeBytes { parseJSONString($0) } }
  }
}

extension ChangeRecord: Hashable {
  static func == (left: ChangeRecord, right: ChangeRecord) -> Bool {
    left === right
      || (left.transaction == right.transaction && left.number == right.number
        && left.object == right.object && left.kind == right.kind)
  }

  func hash(into hasher: inout Hasher) {
    hasher.combine(transaction)
    hasher.combine(number)
  }
}

struct RecordedSide: Sendable {
  let record: ChangeRecord
  let side: Change.Side

  private var values: [(key: [UInt8], value: EncodedValue)] {
    let notes = ChangeNotes(
      on: side,
      special: CanonicalText(record.special),
      large: CanonicalText(record.large)
    )
    return notes.values(of: CanonicalText(side == .before ? record.before : record.after))
  }

  /// The present names of the properties for which the change has a value.
  var names: [String] {
    values.compactMap { key, value in
      // An unknown value may have been nil, so its property is left out.
      guard let past = memberName(key), !value.isUnknown else { return nil }
      return record.entity.properties[past]?.name ?? past
    }
  }

  /// The value of a property; nil if the value was nil or is unknown.
  func value(named name: String) throws -> (any Sendable)? {
    guard let past = record.entity.pastName(of: name) else { return nil }
    let key = memberKey(past)
    guard let text = values.first(where: { $0.key == key })?.value else { return nil }
    let property = record.entity.properties[past]
    do {
      guard let type = property?.type else { return try reference(text.json) }
      let value = try stored(text, type: type)
      if case .null = value { return nil }
      return try decoded(value, type: type, property: property?.property)
    } catch {
      throw SwiftDataError(.unsupportedType, cause: error) {
        "The value of \(record.entity.name).\(name) \(side.rawValue) change \(record.number) of the"
          + " store \(record.schema.store.location.path) can't be read: \(error)"
      }
    }
  }

  private func stored(_ value: EncodedValue, type: ValueType) throws -> Value {
    if let digest = LargeReference(value.large)?.digest {
      let data = try record.schema.store.read { try $0.largeData(digest) }
      return type.form == .bytes
        ? .blob(data) : .text(String(decoding: data, as: UTF8.self))
    }
    if value.isUnknown { return .null }
    let special = value.specialName.flatMap { SpecialValue(name: $0) }
    return try value.json.withUnsafeBytes { try parseCanonical($0, special: special, as: type) }
  }

  /// A value in the type of its property, or in the stored type if the class no longer has the
  /// property.
  private func decoded(
    _ value: Value,
    type: ValueType,
    property: PropertyDescription?
  ) throws -> (any Sendable)? {
    if case .attribute(let codec) = property?.kind {
      if codec.type == type { return sendable(try codec.decode(value)) }
      if let converted = converted(value, from: type, to: codec.type) {
        return sendable(try codec.decode(converted))
      }
    }
    return sendable(try type.codec.decode(value))
  }

  private func reference(_ text: [UInt8]) throws -> (any Sendable)? {
    switch text.first {
    case UInt8(ascii: "["): return try CanonicalText(text).elements.map(identifier)
    case UInt8(ascii: "{"): return try identifier(text)
    default: return nil
    }
  }

  private func identifier(_ text: [UInt8]) throws -> PersistentIdentifier {
    func string(_ name: String) -> String? {
      CanonicalText(text).value(of: name)?.withUnsafeBytes { parseJSONString($0) }
    }
    guard let entity = string("entity"), let row = string("id").flatMap({ Int64($0) }) else {
      let found = abbreviated(String(decoding: text, as: UTF8.self))
      throw damagedHistory(
        "\(found) does not identify an object",
        at: record.schema.store.location.path
      )
    }
    return record.schema.identifier(entity, row: row)
  }
}

/// Turns a value into a `Sendable` value; returns nil for a nil value.
///
/// The value was just decoded and is not referenced elsewhere.
private func sendable(_ value: Any) -> (any Sendable)? {
  struct AnyBox { var value: Any }
  struct SendableBox { var value: any Sendable }
  // `Sendable` exists only at compile time, so a type with and without `Sendable` has one form at
  // run time.
  return unwrapped(value).map { unsafeBitCast(AnyBox(value: $0), to: SendableBox.self).value }
}
