import Foundation
import SwiftData
import Testing

@Suite("Encoding of snapshots")
struct SnapshotCodingTests {
  private func snapshot<T: PersistentModel>(_ model: T) -> DefaultSnapshot {
    var related: [PersistentIdentifier: any BackingData] = [:]
    return DefaultSnapshot(from: model.persistentBackingData, relatedBackingDatas: &related)
  }

  private func object(_ snapshot: DefaultSnapshot) throws -> [String: Any] {
    let data = try JSONEncoder().encode(snapshot)
    return try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
  }

  @Test("Values are encoded under their names, and nil is encoded.")
  func names() throws {
    let trip = Trip(name: "Fjord", destination: "Bergen", startDate: Date())
    trip.budget = 2.5
    let object = try object(snapshot(trip))
    #expect(
      Set(object.keys) == [
        "persistentIdentifier", "name", "destination", "startDate", "endDate", "budget",
        "bucketList", "livingAccommodation",
      ]
    )
    #expect(object["name"] as? String == "Fjord" && object["budget"] as? Double == 2.5)
    #expect(object["endDate"] is NSNull && object["livingAccommodation"] is NSNull)
    #expect((object["bucketList"] as? [Any])?.isEmpty == true)
  }

  @Test("Composite values are nested, and enumerations are raw values.")
  func composites() throws {
    let model = AllTypes()
    model.address = Address(street: "Bryggen", city: "Bergen", zip: 5003)
    model.mood = .wild
    model.moods = [.calm, .wild]
    let object = try object(snapshot(model))
    let address = try #require(object["address"] as? [String: Any])
    #expect(address["street"] as? String == "Bryggen" && address["zip"] as? Int == 5003)
    #expect(object["mood"] as? String == "wild" && object["grade"] as? Int == 2)
    #expect(object["moods"] as? [String] == ["calm", "wild"])
    #expect(object["ephemeral"] == nil && object["transient"] == nil)
  }

  @Test("The encoder's strategies for dates and bytes apply.")
  func strategies() throws {
    let model = AllTypes()
    model.date = Date(timeIntervalSince1970: 1_700_000_000)
    model.data = Data([1, 2, 3])
    let encoder = JSONEncoder()
    encoder.dateEncodingStrategy = .iso8601
    encoder.dataEncodingStrategy = .custom { data, encoder in
      var container = encoder.singleValueContainer()
      try container.encode("\(data.count) bytes")
    }
    let data = try encoder.encode(snapshot(model))
    let object = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
    #expect(object["date"] as? String == "2023-11-14T22:13:20Z")
    #expect(object["data"] as? String == "3 bytes")
  }

  @Test("Relationships are encoded as identifiers, and related storage is returned.")
  func relationships() throws {
    let trip = Trip(name: "A")
    let item = BucketListItem(title: "1")
    trip.bucketList = [item]
    let context = try StorePlace(.native).context()
    context.insert(trip)
    try context.save()
    var related: [PersistentIdentifier: any BackingData] = [:]
    let taken = DefaultSnapshot(from: trip.persistentBackingData, relatedBackingDatas: &related)
    #expect(taken.persistentIdentifier == trip.persistentModelID)
    #expect(Set(related.keys) == [item.persistentModelID])
    struct Members: Decodable { var bucketList: [PersistentIdentifier] }
    struct Owner: Decodable { var trip: PersistentIdentifier? }
    let members = try JSONDecoder().decode(Members.self, from: JSONEncoder().encode(taken))
    #expect(members.bucketList == [item.persistentModelID])
    let owner = try JSONDecoder().decode(Owner.self, from: JSONEncoder().encode(snapshot(item)))
    #expect(owner.trip == trip.persistentModelID)
  }

  @Test("Encoded snapshots are decoded from JSON and property lists.")
  func decoding() throws {
    let model = AllTypes()
    model.string = "é\0한"
    model.uint64 = .max
    model.int64 = .min
    model.decimal = try #require(Decimal(string: "0.1"))
    model.url = try #require(URL(string: "https://example.org/a?b=c"))
    model.shape = .named("x", nil)
    model.addresses = [Address(street: "s", city: nil, zip: 1)]
    model.photo = Data(repeating: 7, count: 1000)
    model.optionalMood = .wild
    model.optionalStrings = ["a"]
    let first = snapshot(model)
    let json = try JSONEncoder().encode(first)
    let second = try JSONDecoder().decode(DefaultSnapshot.self, from: json)
    #expect(second.persistentIdentifier == first.persistentIdentifier)
    let sorted = JSONEncoder()
    sorted.outputFormatting = .sortedKeys
    #expect(try sorted.encode(second) == sorted.encode(first))
    struct Trimmed: Codable { var string: String }
    let list = try PropertyListEncoder().encode(snapshot(Trip(name: "A")))
    #expect(
      try PropertyListDecoder().decode(DefaultSnapshot.self, from: list).persistentIdentifier
        .entityName == "Trip"
    )
  }

  @Test("A missing value becomes the default or nil; a missing required one is an error.")
  func missing() throws {
    let trip = Trip(name: "A")
    var fields = try object(snapshot(trip))
    fields["budget"] = nil
    fields["endDate"] = nil
    fields["bucketList"] = nil
    fields["livingAccommodation"] = nil
    let data = try JSONSerialization.data(withJSONObject: fields)
    let decoded = try object(JSONDecoder().decode(DefaultSnapshot.self, from: data))
    #expect(decoded["budget"] as? Double == 0 && decoded["endDate"] is NSNull)
    fields["destination"] = nil
    let broken = try JSONSerialization.data(withJSONObject: fields)
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode(DefaultSnapshot.self, from: broken)
    }
    fields["destination"] = 5
    let wrong = try JSONSerialization.data(withJSONObject: fields)
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode(DefaultSnapshot.self, from: wrong)
    }
  }

  @Test("The error of an unknown entity names it.")
  func unknownEntity() throws {
    let json = #"{"persistentIdentifier":{"entityName":"Nobody","primaryKey":1}}"#
    let error = #expect(throws: DecodingError.self) {
      try JSONDecoder().decode(DefaultSnapshot.self, from: Data(json.utf8))
    }
    #expect("\(try #require(error))".contains("Nobody"))
  }

  @Test("A copy has another identifier, and other identifiers in its references.")
  func copying() throws {
    let trip = Trip(name: "A")
    let item = BucketListItem(title: "1", trip: trip)
    let context = try StorePlace(.native).context()
    context.insert(item)
    let first = snapshot(item)
    let new = try PersistentIdentifier.identifier(
      for: "s",
      entityName: "BucketListItem",
      primaryKey: UUID()
    )
    let owner = try PersistentIdentifier.identifier(
      for: "s",
      entityName: "Trip",
      primaryKey: "one"
    )
    let copy = first.copy(
      persistentIdentifier: new,
      remappedIdentifiers: [trip.persistentModelID: owner]
    )
    struct Owner: Decodable { var trip: PersistentIdentifier? }
    #expect(copy.persistentIdentifier == new)
    #expect(
      try JSONDecoder().decode(Owner.self, from: JSONEncoder().encode(copy)).trip == owner
    )
    let plain = first.copy(persistentIdentifier: new)
    #expect(
      try JSONDecoder().decode(Owner.self, from: JSONEncoder().encode(plain)).trip
        == trip.persistentModelID
    )
    #expect(first.persistentIdentifier == item.persistentModelID)
  }

  @Test("A snapshot is encoded with its inherited values.")
  func inheritance() throws {
    let taxi = Taxi(plate: "T 1", license: "L")
    let fields = try object(snapshot(taxi))
    #expect(fields["plate"] as? String == "T 1" && fields["doors"] as? Int == 4)
    #expect(fields["license"] as? String == "L" && fields["fare"] as? Double == 1.5)
    let again = try JSONDecoder().decode(
      DefaultSnapshot.self,
      from: JSONEncoder().encode(snapshot(taxi))
    )
    #expect(again.persistentIdentifier.entityName == "Taxi")
  }

  @Test("A snapshot can contain storage of another implementation.")
  func foreignStorage() throws {
    var related: [PersistentIdentifier: any BackingData] = [:]
    let identifier = try PersistentIdentifier.identifier(
      for: "elsewhere",
      entityName: "Reading",
      primaryKey: 3
    )
    var backing = FixedReading(for: Reading.self)
    backing.persistentModelID = identifier
    let taken = DefaultSnapshot(from: backing, relatedBackingDatas: &related)
    #expect(taken.persistentIdentifier == identifier && related.isEmpty)
    let fields = try object(taken)
    #expect(fields["value"] as? Int == 41 && fields["mood"] as? String == "wild")
  }

  @Test("The keys of snapshots have the documented names.")
  func keys() {
    typealias Key = DataStoreSnapshotCodingKey
    #expect(Key.persistentIdentifier.stringValue == "persistentIdentifier")
    #expect(Key.modeledProperty("name").stringValue == "name")
    #expect(Key(stringValue: "persistentIdentifier") == .persistentIdentifier)
    #expect(Key(stringValue: "name") == .modeledProperty("name"))
    #expect(Key(intValue: 1) == nil && Key.modeledProperty("name").intValue == nil)
  }
}

/// Storage for readings that always has the same values.
private struct FixedReading: BackingData {
  var persistentModelID: PersistentIdentifier?
  var metadata: Any { "fixed" }

  init(for modelType: Reading.Type) {}

  func getValue<Value>(forKey keyPath: KeyPath<Reading, Value>) -> Value {
    if keyPath == \Reading.value, let value = 41 as? Value { return value }
    if keyPath == \Reading.mood, let value = Mood.wild as? Value { return value }
    preconditionFailure("Readings have no other values.")
  }

  mutating func setValue<Value>(forKey keyPath: KeyPath<Reading, Value>, to newValue: Value) {}
}
