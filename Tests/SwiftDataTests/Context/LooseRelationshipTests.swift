import Foundation
import SwiftData
import Testing

@Model final class Album {
  var title: String
  // A relationship without an inverse.
  var pictures: [Picture] = []
  var cover: Picture?
  init(title: String) { self.title = title }
}

@Model final class Picture {
  var name: String
  init(name: String) { self.name = name }
}

@Model final class Member {
  var name: String
  @Relationship(inverse: \Member.followers) var following: [Member] = []
  var followers: [Member] = []
  @Relationship(inverse: \Member.reports) var boss: Member?
  var reports: [Member] = []
  init(name: String) { self.name = name }
}

@Model final class Team {
  @Relationship(deleteRule: .deny, inverse: \Player.team) var players: [Player] = []
  @Relationship(minimumModelCount: 1, maximumModelCount: 2, inverse: \Player.captained)
  var captains: [Player] = []
  init() {}
}

@Model final class Player {
  var team: Team?
  var captained: Team?
  init() {}
}

@Model final class Drawer {
  var name: String
  @Relationship(deleteRule: .noAction, inverse: \Letter.drawer) var letters: [Letter] = []
  init(name: String) { self.name = name }
}

@Model final class Letter {
  var title: String
  @Relationship(deleteRule: .noAction) var drawer: Drawer?
  @Relationship(deleteRule: .noAction, inverse: \Scribe.letters) var scribes: [Scribe] = []
  init(title: String) { self.title = title }
}

@Model final class Scribe {
  var letters: [Letter] = []
  init() {}
}

@Suite("Relationships without an inverse, with themselves and with limits")
struct LooseRelationshipTests {
  private func container() throws -> ModelContainer {
    try ModelContainer(
      for: Album.self,
      Member.self,
      Team.self,
      Drawer.self,
      configurations: ModelConfiguration(isStoredInMemoryOnly: true)
    )
  }

  @Test("A deletion with the rule noAction does not change the related models.")
  func noAction() throws {
    let context = ModelContext(try container())
    let drawer = Drawer(name: "S")
    let letter = Letter(title: "B")
    let other = Letter(title: "C")
    let scribe = Scribe()
    drawer.letters = [letter, other]
    letter.scribes = [scribe]
    context.insert(drawer)
    try context.save()
    context.delete(drawer)
    #expect(!letter.hasChanges && context.changedModelsArray.isEmpty)
    try context.save()
    #expect(letter.drawer == nil && !letter.hasChanges && !context.hasChanges)
    #expect(
      try context.fetchCount(FetchDescriptor<Letter>(predicate: #Predicate { $0.drawer == nil }))
        == 2
    )

    let next = Drawer(name: "N")
    next.letters = [letter, other]
    context.insert(next)
    try context.save()
    context.delete(letter)
    #expect(!next.hasChanges && !scribe.hasChanges)
    try context.save()
    #expect(next.letters == [other] && scribe.letters.isEmpty)
    #expect(!next.hasChanges && !scribe.hasChanges)
    let reading = ModelContext(context.container)
    #expect(try reading.fetch(FetchDescriptor<Drawer>()).map { $0.letters.map(\.title) } == [["C"]])
    #expect(try reading.fetch(FetchDescriptor<Scribe>()).map(\.letters.count) == [0])
  }

  @Test("A collection without an inverse is saved, changed and read.")
  func withoutInverse() throws {
    let container = try container()
    let context = ModelContext(container)
    let album = Album(title: "A")
    album.pictures = [Picture(name: "1"), Picture(name: "2")]
    album.cover = album.pictures[1]
    context.insert(album)
    try context.save()
    func read() throws -> ([String], String?) {
      let found = try #require(
        try ModelContext(container).fetch(FetchDescriptor<Album>()).first
      )
      return (found.pictures.map(\.name), found.cover?.name)
    }
    #expect(try read() == (["1", "2"], "2"))
    album.pictures.append(Picture(name: "3"))
    album.pictures.remove(at: 0)
    try context.save()
    #expect(try read() == (["2", "3"], "2"))
    let other = ModelContext(container)
    let found = try #require(try other.fetch(FetchDescriptor<Album>()).first)
    found.pictures = []
    try other.save()
    #expect(try read() == ([], "2"))
    #expect(try other.fetchCount(FetchDescriptor<Picture>()) == 3)
    let cover = try #require(found.cover)
    other.delete(cover)
    try other.save()
    #expect(try read() == ([], nil))
  }

