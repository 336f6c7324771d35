import Foundation
import SwiftData
import TestSupport
import Testing

@Suite("Erased values in history")
struct ErasedValueTests {
  @Test("Erased values are missing by key path and by name; other values and changes are present.")
  func erased() throws {
    let folder = try TemporaryFolder()
    var configuration = ModelConfiguration(url: folder.file("patrons.store"))
    configuration.history = .tombstones
    let context = ModelContext(
      try ModelContainer(for: Patron.self, Visit.self, configurations: configuration)
    )
    let patron = Patron(card: "17")
    let friend = Patron(card: "18")
    let visit = Visit()
    context.insert(patron)
    context.insert(friend)
    context.insert(visit)
    patron.sponsor = friend
    patron.visits = [visit]
    try context.save()
    patron.address = "Bergen"
    patron.photo = Data(repeating: 2, count: 300_000)
    friend.address = "Oslo"
    try context.save()
    let identifier = patron.persistentModelID
    context.delete(patron)
    try context.save()

    let all = try allHistory(context)
    func changes(of wanted: PersistentIdentifier) -> [HistoryChange] {
      all.flatMap(\.changes).filter { $0.changedPersistentIdentifier == wanted }
    }
    let own = changes(of: identifier)
    try #require(own.count == 3)
    guard case .insert(let insert as DefaultHistoryInsert<Patron>) = own[0],
      case .update(let update as DefaultHistoryUpdate<Patron>) = own[1],
      case .delete(let delete as DefaultHistoryDelete<Patron>) = own[2]
    else {
      Issue.record("\(own)")
      return
    }
    // Links contain only ids, and are not erased.
    #expect(insert.values.names == ["visits"])
    #expect(insert.values[\.visits] as? [PersistentIdentifier] == [visit.persistentModelID])
    for name in ["card", "address", "age", "photo", "sponsor"] {
      #expect(try insert.values.value(named: name) == nil)
    }
    #expect(Set(update.updatedAttributes) == [\.address, \.photo])
    #expect(update.values.names.isEmpty && update.previousValues.names.isEmpty)
    for keyPath in update.updatedAttributes {
      #expect(try update.values.value(for: keyPath) == nil)
      #expect(try update.previousValues.value(for: keyPath) == nil)
    }
    #expect(own[1].valuesByName.isEmpty && own[1].previousValuesByName.isEmpty)
    #expect(delete.tombstone[\.card] as? String == "17")
    #expect(delete.tombstone[\.age] as? Int == 40)
    #expect(delete.tombstone[\.address] == nil)
    #expect(delete.tombstone[\.photo] == nil)
    #expect(delete.tombstone[\.sponsor] == nil)
    #expect(Set(delete.previousValues.names) == ["card", "age", "visits"])
    #expect(delete.tombstone.contains { $0 as? String == "17" })
    // Values of other objects are not erased.
    guard
      case .update(let other as DefaultHistoryUpdate<Patron>) = changes(
        of: friend.persistentModelID
      )[1]
    else { return }
    #expect(other.values[\.address] as? String == "Oslo")
    #expect(other.previousValues.names == ["address"] && other.previousValues[\.address] == nil)
  }
}

@Model final class Patron {
  @Attribute(.preserveValueOnDeletion) var card: String
  @Attribute(.preserveValueOnDeletion) var age: Int?
  var address: String?
  @Attribute(.externalStorage) var photo: Data?
  var sponsor: Patron?
  @Relationship(inverse: \Visit.patrons) var visits: [Visit] = []
  init(card: String) {
    self.card = card
    age = 40
  }
}

@Model final class Visit {
  var patrons: [Patron] = []
  init() {}
}
