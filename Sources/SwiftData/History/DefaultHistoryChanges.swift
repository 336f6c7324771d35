import Store

/// The insertion of an object into a native store.
///
/// ```swift
/// guard case .insert(let insert as DefaultHistoryInsert<Trip>) = change else { continue }
/// print(insert.values[\.name] ?? "")
/// ```
public struct DefaultHistoryInsert<Model: PersistentModel>: HistoryInsert, HistoryValueProviding,
  Hashable
{
  let record: ChangeRecord

  /// The number of the change in the store's history; later changes have greater numbers.
  public var changeIdentifier: Int64 { record.number }
  /// The id of the transaction; ids begin with 1 and have no gaps.
  public var transactionIdentifier: Int64 { record.transaction }
  /// The identity of the object, even if the object does not exist any more.
  public var changedPersistentIdentifier: PersistentIdentifier { record.object }
  /// All values of the inserted object, except erased values.
  public var values: HistoryValues<Model> {
    HistoryValues(RecordedSide(record: record, side: .after))
  }
  /// All values of the inserted object that are not nil; a reference is an identifier.
  public var valuesByName: [String: any Sendable] { values.byName }
  /// Always empty, because the object did not exist before its insertion.
  public var previousValuesByName: [String: any Sendable] { [:] }
}

/// The update of an object in a native store.
///
/// ```swift
/// guard case .update(let update as DefaultHistoryUpdate<Trip>) = change else { continue }
/// print(update.values[\.name] ?? "")
/// ```
public struct DefaultHistoryUpdate<Model: PersistentModel>: HistoryUpdate, HistoryValueProviding,
  Hashable
{
  let record: ChangeRecord

  /// The number of the change in the store's history; later changes have greater numbers.
  public var changeIdentifier: Int64 { record.number }
  /// The id of the transaction; ids begin with 1 and have no gaps.
  public var transactionIdentifier: Int64 { record.transaction }
  /// The identity of the object, even if the object does not exist any more.
  public var changedPersistentIdentifier: PersistentIdentifier { record.object }
  /// The changed properties, except properties that the class no longer has.
  public var updatedAttributes: [any PartialKeyPath<Model> & Sendable] {
    record.changedNames.compactMap { name in
      guard let property = record.entity.properties[name]?.property,
        let keyPath = property.keyPath.through(Model.self)
      else { return nil }
      // The key path of a model's property captures nothing, so it is Sendable.
      return unsafeBitCast(keyPath, to: (any PartialKeyPath<Model> & Sendable).self)
    }
  }
  /// The changed values after the update, except erased values.
  public var values: HistoryValues<Model> {
    HistoryValues(RecordedSide(record: record, side: .after))
  }
  /// The changed values before the update, except erased values.
  public var previousValues: HistoryValues<Model> {
    HistoryValues(RecordedSide(record: record, side: .before))
  }
  /// The changed values after the update that are not nil; a reference is an identifier.
  public var valuesByName: [String: any Sendable] { values.byName }
  /// The changed values before the update that were not nil; a reference is an identifier.
  public var previousValuesByName: [String: any Sendable] { previousValues.byName }
}

/// The deletion of an object from a native store.
///
/// ```swift
/// guard case .delete(let delete as DefaultHistoryDelete<Trip>) = change else { continue }
/// print(delete.tombstone[\.name] ?? "")
/// ```
public struct DefaultHistoryDelete<Model: PersistentModel>: HistoryDelete, HistoryValueProviding,
  Hashable
{
  let record: ChangeRecord

  /// The number of the change in the store's history; later changes have greater numbers.
  public var changeIdentifier: Int64 { record.number }
  /// The id of the transaction; ids begin with 1 and have no gaps.
  public var transactionIdentifier: Int64 { record.transaction }
  /// The identity of the deleted object, which no other object ever gets.
  public var changedPersistentIdentifier: PersistentIdentifier { record.object }
  /// The values of the deleted object that history keeps; in tombstone mode, only values of marked
  /// attributes.
  public var tombstone: HistoryTombstone<Model> { HistoryTombstone(previousValues) }
  /// The values of the tombstone, except values that history does not keep.
  public var previousValues: HistoryValues<Model> {
    HistoryValues(RecordedSide(record: record, side: .before))
  }
  /// Always empty, because the object no longer exists.
  public var valuesByName: [String: any Sendable] { [:] }
  /// The values of the tombstone that are not nil; a reference is an identifier.
  public var previousValuesByName: [String: any Sendable] { previousValues.byName }
}
