import SwiftData
import Testing

@Suite("Predicates over relationships")
struct RelationshipPredicateTests {
  let store: PredicateStore
  let ada: PPerson
  let kept: [any PersistentModel]

  init() throws {
    store = try PredicateStore()
    let people = [
      PPerson(name: "Ada", age: 36, isActive: true), PPerson(name: "Ben"),
      PPerson(name: "Cleo", age: 20), PAuthor(pen: "quill"),
    ]
    ada = people[0]
    for person in people { store.context.insert(person) }
    people[1].boss = people[0]
    people[2].boss = people[1]
    people[3].boss = people[0]
    for index in 0..<6 {
      let item = PItem(number: index)
      item.name = ["lamp", "pen", "cup"][index % 3]
      item.flag = index % 2 == 0
      item.count = index
      store.context.insert(item)
      if index < 4 { item.owner = people[index % 3] }
      if index > 2 { item.keeper = people[3] }
    }
    let group = PGroup(title: "crew")
    let empty = PGroup(title: "empty")
    store.context.insert(group)
    store.context.insert(empty)
    group.members = [people[0], people[3]]
    empty.leader = people[3]
    let badge = PBadge(code: "A1")
    store.context.insert(badge)
    badge.holder = people[0]
    store.context.insert(PBadge(code: "B2"))
    try store.context.save()
    kept = people + [badge]
  }