  @Test("A many-to-many relationship of a class to itself keeps its two directions separate.")
  func selfReference() throws {
    let container = try container()
    let context = ModelContext(container)
    let members = ["a", "b", "c"].map(Member.init(name:))
    members[0].following = [members[1], members[2]]
    members[1].following = [members[2]]
    members[1].boss = members[0]
    members[2].boss = members[0]
    for member in members { context.insert(member) }
    #expect(members[2].followers.map(\.name) == ["a", "b"])
    try context.save()
    let found = try ModelContext(container).fetch(
      FetchDescriptor<Member>(sortBy: [SortDescriptor(\.name)])
    )
    #expect(found.map { $0.following.map(\.name).sorted() } == [["b", "c"], ["c"], []])
    #expect(found.map { $0.followers.map(\.name).sorted() } == [[], ["a"], ["a", "b"]])
    #expect(found[0].reports.map(\.name) == ["b", "c"])
    #expect(found[2].boss === found[0])
  }

  @Test("Links of a many-to-many relationship are removed from either side.")
  func unlinking() throws {
    let context = ModelContext(try tripContainer())
    let items = [BucketListItem(title: "a"), BucketListItem(title: "b")]
    let tags = [Tag(label: "x"), Tag(label: "y")]
    for item in items {
      item.tags = tags
      context.insert(item)
    }
    try context.save()
    items[0].tags.removeAll { $0.label == "x" }
    tags[1].items.removeAll { $0.title == "b" }
    try context.save()
    let found = try ModelContext(context.container).fetch(
      FetchDescriptor<BucketListItem>(sortBy: [SortDescriptor(\.title)])
    )
    #expect(found.map { $0.tags.map(\.label) } == [["y"], ["x"]])
    context.delete(tags[0])
    try context.save()
    #expect(items[1].tags.isEmpty)
  }

  @Test("Fetches see unsaved links.")
  func pendingLinks() throws {
    let context = ModelContext(try tripContainer())
    let item = BucketListItem(title: "a")
    context.insert(item)
    try context.save()
    item.tags = [Tag(label: "x")]
    let tagged = FetchDescriptor<BucketListItem>(
      predicate: #Predicate { $0.tags.contains { $0.label == "x" } }
    )
    #expect(try context.fetchCount(tagged) == 1)
    try context.save()
    item.tags = []
    #expect(try context.fetchCount(tagged) == 0)
  }

  @Test("A denied deletion is refused, names the objects that prevent it, and loses nothing.")
  func deny() throws {
    let context = ModelContext(try container())
    let team = Team()
    let player = Player()
    team.players = [player]
    team.captains = [player]
    context.insert(team)
    try context.save()
    context.delete(team)
    #expect {
      try context.save()
    } throws: {
      SwiftDataError.deletionDenied ~= $0 && "\($0)".contains("Player")
    }
    context.rollback()
    #expect(team.players.count == 1)
    context.delete(player)
    context.delete(team)
    try context.save()
    #expect(try context.fetchCount(FetchDescriptor<Team>()) == 0)
  }

  @Test("A relationship with too few or too many objects is refused.")
  func counts() throws {
    let context = ModelContext(try container())
    let team = Team()
    context.insert(team)
    #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }
    team.captains = [Player(), Player(), Player()]
    #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }
    team.captains.removeLast()
    try context.save()
  }

  @Test("The error of a missing required value names the property.")
  func requiredReference() throws {
    let container = try tripContainer()
    let context = ModelContext(container)
    let trip = Trip(name: "A")
    context.insert(trip)
    context.delete(trip)
    #expect(!context.hasChanges)
    context.insert(trip)
    try context.save()
    #expect(try context.fetchCount(FetchDescriptor<Trip>()) == 1)
  }
}
