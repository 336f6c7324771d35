import Format

// The links of an object: in the values of a change, they follow the columns.
extension Undo {
  /// Splits the values of a change into values of columns and links.
  func parts(
    _ members: [ObjectDecoder.Member],
    key: RowKey
  ) -> (columns: ArraySlice<ObjectDecoder.Member>, links: ArraySlice<ObjectDecoder.Member>) {
    let columns = format.decoders[key.entity].columnCount
    let end = members.firstIndex { $0.index >= columns } ?? members.count
    return (members[..<end], members[end...])
  }

  func statements(of member: ObjectDecoder.Member, key: RowKey) -> JoinStatements {
    let decoder = format.decoders[key.entity]
    return writer.joins[decoder.joins[member.index - decoder.columnCount]]
  }

  func property(_ member: ObjectDecoder.Member, key: RowKey) -> String {
    statements(of: member, key: key).table.logName(writer.layouts)
  }

  struct Target: Hashable {
    let member: Int
    let target: Int64
  }

  func targets(of member: ObjectDecoder.Member, key: RowKey) throws -> [Target] {
    try format.decoders[key.entity].links(member)
      .map { Target(member: member.index, target: $0) }
  }

  /// Compares the links of an update with the links before it.
  func compareLinks(_ key: RowKey, _ members: ArraySlice<ObjectDecoder.Member>) throws {
    for member in members {
      for target in try format.decoders[key.entity].links(member)
      where try !statements(of: member, key: key).isLinked(key.id.integer, target: target) {
        note(key, property: property(member, key: key), expected: "linked to \(target)", found: nil)
      }
    }
    let gone = Set(try members.flatMap { try targets(of: $0, key: key) })
    for member in parts(format.after, key: key).links {
      for target in try targets(of: member, key: key) where !gone.contains(target) {
        guard try statements(of: member, key: key).isLinked(key.id.integer, target: target.target)
        else {
          continue
        }
        note(
          key,
          property: property(member, key: key),
          expected: nil,
          found: "linked to \(target.target)"
        )
      }
    }
  }

  /// Compares all links of an object with the links before its deletion.
  func compareAllLinks(_ key: RowKey, _ members: ArraySlice<ObjectDecoder.Member>) throws {
    let decoder = format.decoders[key.entity]
    for (offset, index) in decoder.joins.enumerated() {
      let member = members.first { $0.index == decoder.columnCount + offset }
      let expected = try member.map { try decoder.links($0) } ?? []
      let found = try writer.joins[index].targets(of: key.id.integer)
      guard found != expected else { continue }
      note(
        key,
        property: writer.joins[index].table.logName(writer.layouts),
        expected: "linked to \(Self.list(expected))",
        found: "linked to \(Self.list(found))"
      )
    }
  }

  private static func list(_ targets: [Int64]) -> String {
    targets.isEmpty ? "nothing" : targets.map(String.init).joined(separator: ", ")
  }

  func removeLinks(_ key: RowKey, member: ObjectDecoder.Member) throws {
    let decoder = format.decoders[key.entity]
    let index = decoder.joins[member.index - decoder.columnCount]
    for target in try decoder.links(member) {
      try writer.setLink(index, owner: key.id.integer, other: target, isLinked: false)
    }
  }

  func setLinks(_ key: RowKey, member: ObjectDecoder.Member) throws {
    let decoder = format.decoders[key.entity]
    let index = decoder.joins[member.index - decoder.columnCount]
    let table = writer.joins[index].table
    for target in try decoder.links(member) {
      try writer.setLink(index, owner: key.id.integer, other: target, isLinked: true)
      targets[key, default: []].append(
        Lead(
          property: table.logName(writer.layouts),
          column: nil,
          joinIndex: index,
          target: RowKey(entity: table.destination, id: ObjectID(target))
        )
      )
    }
  }
}
