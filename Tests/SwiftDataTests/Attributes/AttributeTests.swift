import Foundation
import SwiftData
import TestSupport
import Testing

@Suite("Attribute types")
struct AttributeTests {
  /// Saves an object that a closure has filled, and returns the object that another context reads.
  private func roundTrip(_ fill: (AllTypes) -> Void) throws -> (AllTypes, ModelContext) {
    let container = try ModelContainer(
      for: AllTypes.self,
      configurations: ModelConfiguration(isStoredInMemoryOnly: true)
    )
    let context = ModelContext(container)
    let made = AllTypes()
    fill(made)
    context.insert(made)
    try context.save()
    let other = ModelContext(container)
    return (try #require(try other.fetch(FetchDescriptor<AllTypes>()).first), other)
  }

  @Test("Defaults of any type are saved and read.")
  func defaults() throws {
    let (found, context) = try roundTrip { _ in }
    defer { withExtendedLifetime(context) {} }
    #expect(found.bool && found.int == -1 && found.int8 == .min && found.int16 == .max)
    #expect(found.int32 == .min && found.int64 == .max && found.uint == .max)
    #expect(found.uint8 == .max && found.uint16 == .max && found.uint32 == .max)
    #expect(found.uint64 == .max && found.half == 1.5 && found.float == 0.1)
    #expect(found.double == 0.1 && found.string.isEmpty && found.data.isEmpty)
    #expect(found.date == Date(timeIntervalSinceReferenceDate: 0.1))
    #expect(found.url == URL(fileURLWithPath: "/") && found.decimal == 0)
    #expect(found.mood == .calm && found.grade == .high && found.shape == .point)
    #expect(found.address == Address(street: "", city: nil, zip: 0))
    #expect(found.strings.isEmpty && found.table.isEmpty && found.labels.isEmpty)
    #expect(found.photo == nil && found.optionalBool == nil && found.optionalInt == nil)
    #expect(found.optionalUInt64 == nil && found.optionalDouble == nil)
    #expect(found.optionalString == nil && found.optionalDate == nil)
    #expect(found.optionalData == nil && found.optionalUUID == nil && found.optionalURL == nil)
    #expect(found.optionalDecimal == nil && found.optionalMood == nil)
    #expect(found.optionalShape == nil && found.optionalAddress == nil)
    #expect(found.optionalStrings == nil)
  }

  @Test(
    "Unusual numbers are read back as they were saved.",
    arguments: [
      0.0, -0.0, .infinity, -.infinity, .nan, .greatestFiniteMagnitude, .leastNonzeroMagnitude,
      .pi, 1e300, -.leastNonzeroMagnitude, 9_007_199_254_740_992,
    ]
  )
  func doubles(_ value: Double) throws {
    let (found, context) = try roundTrip {
      $0.double = value
      $0.optionalDouble = value
      $0.float = Float(value)
      $0.half = Float16(value)
      $0.date = Date(timeIntervalSinceReferenceDate: value)
      $0.optionalDate = Date(timeIntervalSinceReferenceDate: value)
    }
    defer { withExtendedLifetime(context) {} }
    func same(_ left: Double, _ right: Double) -> Bool {
      left.isNaN ? right.isNaN : left.bitPattern == right.bitPattern
    }
    #expect(same(value, found.double))
    #expect(same(value, try #require(found.optionalDouble)))
    #expect(same(Double(Float(value)), Double(found.float)))
    #expect(same(Double(Float16(value)), Double(found.half)))
    #expect(same(value, found.date.timeIntervalSinceReferenceDate))
    #expect(same(value, try #require(found.optionalDate).timeIntervalSinceReferenceDate))
  }

  @Test(
    "Unusual texts are read back as they were saved.",
    arguments: [
      "", "\0", "a\0b", "é", "e\u{301}", "👩‍👩‍👧‍👦", "'\"\\", "\n\r\t", "\u{FEFF}x", "NaN", "한국어",
      String(repeating: "x", count: 100_000),
    ]
  )
  func strings(_ value: String) throws {
    let (found, context) = try roundTrip {
      $0.string = value
      $0.optionalString = value
      $0.strings = [value, value]
      $0.address = Address(street: value, city: value, zip: 1)
      $0.shape = .named(value, nil)
      $0.table = [value: 1]
    }
    defer { withExtendedLifetime(context) {} }
    #expect(Array(found.string.unicodeScalars) == Array(value.unicodeScalars))
    #expect(found.optionalString.map { Array($0.utf8) } == Array(value.utf8))
    #expect(found.strings.map { Array($0.utf8) } == [Array(value.utf8), Array(value.utf8)])
    #expect(Array(found.address.street.utf8) == Array(value.utf8))
    #expect(found.shape == .named(value, nil))
    #expect(found.table[value] == 1)
  }

  @Test(
    "Unsigned integers are read back over their whole range.",
    arguments: [0, 1, UInt64(Int64.max), UInt64(Int64.max) + 1, .max - 1, .max]
  )
  func unsigned(_ value: UInt64) throws {
    let (found, context) = try roundTrip {
      $0.uint64 = value
      $0.uint = UInt(value)
      $0.optionalUInt64 = value
    }
    defer { withExtendedLifetime(context) {} }
    #expect(found.uint64 == value && found.uint == UInt(value) && found.optionalUInt64 == value)
  }

  @Test(
    "Decimals are read back digit by digit.",
    arguments: [
      "0", "0.1", "-12.50", "123456789012345678901234567890.12345678",
      "0.00000000000000000000000000000000000001", "-79228162514264337593543950335",
    ]
  )
  func decimals(_ text: String) throws {
    let value = try #require(Decimal(string: text))
    let (found, context) = try roundTrip {
      $0.decimal = value
      $0.optionalDecimal = value
    }
    defer { withExtendedLifetime(context) {} }
    #expect(found.decimal == value && found.optionalDecimal == value)
  }

  @Test("Bytes, URLs, UUIDs and Codable values are read back.")
  func others() throws {
    let bytes = Data((0...255).map { UInt8($0) })
    let identifier = UUID()
    let relative = try #require(
      URL(string: "b?q=1#f", relativeTo: URL(string: "https://example.org/a/"))
    )
    let home = Address(street: "1 Way", city: "Oslo", zip: 7, moved: Date.distantFuture)
    let (found, context) = try roundTrip {
      $0.data = bytes
      $0.optionalData = Data()
      $0.uuid = identifier
      $0.optionalUUID = identifier
      $0.url = relative
      $0.optionalURL = URL(string: "mailto:a@example.org")
      $0.mood = .wild
      $0.optionalMood = .wild
      $0.shape = .circle(radius: .infinity)
      $0.optionalShape = .named("x", 3)
      $0.address = home
      $0.optionalAddress = home
      $0.strings = ["b", "a"]
      $0.optionalStrings = []
      $0.numbers = [3, 1, 2]
      $0.moods = [.wild, .calm]
      $0.addresses = [home, home]
      $0.table = ["pi": .pi]
      $0.labels = ["x", "y"]
      $0.ephemeral = 70
      $0.transient = 80
    }
    defer { withExtendedLifetime(context) {} }
    #expect(found.data == bytes && found.optionalData == Data())
    #expect(found.uuid == identifier && found.optionalUUID == identifier)
    #expect(found.url == relative && found.url.baseURL == relative.baseURL)
    #expect(found.optionalURL == URL(string: "mailto:a@example.org"))
    #expect(found.mood == .wild && found.optionalMood == .wild)
    #expect(found.shape == .circle(radius: .infinity) && found.optionalShape == .named("x", 3))
    #expect(found.address == home && found.optionalAddress == home)
    #expect(found.strings == ["b", "a"] && found.optionalStrings == [])
    #expect(found.numbers == [3, 1, 2] && found.moods == [.wild, .calm])
    #expect(found.addresses == [home, home] && found.table == ["pi": .pi])
    #expect(found.labels == ["x", "y"])
    #expect(found.ephemeral == 7 && found.transient == 8)
  }

