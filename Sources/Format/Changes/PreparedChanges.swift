/// Parsed changes of a log, ready to be written.
///
/// Prepared changes contain copies of their bytes. So one thread can parse changes while another
/// thread writes earlier changes.
package final class PreparedChanges: @unchecked Sendable {
  package struct Part {
    package var change: Change
    package var entity: EntityIndex
    /// The range of the properties with their values before the change.
    package var before: Range<Int>
    package var after: Range<Int>
    /// The number of columns among the properties on each side, where columns precede links.
    package var columnsBefore: Int
    package var columnsAfter: Int
    /// The index of the change's first list of links.
    ///
    /// The lists of the state before the change are first, and those of the state after it follow.
    package var lists: Int
    /// Whether ``values`` has the values of the columns of this change.
    package var isPlain: Bool
  }

  // Only one thread at a time uses an instance, so Swift need not check the access.
  @exclusivity(unchecked) package private(set) var parts: [Part] = []
  @exclusivity(unchecked) package private(set) var members: [ObjectDecoder.Member] = []
  /// The values of the columns of plain changes.
  @exclusivity(unchecked) package private(set) var values: [PlainValue] = []
  @exclusivity(unchecked) private var links: [Int64] = []
  /// The range of the links of each property that is not a column; nil if they are unknown.
  @exclusivity(unchecked) private var lists: [Range<Int>?] = []
  /// The errors of invalid changes, by the index of the change.
  package private(set) var refusals: [Int: CanonicalEncodingError] = [:]
  private let room = ByteRoom()

  package init() {}

  package var count: Int { parts.count }

  /// The approximate size of the changes in bytes.
  package var size: Int {
    room.count + parts.count * MemoryLayout<Part>.stride
      + links.count * MemoryLayout<Int64>.stride
  }

  package func removeAll() {
    parts.removeAll(keepingCapacity: true)
    members.removeAll(keepingCapacity: true)
    values.removeAll(keepingCapacity: true)
    links.removeAll(keepingCapacity: true)
    lists.removeAll(keepingCapacity: true)
    refusals.removeAll()
    room.removeAll()
  }

  /// The ids in one list of links, in ascending order; nil if they are unknown.
  package func list(_ place: Int) -> ArraySlice<Int64>? { lists[place].map { links[$0] } }

  /// Parses a change and adds it.
  ///
  /// The error of an invalid change is kept in ``refusals``, and thrown when the change is written.
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
    // The values of a plain change are decoded below, which checks that they are canonical. So here
    // it is only split.
    try part.isPlain ? format.split(part.change, of: entity) : format.check(part.change)
    let decoder = format.decoders[entity]
    part.columnsBefore = try append(format.before, decoder: decoder, isPlain: part.isPlain)
    part.before = part.before.lowerBound..<members.count
    part.columnsAfter = try append(format.after, decoder: decoder, isPlain: part.isPlain)
    part.after = part.before.upperBound..<members.count
  }

  /// Appends properties, and returns the number of columns among them.
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
      } else if isSame(member.value, "null") {
        // Only a note can make the links of a checked change unknown.
        lists.append(nil)
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
    copy.name = try room.copy(change.name)
    copy.changed = try room.copy(change.changed)
    copy.before = try room.copy(change.before)
    copy.after = try room.copy(change.after)
    copy.special = try room.copy(change.special)
    copy.large = try room.copy(change.large)
    copy.leaf = try room.copy(change.leaf)
    return copy
  }
}
