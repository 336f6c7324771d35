import SwiftData
import Testing

@Suite("Predicates over values")
struct ValuePredicateTests {
  let store: PredicateStore

  init() throws {
    store = try PredicateStore()
    let names = ["", "a", "A", "Kyoto", "\u{212a}yoto", "café", "cafe\u{301}", "a\0b", "제주"]
    for index in 0..<18 {
      let item = PItem(number: index)
      item.name = names[index % names.count]
      item.note = index % 3 == 0 ? nil : names[index / 2]
      item.count = index - 5
      item.maybeCount = index % 4 == 0 ? nil : index
      item.small = Int8(index - 9)
      item.big = index % 2 == 0 ? UInt64(index) : UInt64.max - UInt64(index)
      item.price = [0, -0.0, 1.5, .nan, .infinity, -.infinity][index % 6]
      item.ratio = [nil, 0.5, .nan, 2][index % 4]
      item.weight = Float(index) / 3
      item.date = Date(timeIntervalSinceReferenceDate: Double(index) * 1000)
      item.due = index % 2 == 0 ? nil : item.date
      item.flag = index % 2 == 0
      item.maybe = [nil, true, false][index % 3]
      item.amount = Decimal(index) / 4
      item.status = PredicateModels.Status.allCases[index % 3]
      item.maybeStatus = index % 4 == 0 ? nil : item.status
      item.level = PredicateModels.Level.allCases[index % 3]
      item.blob = index % 3 == 0 ? nil : Data([UInt8(index)])
      item.link = index % 2 == 0 ? nil : URL(string: "https://example.org/\(index)")
      store.context.insert(item)
    }
    try store.context.save()
  }

