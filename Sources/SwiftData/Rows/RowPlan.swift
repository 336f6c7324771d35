import Format
import SQLite
import Store

/// Creates objects from the rows of an entity and of the entities that inherit from it.
final class RowPlan: Sendable {
  /// One value of a row.
  ///
  /// A step is a class, because functions then receive only a reference, which costs little.
  final class Step: Sendable {
    let slot: Int
    let column: Int32
    let content: Content
    let property: PropertyDescription

    init(slot: Int, column: Int32, content: Content, property: PropertyDescription) {
      self.slot = slot
      self.column = column
      self.content = content
      self.property = property
    }
  }

  enum Content: Sendable {
    /// A value that is valid if its storage class in SQLite is correct.
    case plain(StorageClass, isOptional: Bool)
    /// A value that is valid only if its type can decode it.
    case checked(AttributeCodec)
    case json(AttributeCodec)
    /// A value that may be in a blob file beside the store.
    case external(AttributeCodec)
    case reference
  }

  let entity: EntityDescription
  /// The columns that a query selects from the table with the alias `t0`: the id, the entity if
  /// several entities share the table, and the values.
  let selection: String
  /// The condition that excludes rows of other entities; the table has the alias `t0`.
  let condition: String?
  /// The condition that excludes rows of other entities and of subclasses; the table has the alias
  /// `t0`.
  let exactCondition: String?
  private let members: [String: Member]
  private let only: Member

  struct Member: Sendable {
    var entity: EntityDescription
    var steps: [Step]
  }

  init(_ entity: EntityDescription, in map: EntityMap, slots: Set<Int>? = nil) {
    self.entity = entity
    let family = map.family(of: entity)
    let shared = entity.entity.sharesTable
    var columns: [String] = []
    let first: Int32 = shared ? 2 : 1
    var members: [String: Member] = [:]
    for member in family {
      var steps: [Step] = []
      for (column, name) in member.columnNames.enumerated() {
        guard let slot = member.slots[column], slots?.contains(slot) ?? true else { continue }
        let position = columns.firstIndex(of: name) ?? columns.count
        if position == columns.count { columns.append(name) }
        let property = member.model.properties[slot]
        steps.append(
          Step(
            slot: slot,
            column: first + Int32(position),
            content: Self.content(of: property),
            property: property
          )
        )
      }
      members[member.name] = Member(entity: member, steps: steps)
    }
    self.members = members
    only = members[entity.name] ?? Member(entity: entity, steps: [])
    let list = ["id"] + (shared ? ["_entity"] : []) + columns
    selection = list.map { "t0.\(quoted($0))" }.joined(separator: ", ")
    let names = family.map { "'\($0.name)'" }.joined(separator: ", ")
    condition = shared && entity.model.parent != nil ? "t0.\"_entity\" IN (\(names))" : nil
    exactCondition = shared ? "t0.\"_entity\" = '\(entity.name)'" : nil
  }

  private static func content(of property: PropertyDescription) -> Content {
    guard case .attribute(let codec) = property.kind else { return .reference }
    if property.isExternal { return .external(codec) }
    let isPlain = property.valueType is any _AttributeValue.Type
    switch codec.type {
    case .string where isPlain: return .plain(.text, isOptional: codec.isOptional)
    case .data where isPlain: return .plain(.blob, isOptional: codec.isOptional)
    case .int64 where isPlain, .bool where isPlain:
      return .plain(.integer, isOptional: codec.isOptional)
    case .double where isPlain, .date where isPlain:
      return .plain(.real, isOptional: codec.isOptional)
    case .json, .transformed: return .json(codec)
    default: return .checked(codec)
    }
  }

  func member(of row: Statement) throws -> Member {
    guard entity.entity.sharesTable else { return only }
    let name = row.string(at: 1)
    guard let member = members[name] else {
      throw SwiftDataError(.unknownEntity) {
        "Row \(row.int64(at: 0)) of the table \(entity.table) has the entity “\(name)”, which is"
          + " not in the schema of this table. It must be \(entity.name) or an entity that inherits"
          + " from \(entity.name)."
      }
    }
    return member
  }

  func fill(_ state: _ModelState, steps: [Step], from row: Statement) throws {
    for step in steps { state.slots[step.slot] = try read(step, from: row, id: state.row) }
  }

  func read(_ step: Step, from row: Statement, id: Int64) throws -> Slot {
    let column = step.column
    let found = row.type(at: column)
    switch step.content {
    case .plain(let expected, let isOptional):
      if found == expected {
        switch expected {
        case .integer: return .value(.integer(row.int64(at: column)))
        case .real: return .value(.real(row.double(at: column)))
        case .text: return .value(.text(row.string(at: column)))
        default: return .value(.blob(row.data(at: column)))
        }
      }
      if found == .null, isOptional { return .value(.null) }
      if expected == .real, found == .integer {
        return .value(.real(Double(row.int64(at: column))))
      }
      let value = row.value(at: column)
      if expected == .real, value == .text(notANumber) { return .value(value) }
      throw mismatch(
        step,
        id: id,
        error: ValueMismatch(value: value, expected: step.property.valueType)
      )
    case .checked(let codec):
      let value = row.value(at: column)
      do { _ = try codec.decode(value) } catch { throw mismatch(step, id: id, error: error) }
      return .value(value)
    case .json(let codec):
      let value = row.value(at: column)
      do { return .decoded(DecodedValue(try codec.decode(value), stored: value)) } catch {
        throw mismatch(step, id: id, error: error)
      }
    case .external(let codec):
      let value = row.value(at: column)
      if case .text = value, codec.type == .data || codec.type == .transformed {
        return .value(value)
      }
      do { _ = try codec.decode(value) } catch { throw mismatch(step, id: id, error: error) }
      return .value(value)
    case .reference:
      return .toOne(found == .null ? .none : .row(row.int64(at: column)))
    }
  }

  private func mismatch(_ step: Step, id: Int64, error: any Error) -> SwiftDataError {
    SwiftDataError(.unsupportedType, cause: error) {
      "\(entity.name).\(step.property.name) can't be read from row \(id) of the table"
        + " \(entity.table): \(error)."
        + "\nPut a value of the declared type into the row, or change the model."
    }
  }
}

extension Statement {
  func value(at column: Int32) -> Value {
    switch type(at: column) {
    case .null: .null
    case .integer: .integer(int64(at: column))
    case .real: .real(double(at: column))
    case .text: .text(string(at: column))
    case .blob: .blob(data(at: column))
    }
  }
}
