import Changes

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

  func compareLinks(_ key: RowKey, member: ObjectDecoder.Member) throws {
    for target in try format.decoders[key.entity].links(member)
    where try !statements(of: member, key: key).isLinked(key.id.integer, target: target) {
      note(key, property: property(member, key: key), expected: "linked to \(target)", found: nil)
    }
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
