import SwiftData

// One use of each name of Apple's framework that AppleNames.txt lists. The test is that it
// compiles.

private enum Uses {
  @Model class Base {
    #Unique<Base>([\.name])
    #Index<Base>([\.name])
    @Attribute(.unique) var name = ""
    @Relationship(deleteRule: .cascade) var parts: [Part] = []
    @Transient var cache = 0
    init() {}
  }

  @Model final class Part {
    #Index<Part>(.binary([\.number]))
    var number = 0
    var owner: Base?
    init() {}
  }

  @ModelActor actor Worker {}

  static func types() -> [Any.Type] {
    [
      Array<Part>.PersistentElement.self,
      DataStoreBatchDeleteRequest<Base>.self,
      DataStoreError.self,
      DataStoreFetchRequest<Base>.self,
      DataStoreFetchResult<Base, DefaultSnapshot>.self,
      DataStoreSaveChangesRequest<DefaultSnapshot>.self,
      DataStoreSaveChangesResult<DefaultSnapshot>.self,
      DataStoreSnapshotCodingKey.self,
      (any DataStoreSnapshotValue).self,
      DefaultHistoryDelete<Base>.self,
      DefaultHistoryDelete<Base>.ChangeIdentifier.self,
      DefaultHistoryDelete<Base>.TransactionIdentifier.self,
      DefaultHistoryInsert<Base>.self,
      DefaultHistoryInsert<Base>.ChangeIdentifier.self,
      DefaultHistoryInsert<Base>.TransactionIdentifier.self,
      DefaultHistoryToken.self,
      DefaultHistoryToken.ID.self,
      DefaultHistoryToken.TokenType.self,
      DefaultHistoryTransaction.self,
      DefaultHistoryTransaction.ID.self,
      DefaultHistoryTransaction.TokenType.self,
      DefaultHistoryTransaction.TransactionIdentifier.self,
      DefaultHistoryUpdate<Base>.self,
      DefaultHistoryUpdate<Base>.ChangeIdentifier.self,
      DefaultHistoryUpdate<Base>.PropertyUpdate.self,
      DefaultHistoryUpdate<Base>.TransactionIdentifier.self,
      DefaultSerialModelExecutor.self,
      DefaultSnapshot.self,
      DefaultStore.self,
      DefaultStore.Configuration.self,
      DefaultStore.Snapshot.self,
      DefaultStore.TokenType.self,
      EditingState.self,
      FetchDescriptor<Base>.self,
      FetchResultsCollection<Base>.self,
      FetchResultsCollection<Base>.Iterator.self,
      HistoryChange.self,
      HistoryDescriptor<DefaultHistoryTransaction>.self,
      HistoryObserver.self,
      HistoryTombstone<Base>.self,
      HistoryTombstone<Base>.Element.self,
      HistoryTombstone<Base>.Iterator.self,
      MigrationStage.self,
      ModelConfiguration.self,
      ModelConfiguration.CloudKitDatabase.self,
      ModelConfiguration.GroupContainer.self,
      ModelContainer.self,
      ModelContext.self,
      ModelContext.NotificationKey.self,
      PersistentIdentifier.self,
      PersistentIdentifier.ID.self,
      ResultsObserver<Base, Never>.self,
      ResultsSection<Base, String>.self,
      Schema.self,
      Schema.Attribute.self,
      Schema.Attribute.Option.self,
      Schema.CompositeAttribute.self,
      Schema.Entity.self,
      Schema.Index<Base>.self,
      Schema.Index<Base>.Types<Base>.self,
      Schema.PropertyMetadata.self,
      Schema.Relationship.self,
      Schema.Relationship.DeleteRule.self,
      Schema.Relationship.Option.self,
      Schema.Unique<Base>.self,
      Schema.Version.self,
      SectionedResults<Base, String>.self,
      SwiftDataError.self,
    ]
  }

  static func protocols() -> [Any.Type] {
    [
      (any BackingData).self,
      (any DataStore).self,
      (any DataStoreBatching).self,
      (any DataStoreConfiguration).self,
      (any DataStoreSnapshot).self,
      (any HistoryDelete).self,
      (any HistoryInsert).self,
      (any HistoryProviding).self,
      (any HistoryToken).self,
      (any HistoryTransaction).self,
      (any HistoryUpdate).self,
      (any ModelActor).self,
      (any ModelExecutor).self,
      (any PersistentModel).self,
      (any RelationshipCollection).self,
      (any SchemaMigrationPlan).self,
      (any SchemaProperty).self,
      (any SerialModelExecutor).self,
      (any VersionedSchema).self,
    ]
  }

  // A parameter is named like its protocol, so that the associated types are spelled as Apple's.

  static func stores<
    DataStore: SwiftData.DataStore,
    DataStoreConfiguration: SwiftData.DataStoreConfiguration,
    BackingData: SwiftData.BackingData,
    PersistentModel: SwiftData.PersistentModel,
    RelationshipCollection: SwiftData.RelationshipCollection
  >(
    _: DataStore.Configuration,
    _: DataStore.Snapshot,
    _: DataStoreConfiguration.Store,
    _: BackingData.Model,
    _: PersistentModel.Root,
    _: RelationshipCollection.PersistentElement,
    _: DataStore.Type,
    _: DataStoreConfiguration.Type,
    _: BackingData.Type,
    _: PersistentModel.Type,
    _: RelationshipCollection.Type
  ) {}

  static func changes<
    HistoryInsert: SwiftData.HistoryInsert,
    HistoryUpdate: SwiftData.HistoryUpdate,
    HistoryDelete: SwiftData.HistoryDelete
  >(
    _: HistoryInsert.Model,
    _: HistoryInsert.ChangeIdentifier,
    _: HistoryInsert.TransactionIdentifier,
    _: HistoryUpdate.Model,
    _: HistoryUpdate.ChangeIdentifier,
    _: HistoryUpdate.TransactionIdentifier,
    _: HistoryUpdate.PropertyUpdate,
    _: HistoryDelete.Model,
    _: HistoryDelete.ChangeIdentifier,
    _: HistoryDelete.TransactionIdentifier,
    _: HistoryInsert.Type,
    _: HistoryUpdate.Type,
    _: HistoryDelete.Type
  ) {}

  static func history<
    HistoryTransaction: SwiftData.HistoryTransaction,
    HistoryToken: SwiftData.HistoryToken,
    HistoryProviding: SwiftData.HistoryProviding
  >(
    _: HistoryTransaction.TokenType,
    _: HistoryTransaction.TransactionIdentifier,
    _: HistoryToken.TokenType,
    _: HistoryProviding.HistoryType,
    _: HistoryTransaction.Type,
    _: HistoryToken.Type,
    _: HistoryProviding.Type
  ) {}
}
