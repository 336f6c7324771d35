import Foundation

@testable import Format
@testable import Store

/// The changes, each applied to the schema and to the naive rows.
extension EvolvingSchema {
  /// Makes the next version by random changes.
  mutating func evolve() {
    version += 1
    // Each property and entity changes at most once in a version: two renames in a row look like a
    // removal and an addition.
    var changed: Set<String> = []
    for _ in 0..<random(1..<7) {
      let index = random(0..<drafts.count)
      switch random(0..<10) {
      case 0: addEntity()
      case 1: removeEntity(index, &changed)
      case 2: renameEntity(index, &changed)
      case 3: addAttribute(index, &changed)
      case 4: addRelationship(index)
      case 5: changeRelationship(index, &changed)
      case 6: toggleIndex(index)
      case 7: addChild()
      default: changeAttribute(index, &changed)
      }
    }
  }

  private mutating func addAttribute(_ index: Int, _ changed: inout Set<String>) {
    let attribute = attribute()
    drafts[index].attributes.append(attribute)
    update(index) { $0[attribute.name] = attribute.defaultValue ?? .null }
    changed.insert(attribute.name)
  }

  private mutating func changeAttribute(_ index: Int, _ changed: inout Set<String>) {
    guard !drafts[index].attributes.isEmpty else { return }
    let position = random(0..<drafts[index].attributes.count)
    let name = drafts[index].attributes[position].name
    guard changed.insert(name).inserted else { return }
    switch random(0..<4) {
    case 0:
      drafts[index].attributes.remove(at: position)
      drafts[index].indexes.removeAll { $0.contains(name) }
      update(index) { $0[name] = nil }
    case 1: renameAttribute(index, position, &changed)
    case 2: widenAttribute(index, position)
    default: toggleOptional(index, position)
    }
  }

  private mutating func renameAttribute(
    _ index: Int,
    _ position: Int,
    _ changed: inout Set<String>
  ) {
    let old = drafts[index].attributes[position].name
    let new = freshName("a")
    changed.insert(new)
    drafts[index].attributes[position].name = new
    drafts[index].attributes[position].column = new
    drafts[index].attributes[position].originalName = old
    drafts[index].indexes = drafts[index].indexes.map { $0.map { $0 == old ? new : $0 } }
    update(index) { row in
      row[new] = row[old]
      row[old] = nil
    }
  }

  private mutating func widenAttribute(_ index: Int, _ position: Int) {
    let old = drafts[index].attributes[position]
    let wider = Self.types.filter {
      $0 != old.type && TypeConversion(from: old.type, to: $0) != nil
    }
    guard !wider.isEmpty else { return }
    let type = wider[random(0..<wider.count)]
    func widened(_ value: Value) -> Value {
      guard case .integer(let number) = value else { return value }
      switch type {
      case .float, .double: return .real(Double(number))
      case .decimal: return .text(String(number))
      default: return value
      }
    }
    drafts[index].attributes[position].type = type
    drafts[index].attributes[position].defaultValue = old.defaultValue.map(widened)
    update(index) { $0[old.name] = widened($0[old.name] ?? .null) }
  }

  private mutating func toggleOptional(_ index: Int, _ position: Int) {
    let old = drafts[index].attributes[position]
    drafts[index].attributes[position].isOptional.toggle()
    guard old.isOptional else { return }
    let filling = old.defaultValue ?? value(old.type)
    drafts[index].attributes[position].defaultValue = filling
    update(index) { if $0[old.name] == .null { $0[old.name] = filling } }
  }

  private mutating func changeRelationship(_ index: Int, _ changed: inout Set<String>) {
    guard !drafts[index].relationships.isEmpty else { return }
    let position = random(0..<drafts[index].relationships.count)
    let old = drafts[index].relationships[position].name
    guard changed.insert(old).inserted else { return }
    guard chance(60) else {
      drafts[index].relationships.remove(at: position)
      update(index) { $0[old] = nil }
      return
    }
    let new = freshName("r")
    changed.insert(new)
    drafts[index].relationships[position].name = new
    drafts[index].relationships[position].storage = .column(new)
    drafts[index].relationships[position].originalName = old
    update(index) { row in
      row[new] = row[old]
      row[old] = nil
    }
  }

  private mutating func toggleIndex(_ index: Int) {
    guard let name = drafts[index].attributes.first?.name else { return }
    if drafts[index].indexes.contains([name]) {
      drafts[index].indexes.removeAll { $0 == [name] }
    } else {
      drafts[index].indexes.append([name])
    }
  }

  private mutating func renameEntity(_ index: Int, _ changed: inout Set<String>) {
    let old = drafts[index].name
    guard changed.insert(old).inserted else { return }
    let new = freshName("E")
    changed.insert(new)
    drafts[index].name = new
    drafts[index].originalName = old
    for other in drafts.indices {
      if drafts[other].parent == old { drafts[other].parent = new }
      for position in drafts[other].relationships.indices
      where drafts[other].relationships[position].destination == old {
        drafts[other].relationships[position].destination = new
      }
    }
    rows[new] = rows.removeValue(forKey: old)
  }

  private mutating func removeEntity(_ index: Int, _ changed: inout Set<String>) {
    let draft = drafts[index]
    guard drafts.count > 2, !changed.contains(draft.name),
      !drafts.contains(where: { $0.parent == draft.name })
    else { return }
    changed.insert(draft.name)
    let gone = Set((rows[draft.name] ?? [:]).keys)
    drafts.remove(at: index)
    rows[draft.name] = nil
    for other in drafts.indices {
      let lost = drafts[other].relationships.filter { $0.destination == draft.name }.map(\.name)
      drafts[other].relationships.removeAll { $0.destination == draft.name }
      update(other) { row in for name in lost { row[name] = nil } }
      // References to the parent may lead to rows of the entity.
      for relationship in drafts[other].relationships where relationship.destination == draft.parent
      {
        update(other) { row in
          if case .integer(let id)? = row[relationship.name], gone.contains(id) {
            row[relationship.name] = .null
          }
        }
      }
    }
  }
}
