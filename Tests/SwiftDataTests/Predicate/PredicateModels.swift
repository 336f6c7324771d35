import SwiftData

/// The models for tests of predicates: a value of each kind, and every kind of relationship.
enum PredicateModels {
  enum Status: String, Codable, CaseIterable {
    case draft, open, closed
  }

  /// An enumeration that is ordered against its raw values.
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

  struct Spot: Codable, Equatable {
    struct Point: Codable, Equatable {
      var x: Int
      var y: Int?
    }

    var place: String
    var height: Double?
    var level: Level
    var seen: Date
    var center: Point
    var flag: Bool
    var rank = 7
    var short: String { String(place.prefix(4)) }

    enum CodingKeys: String, CodingKey {
      case place = "town"
      case height, level, seen, center, flag, rank
    }

    init(
      place: String,
      height: Double?,
      level: Level,
      seen: Date,
      center: Point,
      flag: Bool
    ) {
      self.place = place
      self.height = height
      self.level = level
      self.seen = seen
      self.center = center
      self.flag = flag
    }

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      place = try container.decode(String.self, forKey: .place)
      height = try container.decodeIfPresent(Double.self, forKey: .height)
      level = try container.decode(Level.self, forKey: .level)
      seen = try container.decode(Date.self, forKey: .seen)
      center = try container.decode(Point.self, forKey: .center)
      flag = try container.decode(Bool.self, forKey: .flag)
      rank = try container.decodeIfPresent(Int.self, forKey: .rank) ?? 7
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
    var spot: Spot?
    var tags: [String]
    var numbers: [Int]
    var reals: [Double]?
    var addresses: [Address]
    @Attribute(.externalStorage) var large: Data?
    @Transient var transient = 0
    var owner: Person?
    @Relationship var keeper: Person?
    var place: Indexed?

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

extension PredicateModels {
  @Model final class Indexed {
    #Index<Indexed>([\.name], [\.note], [\.date], [\.due])
    var name: String
    var note: String?
    var date: Date
    var due: Date?
    var parent: Indexed?
    init(name: String) {
      self.name = name
      date = .now
    }
  }
}

typealias PIndexed = PredicateModels.Indexed
typealias PItem = PredicateModels.Item
typealias PPerson = PredicateModels.Person
typealias PAuthor = PredicateModels.Author
typealias PGroup = PredicateModels.Group
typealias PBadge = PredicateModels.Badge
