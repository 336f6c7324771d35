import SwiftData

/// A common task of programs with models, and the same task as SQL statements in C.
struct BookTask {
  let name: String
  /// The word for the task in the program that uses GRDB.
  let word: String
  /// The number of authors.
  var authors: (_ books: Int) -> Int = { $0 / 10 }
  /// Whether the stores have the books before the task.
  var isFilled = true
  /// Runs before the clock starts; the result is kept during the task.
  var prepare: (ModelContext) throws -> Any = { _ in 0 }
  /// Both sides return the same number, if the task has one.
  let peer: (BookStore.Peer, _ count: Int) throws -> Int
  let ours: (ModelContext, _ count: Int) throws -> Int

  /// The seconds of processor time that each side needs in its own store; nil for GRDB without a
  /// program that uses it.
  func measure(
    _ count: Int,
    in folder: URL
  ) throws -> (peer: Double, ours: Double, grdb: Double?) {
    let stores = try (0..<(GRDBProgram.path == nil ? 2 : 3)).map { _ in try BookStore(in: folder) }
    defer {
      for store in stores {
        // Remaining files are removed with the folder of all measurements.
        try? FileManager.default.removeItem(
          at: URL(filePath: store.path).deletingLastPathComponent()
        )
      }
    }
    if isFilled {
      for store in stores {
        let context = ModelContext(store.container)
        try context.insertBooks(count, authors: authors(count))
        // The digest of a large transaction is computed by the next save, which is this one.
        let first = try context.fetch(FetchDescriptor<Author>()).first
        first?.name += "."
        try context.save()
      }
    }
    var results = (peer: 0, ours: 0)
    var peerSeconds = 0.0
    try stores[0].withPeer { peer in
      peerSeconds = try processorSeconds { results.peer = try self.peer(peer, count) }
    }
    let context = ModelContext(stores[1].container)
    let kept = try prepare(context)
    let ourSeconds = try processorSeconds { results.ours = try ours(context, count) }
    withExtendedLifetime(kept) {}
    guard results.peer == results.ours else {
      throw WrongResult(
        description: "\(name): \(results.ours) is not the peer's \(results.peer)."
      )
    }
    guard stores.count > 2 else { return (peerSeconds, ourSeconds, nil) }
    let (grdb, result) = try GRDBProgram.run(word, on: stores[2], count)
    guard result == results.ours else {
      throw WrongResult(description: "\(name): \(results.ours) is not GRDB's \(result).")
    }
    return (peerSeconds, ourSeconds, grdb)
  }
}

extension Book {
  fileprivate var sum: Int { title.utf8.count + pages }
}

/// What `make bench` measures of models, besides the budgets.
enum BookTasks {
  private static let columns = "SELECT title, pages FROM Book AS b"

  static var all: [BookTask] {
    [
      insert, fetch, fetchByIndex, fetchByID, count, contains, starts, localized, before, join,
      traverse, update, saveOne, append, cascade,
    ]
  }

  private static var insert: BookTask {
    BookTask(
      name: "insert, one save",
      word: "insert",
      isFilled: false,
      peer: { peer, count in
        try peer.insertBooks(count, authors: count / 10)
        return 0
      },
      ours: { context, count in
        try context.insertBooks(count, authors: count / 10)
        return 0
      }
    )
  }

  private static var fetch: BookTask {
    BookTask(
      name: "fetch all, every attribute touched",
      word: "fetch",
      peer: { peer, _ in try peer(columns) },
      ours: { context, _ in
        try context.fetch(FetchDescriptor<Book>()).reduce(0) { $0 + $1.sum }
      }
    )
  }

