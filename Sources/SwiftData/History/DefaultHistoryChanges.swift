import Store

/// The insertion of an object into one of SwiftData's own stores.
public struct DefaultHistoryInsert<Model: PersistentModel>: HistoryInsert, HistoryValueProviding,
  Hashable
{
  let record: ChangeRecord

  /// The place among all changes of the store.
  public var changeIdentifier: Int64 { record.number }
  /// The place of the transaction among all of the store.
  public var transactionIdentifier: Int64 { record.transaction }
  /// The identity of the object.
  public var changedPersistentIdentifier: PersistentIdentifier { record.object }
  /// All values that the object had when it was inserted.
  public var values: HistoryValues<Model> {
    HistoryValues(RecordedSide(record: record, side: .after))
  }
  /// All values that the object had when it was inserted.
  public var valuesByName: [String: any Sendable] { values.byName }
  /// None.
  public var previousValuesByName: [String: any Sendable] { [:] }
}

/// A change of an object's values in one of SwiftData's own stores.
public struct DefaultHistoryUpdate<Model: PersistentModel>: HistoryUpdate, HistoryValueProviding,
  Hashable
{
  let record: ChangeRecord

  /// The place among all changes of the store.
  public var changeIdentifier: Int64 { record.number }
  /// The place of the transaction among all of the store.
  public var transactionIdentifier: Int64 { record.transaction }
  /// The identity of the object.
  public var changedPersistentIdentifier: PersistentIdentifier { record.object }
  /// The properties that changed; those that the class does not have any more are left out.
  public var updatedAttributes: [any PartialKeyPath<Model> & Sendable] {
    record.changedNames.compactMap { name in
      guard let property = record.entity.properties[name]?.property,
        let keyPath = property.keyPath.through(Model.self)
      else { return nil }
      // Key paths of models hold nothing but the property.
      return unsafeBitCast(keyPath, to: (any PartialKeyPath<Model> & Sendable).self)
    }
  }
  /// The values that changed, as they were afterwards.
  public var values: HistoryValues<Model> {
    HistoryValues(RecordedSide(record: record, side: .after))
  }
  /// The values that changed, as they were before.
  public var previousValues: HistoryValues<Model> {
    HistoryValues(RecordedSide(record: record, side: .before))
  }
  /// The values that changed, as they were afterwards.
  public var valuesByName: [String: any Sendable] { values.byName }
  /// The values that changed, as they were before.
  public var previousValuesByName: [String: any Sendable] { previousValues.byName }
}

/// The deletion of an object from one of SwiftData's own stores.
public struct DefaultHistoryDelete<Model: PersistentModel>: HistoryDelete, HistoryValueProviding,
  Hashable
{
  let record: ChangeRecord

  /// The place among all changes of the store.
  public var changeIdentifier: Int64 { record.number }
  /// The place of the transaction among all of the store.
  public var transactionIdentifier: Int64 { record.transaction }
  /// The identity of the object.
  public var changedPersistentIdentifier: PersistentIdentifier { record.object }
  /// The values that are kept of the object.
  public var tombstone: HistoryTombstone<Model> { HistoryTombstone(previousValues) }
  /// The values that are kept of the object.
  public var previousValues: HistoryValues<Model> {
    HistoryValues(RecordedSide(record: record, side: .before))
  }
  /// None.
  public var valuesByName: [String: any Sendable] { [:] }
  /// The values that are kept of the object.
  public var previousValuesByName: [String: any Sendable] { previousValues.byName }
}
