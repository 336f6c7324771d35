import Foundation
import SwiftData
import Testing

@Model final class Bookcase {
  var room = ""
  @Relationship(inverse: \Book.shelf) var owned: [Book] = []
  @Relationship(inverse: \Book.shelves) var shared: [Book] = []
  // A relationship without an inverse.
  var loose: [Book] = []
  init() {}
}

@Model final class Book {
  var number: Int
  var shelf: Bookcase?
  var shelves: [Bookcase] = []
  init(_ number: Int) { self.number = number }
}

@Model final class Kit {
  var parts: [KitPart]?
  init() {}
}

@Model final class KitPart {
  var kit: Kit?
  init() {}
}

@Suite("The order of to-many relationships in memory")
struct CollectionOrderTests {
  /// The kinds of storage of a collection.
  enum Kind: CaseIterable {
    case owned, shared, loose

    var path: ReferenceWritableKeyPath<Bookcase, [Book]> {
      switch self {
      case .owned: \.owned
      case .shared: \.shared
      case .loose: \.loose
      }
    }
  }

  private let container: ModelContainer
  private let context: ModelContext
  private let shelf = Bookcase()

  init() throws {
    container = try ModelContainer(
      for: Bookcase.self,
      Kit.self,
      configurations: ModelConfiguration(isStoredInMemoryOnly: true)
    )
    context = ModelContext(container)
    context.insert(shelf)
  }

  private func numbers(_ kind: Kind) -> [Int] { shelf[keyPath: kind.path].map(\.number) }

  /// The numbers that another context reads.
  private func saved(_ kind: Kind) throws -> [Int] {
    let shelf = try #require(try ModelContext(container).fetch(FetchDescriptor<Bookcase>()).first)
    return shelf[keyPath: kind.path].map(\.number)
  }

  @Test(
    "A to-many array is exactly what was assigned, before and after a save.",
    arguments: Kind.allCases
  )
  func assigned(_ kind: Kind) throws {
    let path = kind.path
    shelf[keyPath: path] = [Book(3), Book(1), Book(2)]
    #expect(numbers(kind) == [3, 1, 2])
    for isSaved in [false, true] {
      if isSaved { try context.save() }
      shelf[keyPath: path].sort { $0.number < $1.number }
      #expect(numbers(kind) == [1, 2, 3])
      shelf[keyPath: path].swapAt(0, 2)
      #expect(numbers(kind) == [3, 2, 1])
      if isSaved { try context.save() }
      shelf[keyPath: path].insert(Book(9), at: 0)
      #expect(numbers(kind) == [9, 3, 2, 1])
      if isSaved { try context.save() }
      #expect(numbers(kind) == [9, 3, 2, 1])
      shelf[keyPath: path].insert(shelf[keyPath: path].remove(at: 3), at: 1)
      #expect(numbers(kind) == [9, 1, 3, 2])
      shelf[keyPath: path] = shelf[keyPath: path].filter { $0.number < 9 }.reversed()
      #expect(numbers(kind) == [2, 3, 1])
    }
    try context.save()
    #expect(numbers(kind) == [2, 3, 1])
    #expect(try saved(kind).sorted() == [1, 2, 3])
  }

  @Test(
    "A model that is assigned twice appears once, at its first place.",
    arguments: Kind.allCases
  )
  func repetitions(_ kind: Kind) throws {
    let path = kind.path
    let books = [Book(1), Book(2), Book(3)]
    shelf[keyPath: path] = [books[0], books[1], books[0], books[2], books[1]]
    #expect(numbers(kind) == [1, 2, 3])
    shelf[keyPath: path].append(books[0])
    #expect(numbers(kind) == [1, 2, 3])
    shelf[keyPath: path].insert(books[2], at: 0)
    #expect(numbers(kind) == [3, 1, 2])
    shelf[keyPath: path] += [Book(4), books[1], Book(5)]
    #expect(numbers(kind) == [3, 1, 2, 4, 5])
    try context.save()
    #expect(try saved(kind).sorted() == [1, 2, 3, 4, 5])
  }

