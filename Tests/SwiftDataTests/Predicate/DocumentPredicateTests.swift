import Foundation
import Testing

@testable import SwiftData

@Suite("Predicates over Codable values")
struct DocumentPredicateTests {
  let store: PredicateStore

  init() throws {
    store = try PredicateStore()
    let cities = ["Oslo", "Bergen", "a\0b", "cafe\u{301}", "\"q\\uote\"", "🙂\n", ""]
    for index in 0..<14 {
      let item = PItem(number: index)
      item.address = PredicateModels.Address(
        city: cities[index % 7],
        zip: index % 3 == 0 ? nil : index,
        isHome: index % 2 == 0,
        shape: index % 4 == 0 ? .circle(radius: Double(index)) : .point
      )
      item.home = index % 2 == 0 ? nil : item.address
      item.shape = [nil, .point, .circle(radius: 0), .circle(radius: -0.0)][index % 4]
      item.tags = [[], ["a"], ["b", "a\0b"], ["café", "x", ""], ["a", "a"]][index % 5]
      item.numbers = Array(0..<(index % 4))
      item.reals = [nil, [], [0.1, 1e300], [.nan, 2], [-0.0]][index % 5]
      item.addresses = index % 3 == 0 ? [] : [item.address, PredicateModels.Address(city: "Ny")]
      if index % 3 > 0 {
        item.spot = PredicateModels.Spot(
          place: cities[index % 7],
          height: [nil, 0.1, .nan, .infinity][index % 4],
          level: PredicateModels.Level.allCases[index % 3],
          seen: Date(timeIntervalSinceReferenceDate: Double(index % 4)),
          center: .init(x: index % 3, y: index % 2 == 0 ? nil : 1),
          flag: index % 2 == 0
        )
      }
      store.context.insert(item)
    }
    try store.context.save()
  }

