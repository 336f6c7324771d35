import SwiftData

/// The models that predicates are tested over: a value of each kind, and every kind of
/// relationship.
enum PredicateWorld {
  enum Status: String, Codable, CaseIterable {
    case draft, open, closed
  }

  /// Ordered against its raw values.
  enum Level: Int, Codable, CaseIterable, Comparable {
    case low = 3
    case middle = 2
    case high = 1
    static func < (left: Level, right: Level) -> Bool { left.rawValue > right.rawValue }
  }

  enum Shape: Codable, Equatable {
    case point
    case circle(radius: Double)
  }

  struct Address: Codable, Equatable {
    var city: String
    var zip: Int?
    var isHome = false
    var shape = Shape.point
    var shout: String { city.uppercased() }
    enum CodingKeys: String, CodingKey {
      case city = "town"
      case zip, isHome, shape
    }
  }

  @Model final class Item {
    var number: Int
    var name: String
    var note: String?
    var count: Int
    var maybeCount: Int?
    var small: Int8
    var big: UInt64
    var price: Double
    var ratio: Double?
    var weight: Float
    var date: Date
    var due: Date?
    var flag: Bool
    var maybe: Bool?
    var amount: Decimal
    var uid: UUID
    var link: URL?
    var blob: Data?
    var status: Status
    var maybeStatus: Status?
    var level: Level
    var shape: Shape?
    var address: Address
    var home: Address?
    var tags: [String]
    var numbers: [Int]
    var reals: [Double]?
    var addresses: [Address]
    @Attribute(.externalStorage) var large: Data?
    @Transient var transient = 0
    var owner: Person?
    @Relationship var keeper: Person?

    init(number: Int) {
      self.number = number
      name = ""
      count = 0
      small = 0
      big = 0
      price = 0
      weight = 0
      date = Date(timeIntervalSinceReferenceDate: 0)
      flag = false
      amount = 0
      uid = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1))
      status = .draft
      level = .low
      address = Address(city: "Oslo")
      tags = []
      numbers = []
      addresses = []
    }
  }

  @Model class Person {
    var name: String
    var age: Int?
    var isActive: Bool
    @Relationship(inverse: \Item.owner) var items: [Item] = []
    @Relationship(inverse: \Person.boss) var staff: [Person]? = []
    var boss: Person?
    @Relationship(inverse: \Group.members) var groups: [Group] = []
    @Relationship(inverse: \Badge.holder) var badge: Badge?

    init(name: String, age: Int? = nil, isActive: Bool = false) {
      self.name = name
      self.age = age
      self.isActive = isActive
    }
  }

  @Model final class Author: Person {
    var pen: String
    init(pen: String) {
      self.pen = pen
      super.init(name: "author " + pen, age: 50, isActive: true)
    }
  }

  @Model final class Group {
    var title: String
    var members: [Person] = []
    var leader: Person?
    init(title: String) { self.title = title }
  }

  @Model final class Badge {
    var code: String
    var holder: Person?
    init(code: String) { self.code = code }
  }
}

typealias PItem = PredicateWorld.Item
typealias PPerson = PredicateWorld.Person
typealias PAuthor = PredicateWorld.Author
typealias PGroup = PredicateWorld.Group
typealias PBadge = PredicateWorld.Badge