  @Test("Strings are equal if they are canonically equivalent.")
  func stringEquality() throws {
    for text in ["", "a", "Kyoto", "café", "cafe\u{301}", "a\0b", "a", "제주", "x", ";`K;`K"] {
      try store.expectSame(#Predicate<PItem> { $0.name == text })
      try store.expectSame(#Predicate<PItem> { $0.name != text })
      try store.expectSame(#Predicate<PItem> { $0.note == text })
      try store.expectSame(#Predicate<PItem> { $0.note != text })
      try store.expectSame(#Predicate<PItem> { !($0.note == text) })
      try store.expectSame(#Predicate<PItem> { $0.name < text })
      try store.expectSame(#Predicate<PItem> { $0.name >= text })
      try store.expectSame(#Predicate<PItem> { $0.name.contains(text) })
      try store.expectSame(#Predicate<PItem> { $0.name.starts(with: text) })
      try store.expectSame(#Predicate<PItem> { $0.name.localizedStandardContains(text) })
      try store.expectSame(#Predicate<PItem> { $0.note?.contains(text) == true })
      try store.expectSame(#Predicate<PItem> { $0.note?.contains(text) ?? true })
      try store.expectSame(#Predicate<PItem> { ($0.note ?? "a") == text })
    }
    try store.expectSame(#Predicate<PItem> { $0.name == $0.note ?? "" })
    try store.expectSame(#Predicate<PItem> { $0.name == $0.note ?? "a" })
    try store.expectSame(#Predicate<PItem> { $0.note == nil })
    try store.expectSame(#Predicate<PItem> { $0.note != nil })
    try store.expectSame(#Predicate<PItem> { $0.name.isEmpty })
    try store.expectSame(#Predicate<PItem> { $0.name.count > 1 })
    try store.expectSame(#Predicate<PItem> { $0.note?.count == 4 })
    try store.expectSame(#Predicate<PItem> { $0.note?.isEmpty == nil })
  }

  @Test("Numbers are compared as in Swift, and NaN equals nothing.")
  func numbers() throws {
    for value in [0.0, 1.5, .nan, .infinity, -.infinity, 2, 0.5] {
      try store.expectSame(#Predicate<PItem> { $0.price == value })
      try store.expectSame(#Predicate<PItem> { $0.price != value })
      try store.expectSame(#Predicate<PItem> { $0.price < value })
      try store.expectSame(#Predicate<PItem> { $0.price <= value })
      try store.expectSame(#Predicate<PItem> { $0.price > value })
      try store.expectSame(#Predicate<PItem> { $0.price >= value })
      try store.expectSame(#Predicate<PItem> { !($0.price >= value) })
      try store.expectSame(#Predicate<PItem> { $0.ratio == value })
      try store.expectSame(#Predicate<PItem> { $0.ratio != value })
      try store.expectSame(#Predicate<PItem> { ($0.ratio ?? 9) > value })
      try store.expectSame(#Predicate<PItem> { $0.price * 2 > value })
    }
    try store.expectSame(#Predicate<PItem> { $0.price == $0.ratio ?? 0 })
    try store.expectSame(#Predicate<PItem> { $0.price < ($0.ratio ?? 1) })
    try store.expectSame(#Predicate<PItem> { $0.price >= ($0.ratio ?? 1) })
    try store.expectSame(#Predicate<PItem> { $0.price <= $0.price })
    try store.expectSame(#Predicate<PItem> { $0.price - $0.price == 0 })
    try store.expectSame(#Predicate<PItem> { $0.count % 2 == 0 })
    try store.expectSame(#Predicate<PItem> { $0.count / 2 + 1 == 0 })
    try store.expectSame(#Predicate<PItem> { -$0.count > 2 })
    try store.expectSame(#Predicate<PItem> { $0.maybeCount ?? 3 == $0.number })
    let many = UInt64.max - 3
    try store.expectSame(#Predicate<PItem> { $0.big > many })
    try store.expectSame(#Predicate<PItem> { $0.big == many })
    try store.expectSame(#Predicate<PItem> { $0.small < 3 })
    try store.expectSame(#Predicate<PItem> { $0.weight < 3 })
    let quarter = Decimal(string: "0.25") ?? 0
    try store.expectSame(#Predicate<PItem> { $0.amount > quarter })
    try store.expectSame(#Predicate<PItem> { $0.amount == quarter })
  }

  @Test("Booleans are compared, nil included.")
  func truth() throws {
    for value in [true, false, nil] as [Bool?] {
      try store.expectSame(#Predicate<PItem> { $0.maybe == value })
      try store.expectSame(#Predicate<PItem> { $0.maybe != value })
    }
    try store.expectSame(#Predicate<PItem> { $0.flag })
    try store.expectSame(#Predicate<PItem> { !$0.flag })
    try store.expectSame(#Predicate<PItem> { $0.flag == false })
    try store.expectSame(#Predicate<PItem> { $0.flag == $0.maybe ?? true })
    try store.expectSame(#Predicate<PItem> { $0.flag != $0.maybe ?? true })
    try store.expectSame(#Predicate<PItem> { $0.maybe ?? false })
    try store.expectSame(#Predicate<PItem> { !($0.maybe ?? true) })
    try store.expectSame(#Predicate<PItem> { $0.flag ? $0.maybe == true : $0.count > 3 })
    try store.expectSame(#Predicate<PItem> { _ in true })
    try store.expectSame(#Predicate<PItem> { _ in false })
  }

  @Test("Dates, enumerations and other values are compared.")
  func others() throws {
    let date = Date(timeIntervalSinceReferenceDate: 5000)
    try store.expectSame(#Predicate<PItem> { $0.date > date })
    try store.expectSame(#Predicate<PItem> { $0.date == date })
    try store.expectSame(#Predicate<PItem> { $0.due == date })
    try store.expectSame(#Predicate<PItem> { ($0.due ?? date) <= date })
    try store.expectSame(
      #Predicate<PItem> { if let due = $0.due { due < date } else { false } }
    )
    try store.expectSame(#Predicate<PItem> { $0.due.flatMap { $0 < date } ?? true })
    let open = PredicateModels.Status.open
    try store.expectSame(#Predicate<PItem> { $0.status == open })
    try store.expectSame(#Predicate<PItem> { $0.maybeStatus != open })
    try store.expectSame(#Predicate<PItem> { $0.status.rawValue == "open" })
    try store.expectSame(#Predicate<PItem> { $0.maybeStatus?.rawValue == "open" })
    let middle = PredicateModels.Level.middle
    try store.expectSame(#Predicate<PItem> { $0.level > middle })
    try store.expectSame(#Predicate<PItem> { $0.level == middle })
    let bytes = Data([4])
    try store.expectSame(#Predicate<PItem> { $0.blob == bytes })
    try store.expectSame(#Predicate<PItem> { $0.blob != bytes })
    let link = URL(string: "https://example.org/3")
    try store.expectSame(#Predicate<PItem> { $0.link == link })
    let names = ["a", "café", "Kyoto", "\u{212a}"]
    try store.expectSame(#Predicate<PItem> { names.contains($0.name) })
    try store.expectSame(#Predicate<PItem> { !names.contains($0.name) })
    let notes = ["a", nil]
    try store.expectSame(#Predicate<PItem> { notes.contains($0.note) })
    let numbers = Set(0..<12)
    try store.expectSame(#Predicate<PItem> { numbers.contains($0.count) })
    try store.expectSame(#Predicate<PItem> { (2..<5).contains($0.count) })
    try store.expectSame(#Predicate<PItem> { (2...5).contains($0.count) })
    try store.expectSame(#Predicate<PItem> { ($0.small...9).contains(3) || $0.count > 0 })
  }
}
