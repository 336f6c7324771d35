import Store

extension ModelContext {
  func customModel(for id: PersistentIdentifier) -> (any PersistentModel)? { nil }

  func fetchFromCustom<T: PersistentModel>(
    _ store: any DataStore, _ descriptor: FetchDescriptor<T>, _ entity: EntityDescription
  ) throws -> [T] {
    throw DataStoreError.unsupportedFeature
  }

  func saveToCustom(_ store: any DataStore, _ save: PendingSave, storeIndex: Int) throws {
    throw DataStoreError.unsupportedFeature
  }
}