  @Test("Predicates follow chains of to-one relationships.")
  func toOne() throws {
    try store.expectSame(#Predicate<PItem> { $0.owner == nil })
    try store.expectSame(#Predicate<PItem> { $0.owner != nil })
    try store.expectSame(#Predicate<PItem> { $0.owner?.name == "Ada" })
    try store.expectSame(#Predicate<PItem> { $0.owner?.name != "Ada" })
    try store.expectSame(#Predicate<PItem> { $0.owner?.boss?.name == "Ada" })
    try store.expectSame(#Predicate<PItem> { $0.owner?.boss?.boss == nil })
    try store.expectSame(#Predicate<PItem> { $0.owner?.age == nil })
    try store.expectSame(#Predicate<PItem> { ($0.owner?.age ?? 0) > 30 })
    try store.expectSame(#Predicate<PItem> { $0.owner?.isActive == true })
    try store.expectSame(#Predicate<PItem> { $0.owner?.isActive ?? true })
    try store.expectSame(#Predicate<PItem> { $0.owner?.badge?.code == "A1" })
    try store.expectSame(#Predicate<PItem> { $0.owner?.items.count == 2 })
    try store.expectSame(#Predicate<PItem> { $0.owner?.items.isEmpty == nil })
    try store.expectSame(#Predicate<PPerson> { $0.badge != nil })
    try store.expectSame(#Predicate<PPerson> { $0.badge?.code.contains("A") == true })
    try store.expectSame(#Predicate<PBadge> { $0.holder?.boss == nil })
  }

  @Test("Predicates compare values of related objects, with nil and fallbacks.")
  func related() throws {
    let names = ["Ada", "Cleo"]
    let maybe = [36, nil] as [Int?]
    let id = ada.persistentModelID
    #expect(try store.expectSame(#Predicate<PItem> { $0.owner?.name != nil }) == 4)
    try store.expectSame(#Predicate<PItem> { $0.owner?.name == nil })
    try store.expectSame(#Predicate<PItem> { $0.owner?.boss?.name == nil })
    try store.expectSame(#Predicate<PItem> { $0.owner?.boss?.age != nil })
    try store.expectSame(#Predicate<PItem> { !($0.owner?.name == "Ada") && $0.flag })
    try store.expectSame(#Predicate<PItem> { $0.owner?.age == 36 || $0.keeper?.name == "Ben" })
    try store.expectSame(#Predicate<PItem> { $0.owner?.age != 36 })
    try store.expectSame(#Predicate<PItem> { $0.owner?.boss?.age == $0.owner?.age })
    try store.expectSame(#Predicate<PItem> { ($0.owner?.age ?? 50) > 30 })
    try store.expectSame(#Predicate<PItem> { ($0.owner?.age ?? 30) == 30 })
    try store.expectSame(#Predicate<PItem> { ($0.owner?.age ?? 30) != 36 })
    try store.expectSame(#Predicate<PItem> { ($0.owner?.name ?? "Ada") == "Ada" })
    try store.expectSame(#Predicate<PItem> { $0.owner?.name.starts(with: "A") == true })
    try store.expectSame(#Predicate<PItem> { $0.owner?.name.starts(with: "A") != true })
    try store.expectSame(#Predicate<PItem> { $0.owner?.name.isEmpty == false })
    try store.expectSame(#Predicate<PItem> { $0.owner?.name.contains("da") == true })
    try store.expectSame(#Predicate<PItem> { $0.owner?.name.contains("da") == false })
    try store.expectSame(
      #Predicate<PItem> { $0.owner?.name.localizedStandardContains("AD") == true }
    )
    try store.expectSame(
      #Predicate<PItem> { if let name = $0.owner?.name { names.contains(name) } else { false } }
    )
    try store.expectSame(
      #Predicate<PItem> { if let owner = $0.owner { maybe.contains(owner.age) } else { true } }
    )
    try store.expectSame(
      #Predicate<PItem> { if let boss = $0.owner?.boss { maybe.contains(boss.age) } else { false } }
    )
    try store.expectSame(
      #Predicate<PItem> { if let age = $0.owner?.age { (20...40).contains(age) } else { false } }
    )
    try store.expectSame(#Predicate<PItem> { $0.owner?.isActive == false })
    try store.expectSame(#Predicate<PItem> { $0.owner?.isActive != true })
    try store.expectSame(#Predicate<PItem> { $0.owner?.boss?.persistentModelID == id })
    try store.expectSame(#Predicate<PItem> { $0.owner?.boss?.persistentModelID != id })
    try store.expectSame(
      #Predicate<PItem> { if let age = $0.owner?.age { age < 30 } else { true } }
    )
    try store.expectSame(
      #Predicate<PItem> { item in
        if let boss = item.owner?.boss { boss.name == "Ada" && item.flag } else { false }
      }
    )
    try store.expectSame(
      #Predicate<PPerson> { $0.items.contains { $0.owner?.boss?.name == "Ada" } }
    )
  }

  @Test("A condition with many terms over optional collections compiles, and is SQL.")
  func manyTerms() throws {
    for text in ["Ada", "quill", "cup", "none"] {
      let long = #Predicate<PPerson> { person in
        person.name.contains(text)
          || (person.staff?.contains { $0.name.contains(text) } ?? false)
          || (person.boss?.staff?.contains { $0.name == text } ?? false)
          || (person.boss?.items.contains { $0.name == text } ?? false)
          || (person.staff?.contains { $0.items.contains { $0.name == text } } ?? false)
          || !(person.isActive && person.age != nil)
      }
      try store.expectSame(long)
    }
  }

  @Test("A condition whose terms were split has the same nodes and the same encoded form.")
  func splitNodes() throws {
    typealias Nodes = PredicateExpressions
    let text = "Ada"
    let split = #Predicate<PPerson> { $0.name == text && !($0.isActive || $0.boss == nil) }
    let whole = Predicate<PPerson> { person in
      Nodes.build_Conjunction(
        lhs: Nodes.build_Equal(
          lhs: Nodes.build_KeyPath(root: person, keyPath: \.name),
          rhs: Nodes.build_Arg(text)
        ),
        rhs: Nodes.build_Negation(
          Nodes.build_Disjunction(
            lhs: Nodes.build_KeyPath(root: person, keyPath: \.isActive),
            rhs: Nodes.build_Equal(
              lhs: Nodes.build_KeyPath(root: person, keyPath: \.boss),
              rhs: Nodes.build_NilLiteral()
            )
          )
        )
      )
    }
    #expect(type(of: split.expression) == type(of: whole.expression))
    #expect("\(split)" == "\(whole)")
    #expect(try store.expectSame(split) == store.expectSame(whole))
  }

  @Test("Conditions on related objects see their unsaved changes and deletions.")
  func relatedPending() throws {
    let item = try #require(
      try store.context.fetch(FetchDescriptor(predicate: #Predicate<PItem> { $0.number == 5 }))
        .first
    )
    item.owner = ada
    ada.name = "Zoe"
    let boss = PPerson(name: "new", age: 1)
    store.context.insert(boss)
    ada.boss = boss
    #expect(try store.expectSame(#Predicate<PItem> { $0.owner?.name == "Zoe" }) == 3)
    try store.expectSame(#Predicate<PItem> { $0.owner?.boss?.name == "new" })
    try store.expectSame(#Predicate<PItem> { ($0.owner?.boss?.age ?? 0) > 0 })
    store.context.delete(boss)
    try store.expectSame(#Predicate<PItem> { $0.owner?.boss?.name == "new" })
    try store.expectSame(#Predicate<PItem> { $0.owner?.boss?.name == nil })
    store.context.delete(ada)
    try store.expectSame(#Predicate<PItem> { $0.owner?.name == "Zoe" })
    try store.expectSame(#Predicate<PItem> { $0.owner?.name != "Zoe" })
    try store.expectSame(#Predicate<PItem> { $0.owner?.name == nil })
    try store.expectSame(#Predicate<PItem> { $0.owner?.boss?.name == nil })
  }

  @Test("Predicates compare objects and identifiers.")
  func identity() throws {
    let id = ada.persistentModelID
    let ids = [id]
    let maybe: PersistentIdentifier? = id
    try store.expectSame(#Predicate<PItem> { $0.owner?.persistentModelID == id })
    try store.expectSame(#Predicate<PItem> { $0.owner?.persistentModelID != id })
    try store.expectSame(#Predicate<PItem> { $0.owner?.id == maybe })
    try store.expectSame(#Predicate<PPerson> { $0.persistentModelID == id })
    try store.expectSame(#Predicate<PPerson> { ids.contains($0.persistentModelID) })
    try store.expectSame(#Predicate<PPerson> { $0.boss?.id != $0.badge?.holder?.id })
    let other = PPerson(name: "nobody").persistentModelID
    try store.expectSame(#Predicate<PItem> { $0.owner?.persistentModelID == other })
    try store.expectSame(#Predicate<PItem> { $0.owner == $0.keeper })
    try store.expectSame(#Predicate<PItem> { $0.owner != $0.keeper })
  }

  @Test("Predicates search to-many relationships.")
  func toMany() throws {
    let ada = self.ada.persistentModelID
    let names = ["lamp", "cup"]
    try store.expectSame(#Predicate<PPerson> { $0.items.isEmpty })
    try store.expectSame(#Predicate<PPerson> { $0.items.count == 1 })
    try store.expectSame(#Predicate<PPerson> { $0.items.contains { $0.flag } })
    try store.expectSame(#Predicate<PPerson> { $0.items.contains { !$0.flag } })
    try store.expectSame(#Predicate<PPerson> { $0.items.allSatisfy { $0.flag } })
    try store.expectSame(#Predicate<PPerson> { $0.items.filter { $0.flag }.count > 0 })
    try store.expectSame(
      #Predicate<PPerson> { $0.items.filter { names.contains($0.name) }.count == 2 }
    )
    try store.expectSame(
      #Predicate<PPerson> { person in
        person.items.contains {
          $0.count > (person.age ?? 1) || $0.owner?.name == person.boss?.name
        }
      }
    )
    try store.expectSame(
      #Predicate<PPerson> { person in
        person.staff?.contains { member in member.items.contains { $0.name == "cup" } } ?? false
      }
    )
    try store.expectSame(#Predicate<PPerson> { $0.staff?.isEmpty == true })
    try store.expectSame(#Predicate<PPerson> { $0.staff?.filter { $0.age != nil }.count == 1 })
    try store.expectSame(#Predicate<PGroup> { $0.members.contains { $0.persistentModelID == ada } })
    try store.expectSame(#Predicate<PGroup> { $0.members.contains { $0.name == "Ada" } })
    try store.expectSame(#Predicate<PPerson> { $0.groups.contains { $0.title == "crew" } })
    try store.expectSame(#Predicate<PGroup> { $0.members.isEmpty && $0.leader != nil })
    try store.expectSame(#Predicate<PPerson> { $0.boss?.staff?.count == 2 })
  }

  @Test("Predicates work on classes that inherit.")
  func inheritance() throws {
    try store.expectSame(#Predicate<PPerson> { $0 is PAuthor })
    try store.expectSame(#Predicate<PPerson> { !($0 is PAuthor) })
    try store.expectSame(#Predicate<PPerson> { ($0 as? PAuthor)?.pen == "quill" })
    try store.expectSame(#Predicate<PPerson> { ($0 as? PAuthor)?.pen != "quill" })
    try store.expectSame(#Predicate<PAuthor> { $0.pen == "quill" && $0.name != "" })
  }
}
