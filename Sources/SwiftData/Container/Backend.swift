/// How the objects of one store of a container are read and written: by the rows of its
/// tables, or by the snapshots that a custom store gives and takes.
protocol Backend: Sendable {
  var identifier: String { get }
  /// Whether the objects on both sides keep a relationship; rows keep it on one side.
  var keepsBothSides: Bool { get }
  /// Whether what was written can't be taken back when the rest of a save fails.
  var isWrittenLast: Bool { get }

  /// The objects that a descriptor describes; changes that are not saved are seen.
  func fetch<T: PersistentModel>(
    _ descriptor: FetchDescriptor<T>,
    _ entity: EntityDescription,
    in context: ModelContext
  ) throws -> [T]

  func count<T: PersistentModel>(
    _ descriptor: FetchDescriptor<T>,
    _ entity: EntityDescription,
    in context: ModelContext
  ) throws -> Int

  func identifiers<T: PersistentModel>(
    _ descriptor: FetchDescriptor<T>,
    _ entity: EntityDescription,
    in context: ModelContext
  ) throws -> [PersistentIdentifier]

  /// Has the next save delete the objects that a descriptor describes.
  func delete<T: PersistentModel>(
    _ descriptor: FetchDescriptor<T>,
    _ entity: EntityDescription,
    in context: ModelContext
  ) throws

  /// Reads the values that an object does not have; returns false if the store has the object no
  /// more.
  func fill(_ state: _ModelState, in context: ModelContext) throws -> Bool

  /// The object of an identity that the store gave, if it is in memory.
  func registered(
    _ id: PersistentIdentifier,
    _ entity: EntityDescription,
    in context: ModelContext
  ) -> (any PersistentModel)?

  /// The objects of identities; those that the store does not have are left out.
  func models(
    for identifiers: [PersistentIdentifier],
    storeIndex: Int,
    in context: ModelContext
  ) throws -> [PersistentIdentifier: any PersistentModel]

  /// The object of a row of the context, which is not in memory; nil if there is no such object.
  func model(
    of entity: EntityDescription,
    row: Int64,
    in context: ModelContext
  ) throws -> (any PersistentModel)?

  /// Reads the objects that a to-many relationship leads to.
  func load(
    _ many: ToMany,
    of state: _ModelState,
    _ property: PropertyDescription,
    _ destination: EntityDescription,
    in context: ModelContext
  ) throws

  /// Reads the objects that a relationship of many objects leads to, all at once.
  func prefetch(
    _ property: PropertyDescription,
    of states: [_ModelState],
    in context: ModelContext
  ) throws

  /// Writes its part of a save, and has the rest of the save written before it commits, if it can.
  func write(
    _ save: PendingSave,
    storeIndex: Int,
    in context: ModelContext,
    _ writeRest: () throws -> Void
  ) throws
}
