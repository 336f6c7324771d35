/// Whose values are to be erased, in the changes that were written under one schema.
///
/// The names that were given are those of the present; what entities and properties were called
/// under an earlier schema follows from the schemas. A name that is there no more means what had it
/// last.
public struct ErasureTargets {
  /// The properties that are meant, by the entity's name: their keys then, and what tells them apart
  /// now.
  private var entities: [[UInt8]: [[UInt8]: [UInt8]]] = [:]

  /// Looks up what is meant under the first of some schemas, of which the last is the present one:
  /// properties of an entity and its family, all where none are named.
  public init(entity: String, attributes: [String], _ schemas: [StoreSchema]) throws {
    guard let first = schemas.first, let last = schemas.last else { return }
    let past = try PastNames(schemas)
    let then = try first.layouts()
    let now = try last.layouts()
    func root(_ index: Int, _ layouts: [EntityLayout]) -> String {
      layouts[layouts[index].ancestors.last ?? index].entity.name
    }
    let family = now.first { $0.entity.name == entity }.map { root($0.index, now) }
    let oldFamily = then.first { $0.entity.name == entity }.map { root($0.index, then) }
    let wanted = now.filter { root($0.index, now) == family }.flatMap(\.columns)
      .filter { attributes.contains($0.property) }.map { Self.key($0.logName) }
    for layout in then {
      let name = Array(layout.entity.name.utf8)
      let successor = name.withUnsafeBytes { past.successor(of: $0) }
      let isMeant =
        successor.map { root($0.entity, now) == family }
        ?? (root(layout.index, then) == oldFamily)
      guard isMeant else { continue }
      for column in layout.columns {
        let key = Self.key(column.logName)
        let present = successor?.properties[key]?.key
        let isWanted =
          attributes.isEmpty
          || (present.map { wanted.contains($0) } ?? attributes.contains(column.property))
        if isWanted { entities[name, default: [:]][key] = present ?? key }
      }
    }
  }

  private static func key(_ name: String) -> [UInt8] {
    var key: [UInt8] = []
    appendJSONString(name, to: &key)
    return key + [UInt8(ascii: ":")]
  }

  /// True where the object of a change may be the one that is meant.
  public func hasEntity(of change: Change) -> Bool { entities[Array(change.entity)] != nil }

  /// What tells the property of a value apart, whatever it is called; nil for one that is not meant.
  public func property(of value: ToldValue, in change: Change) -> [UInt8]? {
    entities[Array(change.entity)]?[value.key]
  }
}
