/// Changes of a log that were taken apart, so that nothing is left to do but to write them.
///
/// They have all their bytes, so that one thread can take changes apart while another writes those
/// that came before.
package final class PreparedChanges: @unchecked Sendable {
  package struct Part {
    package var change: Change
    /// The index of its entity.
    package var entity: EntityIndex
    /// Where its members are.
    package var before: Range<Int>
    package var after: Range<Int>
    /// How many of the members of each side are columns, which come first.
    package var columnsBefore: Int
    package var columnsAfter: Int
    /// Where the lists of its links begin: those of the members before, and then of those after.
    package var lists: Int
    /// Whether the values of its columns are there.
    package var isPlain: Bool
  }

  // One thread at a time uses them, from nowhere else meanwhile.
  @exclusivity(unchecked) package private(set) var parts: [Part] = []
  /// The members of all changes.
  @exclusivity(unchecked) package private(set) var members: [ObjectDecoder.Member] = []
  /// The values of those that are columns, where the change is plain.
  @exclusivity(unchecked) package private(set) var values: [PlainValue] = []
  @exclusivity(unchecked) private var links: [Int64] = []
  /// Where the links are of each member that is no column.
  @exclusivity(unchecked) private var lists: [Range<Int>] = []
  /// What is wrong with changes, by their places.
  package private(set) var refusals: [Int: CanonicalEncodingError] = [:]
  private let room = ByteRoom()

  /// Makes room for changes.
  package init() {}

  /// The number of changes.
  package var count: Int { parts.count }

  /// About how many bytes they take.
  package var size: Int {
    room.count + parts.count * MemoryLayout<Part>.stride
      + links.count * MemoryLayout<Int64>.stride
  }

  /// Forgets all changes.
  package func removeAll() {
    parts.removeAll(keepingCapacity: true)
    members.removeAll(keepingCapacity: true)
    values.removeAll(keepingCapacity: true)
    links.removeAll(keepingCapacity: true)
    lists.removeAll(keepingCapacity: true)
    refusals.removeAll()
    room.removeAll()
  }

  /// The links of one list, by ascending ids.
  package func list(_ place: Int) -> ArraySlice<Int64> { links[lists[place]] }

  /// Takes a change apart and adds it.
  ///
  /// What is wrong with it is told when it is to be written.
  ///
  /// - Throws: ``StoreError`` with ``StoreError/Code/outOfMemory``.
  package func append(_ change: Change, format: ChangeFormat) throws {
    let change = try copy(change)
    var part = Part(
      change: change,
      entity: 0,
      before: members.count..<members.count,
      after: members.count..<members.count,
      columnsBefore: 0,
      columnsAfter: 0,
      lists: lists.count,
      isPlain: change.special.isEmpty && change.large.isEmpty
    )
    do {
      try take(&part, format: format)
    } catch let error as CanonicalEncodingError {
      refusals[parts.count] = error
    }
    parts.append(part)
  }

  private func take(_ part: inout Part, format: ChangeFormat) throws {
    guard let entity = format.entity(of: part.change) else {
      throw CanonicalEncodingError(message: "the store's schema has no such entity")
    }
    part.entity = entity
    // Plain values are read here, and nothing else is taken for them than what the writer writes.
    try part.isPlain ? format.split(part.change, of: entity) : format.check(part.change)
    let decoder = format.decoders[entity]
    part.columnsBefore = try append(format.before, decoder: decoder, isPlain: part.isPlain)
    part.before = part.before.lowerBound..<members.count
    part.columnsAfter = try append(format.after, decoder: decoder, isPlain: part.isPlain)
    part.after = part.before.upperBound..<members.count
  }

  /// Adds members, and returns how many of them are columns.
  private func append(
    _ added: [ObjectDecoder.Member],
    decoder: ObjectDecoder,
    isPlain: Bool
  ) throws -> Int {
    var columns = 0
    for member in added {
      let isColumn = member.index < decoder.columnCount
      values.append(isPlain && isColumn ? try decoder.plainValue(member, in: room) : .null)
      members.append(member)
      if isColumn {
        columns += 1
      } else {
        let first = links.count
        try decoder.links(member, to: &links)
        lists.append(first..<links.count)
      }
    }
    return columns
  }

  private func copy(_ change: Change) throws(StoreError) -> Change {
    var copy = change
    copy.entity = try room.copy(change.entity)
    copy.changed = try room.copy(change.changed)
    copy.before = try room.copy(change.before)
    copy.after = try room.copy(change.after)
    copy.special = try room.copy(change.special)
    copy.large = try room.copy(change.large)
    return copy
  }
}