  @Test("An optional that had a value can become nil again.")
  func backToNil() throws {
    let (found, context) = try roundTrip {
      $0.optionalInt = 1
      $0.optionalAddress = Address(street: "x", city: nil, zip: 1)
      $0.optionalMood = .wild
    }
    found.optionalInt = nil
    found.optionalAddress = nil
    found.optionalMood = nil
    try context.save()
    let again = try #require(
      try ModelContext(context.container).fetch(FetchDescriptor<AllTypes>()).first
    )
    #expect(again.optionalInt == nil && again.optionalAddress == nil && again.optionalMood == nil)
  }

  @Test(
    "Large external values are kept beside the store and read back.",
    arguments: [0, 10, 500_000]
  )
  func externalStorage(_ size: Int) throws {
    let folder = try TemporaryFolder()
    let url = folder.file("photos.store")
    let photo = Data((0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31) })
    do {
      let container = try ModelContainer(for: AllTypes.self, configurations: .init(url: url))
      let context = ModelContext(container)
      let made = AllTypes()
      made.photo = photo
      context.insert(made)
      try context.save()
    }
    let container = try ModelContainer(for: AllTypes.self, configurations: .init(url: url))
    let context = ModelContext(container)
    let found = try #require(try context.fetch(FetchDescriptor<AllTypes>()).first)
    #expect(found.photo == photo)
    found.photo = nil
    try context.save()
    let again = try #require(
      try ModelContext(container).fetch(FetchDescriptor<AllTypes>()).first
    )
    #expect(again.photo == nil)
  }
}
