import SwiftData

// Model classes in the shapes that applications use. Like those applications, this file imports
// only SwiftData, and must compile without a warning. Its own types may have the names of SwiftData's.

private struct Schema {}
private struct Index {}
private struct Unique {}

@Model final class ShapedTrip {
  @Attribute(.unique, originalName: "title") var name: String
  var count = 0
  var startDate: Date = .now
  private(set) var ratio = 0.5
  fileprivate var secret: String = "kept"
  /// Where to read more.
  public private(set) var link = URL(string: "https://swift.org")
  var identifiers: [UUID] = [UUID()]
  var kind: Kind = Kind.leisure
  var optionalKind: Kind?
  var address = Address(street: "Main", number: 1)
  var optionalAddress: Address?
  var tags: [String] = []
  var scores: [String: Int] = [:]
  var note: String?
  // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
  var forced: String!
  @Attribute(.externalStorage) var photo: Data?
  @Attribute(.ephemeral) var progress = 0.0
  @Attribute(.preserveValueOnDeletion, .spotlight) var code: String = ""
  @Attribute var plain: Int = 1
  @Attribute() var alsoPlain: Int = 2
  @Attribute(hashModifier: "2") var modified: Int = 3
  @SwiftData.Attribute(.allowsCloudEncryption) var qualified: Int = 4
  @Relationship(deleteRule: .cascade, inverse: \ShapedItem.trip) var items: [ShapedItem] = []
  @Relationship(.cascade) var lodging: ShapedLodging?
  @Relationship(minimumModelCount: 0, maximumModelCount: 3, originalName: "friends")
  var guests: [ShapedGuest]? = []
  @Transient var views = 0
  @Transient var cached: String?
  @Transient lazy var expensive: [Int] = [1, 2, 3]
  @Transient weak var observer: ShapedObserver?
  @Transient private let lock = NSLock()

  #Unique<ShapedTrip>([\.name, \.startDate], [\.code])
  #Index<ShapedTrip>([\.count], [\.startDate, \.name])

  enum Kind: String, Codable, CaseIterable { case leisure, business }

  struct Address: Codable, Equatable {
    var street: String
    var number: Int
  }

  static let limit = 10
  static var typeName: String { "trip" }
  class var other: Int { 1 }

  var title: String { "\(name) (\(count))" }
  var doubled: Int {
    get { count * 2 }
    set { count = newValue / 2 }
  }

  init(name: String, startDate: Date = .now) {
    self.name = name
    self.startDate = startDate
  }

  convenience init() {
    self.init(name: "unnamed")
  }

  func addOne() {
    count += 1
    lock.withLock { views += 1 }
  }
}

@Model final class ShapedItem {
  var title: String
  var trip: ShapedTrip?
  #Index<ShapedItem>(.binary([\.title]), .rtree([\.title]))
  init(title: String, trip: ShapedTrip? = nil) {
    self.title = title
    self.trip = trip
  }
}

@Model final class ShapedLodging {
  var place: String
  @Relationship(inverse: \ShapedTrip.lodging) var trip: ShapedTrip?
  init(place: String) { self.place = place }
}

@Model final class ShapedGuest {
  var name: String
  init(name: String) { self.name = name }
}

final class ShapedObserver {}

/// A type that only a transformer can store.
struct ShapedColor: Equatable {
  var red = 0
}

@Model final class ShapedPaint {
  @Attribute(.transformable(by: "ShapedColorTransformer")) var color: ShapedColor?
  @Attribute(.transformable(by: "ShapedColorTransformer")) var solid: ShapedColor
  init(solid: ShapedColor) { self.solid = solid }
}

@Model final class ShapedFilter {
  static let kind = "user"
  var kind: String = ShapedFilter.kind
  var name = "default"
  @Attribute(.unique) @Attribute(.spotlight, originalName: "key") var code: String = ""
  init() {}
}

extension ShapedFilter {
  @Transient var title: String { "\(kind): \(name)" }
}

@Model final class ShapedWords {
  var `default`: Bool = false
  var `class`: String
  var schema: Int = 0
  var access: String = ""
  var withMutation: Int = 0
  var isDeleted = false
  var hasChanges = "no"
  var description: String = "described"
  var hash: Int = 1
  var `two words` = 2
  init(class: String) { self.class = `class` }
}

@Model final class ShapedNumbers {
  var int8: Int8 = 1
  var int16: Int16 = 1
  var int32: Int32 = 1
  var int64: Int64 = 1
  var uint: UInt = 1
  var uint8: UInt8 = 1
  var uint16: UInt16 = 1
  var uint32: UInt32 = 1
  var uint64: UInt64 = 1
  var float: Float = 1
  var float16: Float16 = 1
  var decimal: Decimal = 1
  var interval: TimeInterval = 1
  init() {}
}

/// Swift itself gives such a class an initializer.
@Model final class ShapedImplicit {
  var name = "implicit"
  var note: String?
  @Transient var views = 0
}