  @Test("A key path into a structure finds the key that the type is encoded with.")
  func keyPaths() throws {
    for city in ["Oslo", "a\0b", "café", "\"q\\uote\"", "🙂\n", "", "nowhere"] {
      try store.expectSame(#Predicate<PItem> { $0.address.city == city })
      try store.expectSame(#Predicate<PItem> { $0.address.city != city })
      try store.expectSame(#Predicate<PItem> { $0.home?.city == city })
      try store.expectSame(#Predicate<PItem> { $0.home?.city != city })
      try store.expectSame(#Predicate<PItem> { $0.address.shout == city })
      try store.expectSame(#Predicate<PItem> { $0.address.city.contains(city) })
    }
    try store.expectSame(#Predicate<PItem> { $0.address.zip == nil })
    try store.expectSame(#Predicate<PItem> { $0.address.zip == 4 })
    try store.expectSame(#Predicate<PItem> { $0.address.zip != 4 })
    try store.expectSame(#Predicate<PItem> { ($0.address.zip ?? 100) > 7 })
    try store.expectSame(#Predicate<PItem> { $0.home?.zip == nil })
    try store.expectSame(#Predicate<PItem> { $0.address.isHome })
    try store.expectSame(#Predicate<PItem> { !$0.address.isHome })
    try store.expectSame(#Predicate<PItem> { $0.home?.isHome ?? true })
    try store.expectSame(#Predicate<PItem> { $0.home == nil })
    try store.expectSame(#Predicate<PItem> { $0.home != nil })
  }

  @Test("The keys of a structure are found by decoding a probe.")
  func jsonPaths() throws {
    typealias Spot = PredicateModels.Spot
    #expect(JSONPath.of(\Spot.place)?.key == "town")
    #expect(JSONPath.of(\Spot.height)?.key == "height")
    #expect(JSONPath.of(\Spot.level)?.key == "level")
    #expect(JSONPath.of(\Spot.seen)?.key == "seen")
    #expect(JSONPath.of(\Spot.center)?.key == "center")
    #expect(JSONPath.of(\Spot.Point.x)?.key == "x")
    #expect(JSONPath.of(\Spot.flag)?.key == "flag")
    #expect(JSONPath.of(\Spot.short) == nil, "a computed property has no key")
    #expect(JSONPath.of(\Spot.rank) == nil, "a default is not in the JSON")
    #expect(JSONPath.of(\PredicateModels.Address.city) == nil, "its enumeration refuses probes")
    for place in ["Oslo", "a\0b", "café", "🙂\n"] {
      try store.expectSame(#Predicate<PItem> { $0.spot?.place == place })
      try store.expectSame(#Predicate<PItem> { $0.spot?.place != place })
      try store.expectSame(#Predicate<PItem> { $0.spot?.short == place })
    }
    let level = PredicateModels.Level.middle
    let date = Date(timeIntervalSinceReferenceDate: 3)
    try store.expectSame(#Predicate<PItem> { $0.spot?.level == level })
    try store.expectSame(#Predicate<PItem> { $0.spot.flatMap { $0.level > level } ?? false })
    try store.expectSame(#Predicate<PItem> { $0.spot?.height == 0.1 })
    try store.expectSame(#Predicate<PItem> { $0.spot?.height == nil })
    try store.expectSame(#Predicate<PItem> { ($0.spot?.height ?? 0) > 1 })
    try store.expectSame(#Predicate<PItem> { $0.spot?.seen == date })
    try store.expectSame(#Predicate<PItem> { $0.spot?.center.x == 2 })
    try store.expectSame(#Predicate<PItem> { $0.spot?.center.y == nil })
    try store.expectSame(#Predicate<PItem> { $0.spot?.rank == 7 })
    try store.expectSame(#Predicate<PItem> { $0.spot?.flag == true })
    try store.expectSQL(
      #Predicate<PItem> { $0.spot?.center.x == 2 },
      "((t0.\"spot\" -> ?) ->> ?) IS ?"
    )
  }

  @Test("Values are compared as their type defines equality.")
  func equality() throws {
    let point = PredicateModels.Shape.point
    let circle = PredicateModels.Shape.circle(radius: 0)
    try store.expectSame(#Predicate<PItem> { $0.shape == point })
    try store.expectSame(#Predicate<PItem> { $0.shape != point })
    try store.expectSame(#Predicate<PItem> { $0.shape == circle })
    try store.expectSame(#Predicate<PItem> { $0.shape != circle })
    try store.expectSame(#Predicate<PItem> { $0.shape == nil })
    try store.expectSame(#Predicate<PItem> { $0.address.shape == point })
    let address = PredicateModels.Address(city: "Bergen", zip: 1)
    try store.expectSame(#Predicate<PItem> { $0.address == address })
    try store.expectSame(#Predicate<PItem> { $0.home == address })
    try store.expectSame(#Predicate<PItem> { $0.home != address })
    let shapes = [point, circle]
    try store.expectSame(#Predicate<PItem> { shapes.contains($0.address.shape) })
    let tags = ["a"]
    try store.expectSame(#Predicate<PItem> { $0.tags == tags })
    try store.expectSame(#Predicate<PItem> { $0.tags != tags })
  }

  @Test("Predicates search arrays of values.")
  func arrays() throws {
    for tag in ["a", "a\0b", "cafe\u{301}", "", "no"] {
      try store.expectSame(#Predicate<PItem> { $0.tags.contains(tag) })
      try store.expectSame(#Predicate<PItem> { !$0.tags.contains(tag) })
      try store.expectSame(#Predicate<PItem> { $0.tags.contains { $0 > tag } })
      try store.expectSame(#Predicate<PItem> { $0.tags.filter { $0 == tag }.count == 2 })
    }
    try store.expectSame(#Predicate<PItem> { $0.tags.isEmpty })
    try store.expectSame(#Predicate<PItem> { $0.tags.count > 1 })
    try store.expectSame(#Predicate<PItem> { $0.tags.allSatisfy { !$0.isEmpty } })
    try store.expectSame(#Predicate<PItem> { $0.numbers.contains(2) })
    try store.expectSame(#Predicate<PItem> { $0.numbers.max() == 2 })
    try store.expectSame(#Predicate<PItem> { $0.numbers.min() == nil })
    try store.expectSame(#Predicate<PItem> { $0.tags.max() == "b" })
    for real in [0.1, 1e300, .nan, 2, 0] {
      try store.expectSame(#Predicate<PItem> { $0.reals?.contains(real) ?? false })
    }
    try store.expectSame(#Predicate<PItem> { $0.reals?.isEmpty == true })
    try store.expectSame(#Predicate<PItem> { $0.reals?.count == nil })
    try store.expectSame(
      #Predicate<PItem> { item in item.addresses.contains { $0.zip ?? -1 == item.number } }
    )
    try store.expectSame(#Predicate<PItem> { $0.addresses.contains { $0.city == "Ny" } })
  }
}