  @Test(
    "A different order alone changes nothing in the store, which returns rows in its order.",
    arguments: Kind.allCases
  )
  func orderIsNotStored(_ kind: Kind) throws {
    shelf[keyPath: kind.path] = [Book(1), Book(2), Book(3)]
    try context.save()
    let transactions = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
    shelf[keyPath: kind.path].sort { $0.number > $1.number }
    try context.save()
    #expect(numbers(kind) == [3, 2, 1])
    #expect(
      try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).count
        == transactions.count
    )
    #expect(try saved(kind) == [1, 2, 3])
  }

  @Test(
    "Undo and redo restore each order; rollback restores that of the rows.",
    arguments: Kind.allCases
  )
  func undo(_ kind: Kind) throws {
    let path = kind.path
    shelf[keyPath: path] = [Book(1), Book(2), Book(3)]
    try context.save()
    let manager = UndoManager()
    context.undoManager = manager
    shelf[keyPath: path].sort { $0.number > $1.number }
    context.processPendingChanges()
    shelf[keyPath: path].insert(Book(4), at: 1)
    context.processPendingChanges()
    context.delete(shelf[keyPath: path][0])
    if kind != .loose { #expect(numbers(kind) == [4, 2, 1]) }
    manager.undo()
    #expect(numbers(kind) == [3, 4, 2, 1])
    manager.undo()
    #expect(numbers(kind) == [3, 2, 1])
    manager.undo()
    #expect(numbers(kind) == [1, 2, 3])
    manager.redo()
    #expect(numbers(kind) == [3, 2, 1])
    manager.redo()
    #expect(numbers(kind) == [3, 4, 2, 1])
    context.rollback()
    #expect(numbers(kind) == [1, 2, 3])
  }

  @Test("An object whose to-one side is set is added last, and the others keep their order.")
  func inverse() throws {
    shelf.owned = [Book(3), Book(1), Book(2)]
    let other = Bookcase()
    let book = Book(0)
    context.insert(other)
    context.insert(book)
    book.shelf = shelf
    #expect(numbers(.owned) == [3, 1, 2, 0])
    shelf.owned[0].shelf = other
    #expect(numbers(.owned) == [1, 2, 0])
    other.owned[0].shelf = shelf
    #expect(numbers(.owned) == [1, 2, 0, 3] && other.owned.isEmpty)
    book.shelves.append(shelf)
    shelf.shared.insert(shelf.owned[0], at: 0)
    #expect(numbers(.shared) == [1, 0])
    try context.save()
    #expect(numbers(.owned) == [1, 2, 0, 3] && numbers(.shared) == [1, 0])
  }

  @Test(
    "Objects that leave a long collection and return are last, in the order of their return."
  )
  func longCollection() throws {
    shelf.owned = (0..<100).map { Book($0) }
    let other = Bookcase()
    context.insert(other)
    let books = shelf.owned
    for book in books.prefix(60) { book.shelf = other }
    #expect(numbers(.owned) == Array(60..<100))
    #expect(other.owned.map(\.number) == Array(0..<60))
    for book in [books[7], books[5]] { book.shelf = shelf }
    books[7].shelf = other
    books[7].shelf = shelf
    #expect(numbers(.owned) == Array(60..<100) + [5, 7])
    context.delete(books[99])
    try context.save()
    #expect(numbers(.owned) == Array(60..<99) + [5, 7])
    #expect(other.owned.count == 58)
  }

  @Test(
    "Objects that another context added are last in a collection with an assigned order.",
    arguments: Kind.allCases
  )
  func merged(_ kind: Kind) throws {
    let path = kind.path
    shelf[keyPath: path] = [Book(1), Book(2), Book(3)]
    try context.save()
    shelf[keyPath: path].sort { $0.number > $1.number }
    try context.save()
    let other = ModelContext(container)
    let found = try #require(try other.fetch(FetchDescriptor<Bookcase>()).first)
    found[keyPath: path].insert(Book(4), at: 0)
    other.delete(found[keyPath: path][1])
    try other.save()
    #expect(found[keyPath: path].map(\.number) == [4, 2, 3])
    #expect(try context.fetch(FetchDescriptor<Bookcase>()).first === shelf)
    #expect(numbers(kind) == [3, 2, 4])
  }

  @Test("An optional collection that was never set, or was set to nil, is empty in every context.")
  func optional() throws {
    let kit = Kit()
    #expect(kit.parts == nil)
    context.insert(kit)
    #expect(kit.parts == [])
    try context.save()
    #expect(kit.parts == [])
    let other = ModelContext(container)
    #expect(try other.fetch(FetchDescriptor<Kit>()).map(\.parts) == [[]])
    kit.parts?.append(KitPart())
    #expect(kit.parts?.count == 1)
    kit.parts = nil
    #expect(kit.parts == [])
    try context.save()
    #expect(kit.parts == [])
    #expect(try ModelContext(container).fetch(FetchDescriptor<Kit>()).map(\.parts) == [[]])
    #expect(
      try context.fetchCount(FetchDescriptor<Kit>(predicate: #Predicate { $0.parts == nil })) == 0
    )
  }
}