  private static var fetchByIndex: BookTask {
    BookTask(
      name: "1,000 fetches by an index",
      word: "index",
      peer: { peer, _ in try peer(columns + " WHERE ?1 >= 0 AND title = ?2", "Book", count: 1_000)
      },
      ours: { context, _ in
        try (0..<1_000).reduce(0) { sum, number in
          let title = "Book \(number)"
          let descriptor = FetchDescriptor(predicate: #Predicate<Book> { $0.title == title })
          return try context.fetch(descriptor).reduce(sum) { $0 + $1.sum }
        }
      }
    )
  }

  private static var fetchByID: BookTask {
    BookTask(
      name: "1,000 fetches by identifier",
      word: "identifier",
      peer: { peer, _ in try peer(columns + " WHERE id = ?1", first: 1, count: 1_000) },
      ours: { context, _ in
        var descriptor = FetchDescriptor<Book>()
        descriptor.fetchLimit = 1_000
        return try context.fetchIdentifiers(descriptor).reduce(0) { sum, id in
          sum + ((context.model(for: id) as? Book)?.sum ?? 0)
        }
      }
    )
  }

  private static var count: BookTask {
    BookTask(
      name: "10 counts by an attribute without an index",
      word: "count",
      peer: { peer, _ in try peer("SELECT count(*) FROM Book WHERE pages < ?1", count: 10) },
      ours: { context, _ in
        try (0..<10).reduce(0) { sum, pages in
          sum
            + (try context.fetchCount(
              FetchDescriptor(predicate: #Predicate<Book> { $0.pages < pages })
            ))
        }
      }
    )
  }

  private static var contains: BookTask {
    search("contains", "contains", peer: "instr(title, ?2) > 0") { text in
      #Predicate { $0.title.contains(text) }
    }
  }

  private static var starts: BookTask {
    search("starts(with:)", "starts", peer: "title LIKE ?2 || '%'") { text in
      #Predicate { $0.title.starts(with: text) }
    }
  }

  private static var localized: BookTask {
    search("localizedStandardContains", "localized", peer: "title LIKE '%' || ?2 || '%'") { text in
      #Predicate { $0.title.localizedStandardContains(text) }
    }
  }

  // The plus sign keeps the peer from using the index, because its order is not Swift's.
  private static var before: BookTask {
    search("< of strings, all rows read", "before", peer: "+title < ?2") { text in
      #Predicate { $0.title < text }
    }
  }

  private static func search(
    _ name: String,
    _ word: String,
    peer condition: String,
    _ predicate: @escaping (String) -> Predicate<Book>
  ) -> BookTask {
    BookTask(
      name: "10 counts by " + name,
      word: word,
      peer: { peer, _ in
        try peer("SELECT count(*) FROM Book WHERE ?1 >= 0 AND " + condition, "Book", count: 10)
      },
      ours: { context, _ in
        try (0..<10).reduce(0) { sum, number in
          let descriptor = FetchDescriptor(predicate: predicate("Book \(number)"))
          return sum + (try context.fetchCount(descriptor))
        }
      }
    )
  }

  private static var join: BookTask {
    BookTask(
      name: "100 fetches by author?.name",
      word: "join",
      peer: { peer, _ in
        try peer(
          columns + " JOIN Author AS a ON a.id = b.author WHERE ?1 >= 0 AND a.name = ?2",
          "Author",
          count: 100
        )
      },
      ours: { context, _ in
        try (0..<100).reduce(0) { sum, number in
          let name = "Author \(number)"
          let descriptor = FetchDescriptor(predicate: #Predicate<Book> { $0.author?.name == name })
          return try context.fetch(descriptor).reduce(sum) { $0 + $1.sum }
        }
      }
    )
  }

  private static var traverse: BookTask {
    BookTask(
      name: "all authors, and the books of each",
      word: "traverse",
      peer: { peer, count in
        try peer("SELECT name FROM Author")
          + peer(columns + " WHERE author = ?1", first: 1, count: count / 10)
      },
      ours: { context, _ in
        try context.fetch(FetchDescriptor<Author>()).reduce(0) { sum, author in
          author.books.reduce(sum + author.name.utf8.count) { $0 + $1.sum }
        }
      }
    )
  }

  private static var update: BookTask {
    BookTask(
      name: "update every tenth, one save",
      word: "update",
      peer: { peer, count in
        try peer("BEGIN IMMEDIATE")
        let sql = "UPDATE Book SET pages = pages + 1 WHERE id = ?1 * 10 + 1"
        try peer(columns)
        try peer(sql, count: count / 10)
        try peer("COMMIT")
        return 0
      },
      ours: { context, _ in
        for (number, book) in try context.fetch(FetchDescriptor<Book>()).enumerated()
        where number.isMultiple(of: 10) { book.pages += 1 }
        try context.save()
        return 0
      }
    )
  }

  private static var saveOne: BookTask {
    BookTask(
      name: "1,000 saves of one object",
      word: "save",
      prepare: { context in try context.fetch(FetchDescriptor<Book>()) },
      peer: { peer, _ in
        try peer("UPDATE Book SET pages = pages + 1 WHERE id = ?1", first: 1, count: 1_000)
        return 0
      },
      ours: { context, _ in
        var descriptor = FetchDescriptor<Book>()
        descriptor.fetchLimit = 1_000
        for book in try context.fetch(descriptor) {
          book.pages += 1
          try context.save()
        }
        return 0
      }
    )
  }

  private static var append: BookTask {
    BookTask(
      name: "append 20 to one owner, a save each",
      word: "append",
      authors: { _ in 1 },
      prepare: { context in
        let authors = try context.fetch(FetchDescriptor<Author>())
        // Reads the collection, which is not part of the task, and releases the array.
        for author in authors where author.books.isEmpty {
          throw WrongResult(description: "\(author.name) has no books.")
        }
        return authors
      },
      peer: { peer, _ in
        try peer(
          "INSERT INTO Book (title, pages, author) VALUES (?2, 1, ?1 * 0 + 1)",
          "New",
          count: 20
        )
        return 0
      },
      ours: { context, _ in
        for author in try context.fetch(FetchDescriptor<Author>()) {
          for number in 0..<20 {
            author.books.append(Book(title: "New \(number)", pages: 1, author: nil))
            try context.save()
          }
        }
        return 0
      }
    )
  }

  private static var cascade: BookTask {
    BookTask(
      name: "delete an owner of all, which cascades",
      word: "cascade",
      authors: { _ in 1 },
      peer: { peer, _ in
        try peer("BEGIN IMMEDIATE")
        try peer("DELETE FROM Book WHERE author = ?1", first: 1)
        try peer("DELETE FROM Author WHERE id = ?1", first: 1)
        try peer("COMMIT")
        return 0
      },
      ours: { context, _ in
        for author in try context.fetch(FetchDescriptor<Author>()) { context.delete(author) }
        try context.save()
        return 0
      }
    )
  }
}
