import CBenchmarkPeer
import SwiftData

@Model
final class Author {
  #Index<Author>([\.name])
  var name: String
  @Relationship(deleteRule: .cascade, inverse: \Book.author) var books: [Book] = []

  init(name: String) { self.name = name }
}

@Model
final class Book {
  #Index<Book>([\.title])
  var title: String
  var pages: Int
  var author: Author?

  init(title: String, pages: Int, author: Author?) {
    self.title = title
    self.pages = pages
    self.author = author
  }
}

struct BookStore {
  let path: String
  let container: ModelContainer

  init(in folder: URL) throws {
    let place = folder.appending(path: UUID().uuidString, directoryHint: .isDirectory)
    try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
    let url = place.appending(path: "books.store")
    path = url.path
    container = try ModelContainer(
      for: Author.self,
      Book.self,
      configurations: ModelConfiguration(url: url)
    )
  }

  /// Calls `work` with another connection for the peer.
  func withPeer(_ work: (Peer) throws -> Void) throws {
    guard let database = peer_open(path) else {
      throw WrongResult(description: "The peer could not open \(path).")
    }
    defer { peer_close(database) }
    try work(Peer(database: database))
  }

  struct Peer {
    let database: OpaquePointer

    /// Runs a statement for numbers from `first` on; see `peer_run`.
    @discardableResult
    func callAsFunction(
      _ sql: String,
      _ prefix: String = "",
      first: Int = 0,
      count: Int = 1,
      other: Int = 0
    ) throws -> Int {
      let sum = peer_run(database, sql, prefix, Int64(first), Int64(count), Int64(other))
      guard sum >= 0 else { throw WrongResult(description: "The peer could not run \(sql).") }
      return Int(sum)
    }
  }
}

extension BookStore.Peer {
  /// Inserts books and authors in one transaction.
  func insertBooks(_ books: Int, authors: Int) throws {
    try self("BEGIN IMMEDIATE")
    try self("INSERT INTO Author (id, name) VALUES (?1 + 1, ?2)", "Author", count: authors)
    try self(
      "INSERT INTO Book (id, title, pages, author) VALUES (?1 + 1, ?2, ?1 % 500, ?1 % ?3 + 1)",
      "Book",
      count: books,
      other: authors
    )
    try self("COMMIT")
  }
}

extension ModelContext {
  /// Inserts the same books and authors, and saves.
  func insertBooks(_ books: Int, authors: Int) throws {
    let all = (0..<authors).map { Author(name: "Author \($0)") }
    for author in all { insert(author) }
    for number in 0..<books {
      insert(Book(title: "Book \(number)", pages: number % 500, author: all[number % authors]))
    }
    try save()
  }
}
