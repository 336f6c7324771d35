import Foundation
import SwiftData
import TestSupport
import Testing

@Suite("Values in history")
struct HistoryValueTests {
  private func changes(_ context: ModelContext) throws -> [HistoryChange] {
    try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).flatMap(\.changes)
  }

  private func last(_ context: ModelContext) throws -> [HistoryChange] {
    try #require(try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).last)
      .changes
  }

  @Test("An update has the values before and after, by key path and by name.")
  func update() throws {
    let context = ModelContext(try tripContainer())
    let trip = Trip(name: "Oslo", destination: "Norway")
    context.insert(trip)
    try context.save()
    trip.destination = "Bergen"
    trip.endDate = Date(timeIntervalSinceReferenceDate: 0.1)
    trip.budget = .nan
    try context.save()
    let change = try #require(try last(context).first)
    guard case .update(let update as DefaultHistoryUpdate<Trip>) = change else {
      Issue.record("\(change)")
      return
    }
    #expect(update.previousValues[\.destination] as? String == "Norway")
    #expect(update.values[\.destination] as? String == "Bergen")
    #expect(update.previousValues[\.endDate] == nil)
    #expect(update.values[\.endDate] as? Date == Date(timeIntervalSinceReferenceDate: 0.1))
    #expect((update.values[\.budget] as? Double)?.isNaN == true)
    #expect(update.previousValues[\.budget] as? Double == 0)
    #expect(update.values[\.name] == nil)
    #expect(update.values.names == ["destination", "endDate", "budget"])
    #expect(update.previousValues.names == ["destination", "endDate", "budget"])
    #expect(update.values["destination"] as? String == "Bergen")
    #expect(try update.values.value(for: \.destination) as? String == "Bergen")
    #expect(update.previousValues.map(\.name) == ["destination", "endDate", "budget"])
    #expect(change.valuesByName.keys.sorted() == ["budget", "destination", "endDate"])
    #expect(change.previousValuesByName.keys.sorted() == ["budget", "destination"])
    #expect(Set(update.updatedAttributes) == [\.destination, \.endDate, \.budget])
  }

  @Test("A tombstone has all values of the object, and the identifiers of its references.")
  func tombstone() throws {
    let context = ModelContext(try tripContainer())
    let trip = Trip(name: "Oslo", destination: "Norway")
    let item = BucketListItem(title: "Fjord", trip: trip)
    let tag = Tag(label: "nature")
    item.tags = [tag]
    context.insert(item)
    context.insert(tag)
    try context.save()
    context.delete(item)
    try context.save()
    let change = try #require(try last(context).first)
    guard case .delete(let delete as DefaultHistoryDelete<BucketListItem>) = change else {
      Issue.record("\(change)")
      return
    }
    let tombstone = delete.tombstone
    #expect(tombstone[\.title] as? String == "Fjord")
    #expect(tombstone[\.hasReservation] as? Bool == false)
    #expect(tombstone[\.trip] as? PersistentIdentifier == trip.persistentModelID)
    #expect(tombstone[\.tags] as? [PersistentIdentifier] == [tag.persistentModelID])
    #expect(tombstone.contains { $0 as? String == "Fjord" })
    #expect(Array(tombstone).count == 4)
    #expect(delete.previousValues["title"] as? String == "Fjord")
  }

  @Test("Changes of many-to-many links are recorded as added and removed links.")
  func links() throws {
    let context = ModelContext(try tripContainer())
    let item = BucketListItem(title: "Fjord")
    let tags = ["a", "b", "c"].map { Tag(label: $0) }
    for tag in tags { context.insert(tag) }
    context.insert(item)
    item.tags = [tags[0], tags[1]]
    try context.save()
    item.tags = [tags[1], tags[2]]
    try context.save()
    let change = try #require(try last(context).first)
    guard case .update(let update as DefaultHistoryUpdate<BucketListItem>) = change else {
      Issue.record("\(change)")
      return
    }
    #expect(update.updatedAttributes == [\.tags])
    let came = update.values[\.tags] as? [PersistentIdentifier]
    let went = update.previousValues[\.tags] as? [PersistentIdentifier]
    #expect(came?.contains(tags[2].persistentModelID) == true)
    #expect(went?.contains(tags[0].persistentModelID) == true)
  }

  @Test("A cascade, a batch deletion and an upsert are recorded for each object.")
  func ways() throws {
    let context = ModelContext(try tripContainer())
    let trip = Trip(name: "Oslo")
    trip.bucketList = [BucketListItem(title: "a"), BucketListItem(title: "b")]
    trip.livingAccommodation = LivingAccommodation(placeName: "Hotel")
    context.insert(trip)
    try context.save()
    context.delete(trip)
    try context.save()
    let kinds = try last(context).map { change in
      "\(change.changedPersistentIdentifier.entityName) \(change.previousValuesByName.isEmpty)"
    }
    #expect(
      kinds.sorted() == [
        "BucketListItem false", "BucketListItem false", "LivingAccommodation false", "Trip false",
      ]
    )
    for name in ["x", "y", "z"] { context.insert(Trip(name: name)) }
    try context.save()
    try context.delete(model: Trip.self, where: #Predicate { $0.name != "y" })
    try context.save()
    #expect(try last(context).count == 2)
    #expect(try last(context).allSatisfy { if case .delete = $0 { true } else { false } })
    context.insert(Trip(name: "y", destination: "again"))
    try context.save()
    let upserted = try last(context)
    #expect(upserted.count == 1)
    guard case .update(let update as DefaultHistoryUpdate<Trip>) = upserted.first else {
      Issue.record("\(upserted)")
      return
    }
    #expect(update.values[\.destination] as? String == "again")
  }

  @Test("An undo before the save is not recorded, and one after it is a separate transaction.")
  func undo() throws {
    let context = ModelContext(try tripContainer())
    context.undoManager = UndoManager()
    let trip = Trip(name: "Oslo", destination: "Norway")
    context.insert(trip)
    try context.save()
    trip.destination = "Bergen"
    context.undoManager?.undo()
    try context.save()
    #expect(try changes(context).count == 1)
    trip.destination = "Bergen"
    try context.save()
    context.undoManager?.undo()
    try context.save()
    let change = try #require(try last(context).first)
    #expect(change.previousValuesByName["destination"] as? String == "Bergen")
    #expect(change.valuesByName["destination"] as? String == "Norway")
  }

  @Test("Values of all types are read back from history, unusual ones too.")
  func allTypes() throws {
    let context = ModelContext(
      try ModelContainer(for: AllTypes.self, configurations: .init(isStoredInMemoryOnly: true))
    )
    let object = AllTypes()
    object.half = .infinity
    object.float = -0.0
    object.double = .nan
    object.string = "a\0b \"q\" \\ é e\u{301}"
    object.date = .distantFuture
    object.data = Data([0, 255, 10])
    object.decimal = Decimal(string: "12345678901234567890.12345") ?? 0
    object.url = URL(string: "b/c", relativeTo: URL(string: "https://example.org/a/")) ?? object.url
    object.shape = .named("x", nil)
    object.address = Address(
      street: "s",
      city: nil,
      zip: 3,
      moved: Date(timeIntervalSince1970: 0.5)
    )
    object.strings = ["", "a\"b"]
    object.table = ["k": -.infinity]
    object.labels = ["one"]
    object.photo = Data(repeating: 7, count: 200_000)
    object.optionalDate = Date(timeIntervalSinceReferenceDate: -1e15)
    object.optionalUInt64 = UInt64.max
    object.optionalDecimal = .nan
    object.optionalMood = .wild
    context.insert(object)
    try context.save()
    let change = try #require(try last(context).first)
    guard case .insert(let insert as DefaultHistoryInsert<AllTypes>) = change else {
      Issue.record("\(change)")
      return
    }
    let values = insert.values
    func expect<V: Equatable>(
      _ keyPath: KeyPath<AllTypes, V>,
      sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
      let found = try values.value(for: keyPath)
      #expect(found as? V == object[keyPath: keyPath], sourceLocation: sourceLocation)
    }
    func expectWrapped<V: Equatable>(
      _ keyPath: KeyPath<AllTypes, V?>,
      sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
      let found = try values.value(for: keyPath)
      #expect(found as? V == object[keyPath: keyPath], sourceLocation: sourceLocation)
      #expect((found == nil) == (object[keyPath: keyPath] == nil), sourceLocation: sourceLocation)
    }
    try expect(\.bool)
    try expect(\.int)
    try expect(\.int8)
    try expect(\.int16)
    try expect(\.int32)
    try expect(\.int64)
    try expect(\.uint)
    try expect(\.uint8)
    try expect(\.uint16)
    try expect(\.uint32)
    try expect(\.uint64)
    try expect(\.half)
    try expect(\.float)
    try expect(\.string)
    try expect(\.date)
    try expect(\.data)
    try expect(\.uuid)
    try expect(\.url)
    try expect(\.decimal)
    try expect(\.mood)
    try expect(\.grade)
    try expect(\.shape)
    try expect(\.address)
    try expect(\.strings)
    try expect(\.numbers)
    try expect(\.moods)
    try expect(\.addresses)
    try expect(\.table)
    try expect(\.labels)
    try expectWrapped(\.photo)
    try expectWrapped(\.optionalBool)
    try expectWrapped(\.optionalInt)
    try expectWrapped(\.optionalUInt64)
    try expectWrapped(\.optionalDouble)
    try expectWrapped(\.optionalString)
    try expectWrapped(\.optionalDate)
    try expectWrapped(\.optionalData)
    try expectWrapped(\.optionalUUID)
    try expectWrapped(\.optionalURL)
    try expectWrapped(\.optionalMood)
    try expectWrapped(\.optionalShape)
    try expectWrapped(\.optionalAddress)
    try expectWrapped(\.optionalStrings)
    #expect((values[\.double] as? Double)?.isNaN == true)
    #expect((values[\.float] as? Float)?.sign == .minus)
    #expect((values[\.optionalDecimal] as? Decimal)?.isNaN == true)
    #expect(values[\.ephemeral] == nil)
  }

  @Test("Values over one megabyte are read from files beside the store.", arguments: [true, false])
  func large(_ isInMemory: Bool) throws {
    let folder = try TemporaryFolder()
    let configuration =
      isInMemory
      ? ModelConfiguration(isStoredInMemoryOnly: true)
      : ModelConfiguration(url: folder.file("large.store"))
    let context = ModelContext(
      try ModelContainer(for: AllTypes.self, configurations: configuration)
    )
    let object = AllTypes()
    object.data = Data((0..<1_500_000).map { UInt8(truncatingIfNeeded: $0 % 251) })
    object.string = String(repeating: "é", count: 800_000)
    object.strings = [String(repeating: "x", count: 1_200_000)]
    context.insert(object)
    try context.save()
    let change = try #require(try last(context).first)
    guard case .insert(let insert as DefaultHistoryInsert<AllTypes>) = change else { return }
    #expect(insert.values[\.data] as? Data == object.data)
    #expect(insert.values[\.string] as? String == object.string)
    #expect(insert.values[\.strings] as? [String] == object.strings)
  }
}
