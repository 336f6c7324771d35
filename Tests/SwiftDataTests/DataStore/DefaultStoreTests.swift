import Foundation
import SwiftData
import TestSupport
import Testing

@Suite("The default store, used without a context")
struct DefaultStoreTests {
  private let folder: TemporaryFolder
  private let store: DefaultStore

  init() throws {
    folder = try TemporaryFolder()
    store = try DefaultStore(
      ModelConfiguration(
        "hand",
        schema: Schema([Trip.self]),
        url: folder.file("hand.store")
      )
    )
  }

  private func snapshot<T: PersistentModel>(_ model: T) -> DefaultSnapshot {
    var related: [PersistentIdentifier: any BackingData] = [:]
    return DefaultSnapshot(from: model.persistentBackingData, relatedBackingDatas: &related)
  }

  private func fetch<T: PersistentModel>(
    _ descriptor: FetchDescriptor<T> = FetchDescriptor()
  ) throws -> [DefaultSnapshot] {
    try store.fetch(DataStoreFetchRequest(descriptor: descriptor)).fetchedSnapshots
  }

  private func fill() throws -> DataStoreSaveChangesResult<DefaultSnapshot> {
    let trip = Trip(name: "A", destination: "x")
    let items = [BucketListItem(title: "1"), BucketListItem(title: "2")]
    trip.bucketList = items
    trip.livingAccommodation = LivingAccommodation(placeName: "Hut")
    // A context keeps both sides consistent.
    let context = ModelContext(try tripContainer())
    context.insert(trip)
    return try store.save(
      DataStoreSaveChangesRequest(
        editingState: EditingState(author: "hand"),
        inserted: context.insertedModelsArray.map { snapshot($0) }
      )
    )
  }

  @Test("The history has the author and the reason of each request.")
  func reasons() throws {
    _ = try fill()
    var state = EditingState(author: "hand")
    state.transactionContext.reason = "clean up"
    try store.delete(DataStoreBatchDeleteRequest<BucketListItem>(editingState: state))
    let container = try ModelContainer(for: Trip.self, configurations: store.configuration)
    let history = try allHistory(ModelContext(container))
    #expect(history.map(\.author) == ["hand", "hand"])
    #expect(history.map(\.reason) == [nil, "clean up"])
  }

  @Test("Fetches return snapshots with relationships.")
  func fetching() throws {
    _ = try fill()
    let trips = try fetch(FetchDescriptor<Trip>(predicate: #Predicate { $0.destination == "x" }))
    let items = try fetch(FetchDescriptor<BucketListItem>())
    struct Members: Decodable { var bucketList: Set<PersistentIdentifier> }
    let members = try JSONDecoder().decode(
      Members.self,
      from: JSONEncoder().encode(try #require(trips.first))
    )
    #expect(members.bucketList == Set(items.map(\.persistentIdentifier)))
    #expect(
      try store.fetchCount(DataStoreFetchRequest(descriptor: FetchDescriptor<Trip>())) == 1
    )
    #expect(
      try store.fetchIdentifiers(DataStoreFetchRequest(descriptor: FetchDescriptor<Trip>()))
        == trips.map(\.persistentIdentifier)
    )
  }

  @Test("Changed and deleted objects are saved.")
  func changing() throws {
    _ = try fill()
    let trip = try #require(try fetch(FetchDescriptor<Trip>()).first)
    let items = try fetch(FetchDescriptor<BucketListItem>())
    var fields = try #require(
      try JSONSerialization.jsonObject(with: JSONEncoder().encode(trip)) as? [String: Any]
    )
    fields["destination"] = "y"
    fields["livingAccommodation"] = NSNull()
    let changed = try JSONDecoder().decode(
      DefaultSnapshot.self,
      from: JSONSerialization.data(withJSONObject: fields)
    )
    _ = try store.save(
      DataStoreSaveChangesRequest(updated: [changed], deleted: [items[0]])
    )
    let context = ModelContext(
      try ModelContainer(for: Trip.self, configurations: store.configuration)
    )
    let found = try #require(try context.fetch(FetchDescriptor<Trip>()).first)
    #expect(found.destination == "y" && found.bucketList.count == 1)
    #expect(found.livingAccommodation == nil)
    #expect(try context.fetchCount(FetchDescriptor<LivingAccommodation>()) == 1)
    #expect(found.persistentModelID == trip.persistentIdentifier)
  }

  @Test("A configuration without a schema can't create a store.")
  func noSchema() {
    #expect(throws: SwiftDataError.unknownSchema) {
      try DefaultStore(ModelConfiguration(isStoredInMemoryOnly: true), migrationPlan: nil)
    }
  }
}
