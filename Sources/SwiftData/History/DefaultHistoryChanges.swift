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

  /// The number of the change in the store's history; later changes have greater ones.
  public var changeIdentifier: Int64 { record.number }
  /// The id of the transaction, without gaps from 1 on.
  public var transactionIdentifier: Int64 { record.transaction }
  /// The identity of the object, even if the object does not exist any more.
  public var changedPersistentIdentifier: PersistentIdentifier { record.object }
  /// All values of the inserted object; erased ones are missing.
  public var values: HistoryValues<Model> {
    HistoryValues(RecordedSide(record: record, side: .after))
  }
  /// All values of the inserted object, without nil; references are identifiers.
  public var valuesByName: [String: any Sendable] { values.byName }
  /// Empty, because the object did not exist.
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

  /// The number of the change in the store's history; later changes have greater ones.
  public var changeIdentifier: Int64 { record.number }
  /// The id of the transaction, without gaps from 1 on.
  public var transactionIdentifier: Int64 { record.transaction }
  /// The identity of the object, even if the object does not exist any more.
  public var changedPersistentIdentifier: PersistentIdentifier { record.object }
  /// The changed properties, without those that the class no longer has.
  public var updatedAttributes: [any PartialKeyPath<Model> & Sendable] {
    record.changedNames.compactMap { name in
      guard let property = record.entity.properties[name]?.property,
        let keyPath = property.keyPath.through(Model.self)
      else { return nil }
      // Key paths of models contain only the property.
      return unsafeBitCast(keyPath, to: (any PartialKeyPath<Model> & Sendable).self)
    }
  }
  /// The changed values after the update; erased ones are missing.
  public var values: HistoryValues<Model> {
    HistoryValues(RecordedSide(record: record, side: .after))
  }
  /// The changed values before the update; erased ones are missing.
  public var previousValues: HistoryValues<Model> {
    HistoryValues(RecordedSide(record: record, side: .before))
  }
  /// The changed values after the update, without nil; references are identifiers.
  public var valuesByName: [String: any Sendable] { values.byName }
  /// The changed values before the update, without nil; references are identifiers.
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

  /// The number of the change in the store's history; later changes have greater ones.
  public var changeIdentifier: Int64 { record.number }
  /// The id of the transaction, without gaps from 1 on.
  public var transactionIdentifier: Int64 { record.transaction }
  /// The identity of the object, which is never used again.
  public var changedPersistentIdentifier: PersistentIdentifier { record.object }
  /// The values that history keeps; in tombstone mode only those marked for it.
  public var tombstone: HistoryTombstone<Model> { HistoryTombstone(previousValues) }
  /// The values of the tombstone; those that are not kept are missing.
  public var previousValues: HistoryValues<Model> {
    HistoryValues(RecordedSide(record: record, side: .before))
  }
  /// Empty, because the object no longer exists.
  public var valuesByName: [String: any Sendable] { [:] }
  /// The values of the tombstone, without nil; references are identifiers.
  public var previousValuesByName: [String: any Sendable] { previousValues.byName }
}
