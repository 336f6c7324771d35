import Format

/// The places of an entity's properties in the bitmap of an update.
///
/// The groups are: to-one relationships, columns with the entity of a destination, columns with a place
/// in an ordered inverse, attributes, and to-many relationships. In each group, the properties of an
/// ancestor precede those of its child, and the properties of one entity are sorted byte-wise. The
/// order of the to-many relationships is not known.
package struct BitmapSlots: Hashable, Sendable {
  /// The property of each slot, except the last group.
  let names: [String]
  /// The slots of the same entity if each leaf of a composite has a slot; nil if there is no composite.
  let leafNames: [String]?
  /// The to-many relationships, whose slots are the last ones.
  package let toMany: [String]

  package init(_ entity: Int, of model: AppleModel, in layout: AppleLayout) {
    let lineage = model.lineage(of: entity)
    var toOne: [String] = []
    var entityColumns: [String] = []
    var orders: [(column: String, name: String)] = []
    var attributes: [String] = []
    var leaves: [String] = []
    var toMany: [String] = []
    var hasComposite = false
    for level in lineage {
      let declared = model.entities[level]
      for relationship in declared.relationships where !relationship.isTransient {
        guard !relationship.isToMany else {
          toMany.append(relationship.name)
          continue
        }
        toOne.append(relationship.name)
        if let destination = model.index(named: relationship.destination),
          model.family(of: destination).count > 1
        {
          entityColumns.append(relationship.name)
        }
        if let inverse = model.inverse(of: relationship)?.relationship, inverse.isToMany,
          inverse.isOrdered
        {
          let columns = layout.toOnes[AppleProperty(level, relationship.name)]
          orders.append((columns?.orderColumn ?? "", relationship.name))
        }
      }
      for attribute in declared.attributes where !attribute.isTransient {
        attributes.append(attribute.name)
        hasComposite = hasComposite || attribute.kind == .composite
        leaves += attribute.leaves.map { _ in attribute.name }
      }
    }
    let columns = lineage.first.flatMap { layout.table(of: $0) }?.columns ?? []
    let places = Dictionary(
      columns.enumerated().map { ($1, $0) },
      uniquingKeysWith: { first, _ in first }
    )
    // The order of these columns in the table is not that of their names.
    let sorted = orders.sorted { places[$0.column] ?? .max < places[$1.column] ?? .max }
    let beginning = toOne + entityColumns + sorted.map(\.name)
    names = beginning + attributes
    leafNames = hasComposite ? beginning + leaves : nil
    self.toMany = toMany
  }

  /// Slots of properties with these names.
  package init(names: [String], leafNames: [String]?, toMany: [String]) {
    self.names = names
    self.leafNames = leafNames
    self.toMany = toMany
  }

  /// What a bitmap names.
  package struct Named: Hashable, Sendable {
    /// The attributes and to-one relationships, each once, in the order of their slots.
    package var properties: [String] = []
    /// The number of to-many relationships.
    package var toManyCount = 0
  }

  package enum Unread: String, Hashable, Sendable, CaseIterable {
    /// The number of bytes does not fit the properties of the entity.
    case length
    /// A bit is set behind the last slot.
    case extraBits
    /// Both ways of counting composites fit the number of bytes.
    case ambiguousComposites
  }

  package func decode(_ bytes: UnsafeRawBufferPointer) -> Result<Named, UnreadBitmap> {
    func fits(_ names: [String]) -> Bool {
      (names.count + toMany.count + 7) / 8 == bytes.count
    }
    guard let leafNames else {
      return fits(names) ? decode(bytes, names) : .failure(UnreadBitmap(.length))
    }
    switch (fits(names), fits(leafNames)) {
    case (false, false): return .failure(UnreadBitmap(.length))
    case (true, true) where names.count != leafNames.count:
      return .failure(UnreadBitmap(.ambiguousComposites))
    case (true, _): return decode(bytes, names)
    case (false, true): return decode(bytes, leafNames)
    }
  }

  private func decode(
    _ bytes: UnsafeRawBufferPointer,
    _ names: [String]
  ) -> Result<Named, UnreadBitmap> {
    var result = Named()
    for (offset, byte) in bytes.enumerated() where byte != 0 {
      for bit in 0..<8 where byte & 0x80 >> UInt8(bit) != 0 {
        let slot = 8 * offset + bit
        if slot < names.count {
          if !result.properties.contains(names[slot]) { result.properties.append(names[slot]) }
        } else if slot < names.count + toMany.count {
          result.toManyCount += 1
        } else {
          return .failure(UnreadBitmap(.extraBits))
        }
      }
    }
    return .success(result)
  }
}

/// Why a bitmap can't be read.
package struct UnreadBitmap: Error, Hashable, Sendable {
  package let reason: BitmapSlots.Unread

  init(_ reason: BitmapSlots.Unread) { self.reason = reason }
}
