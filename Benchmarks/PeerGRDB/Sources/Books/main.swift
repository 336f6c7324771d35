import CSnapshots
import GRDB
import Glibc

// Books STORE TASK COUNT: runs a task of Benchmarks on the tables of a store, and prints the seconds of
// processor time and the number that the task returns.

struct Author: Codable, FetchableRecord, PersistableRecord {
  static let databaseTableName = "Author"
  var id: Int64
  var name: String
}

struct Book: Codable, FetchableRecord, MutablePersistableRecord {
  static let databaseTableName = "Book"
  static let owner = belongsTo(Author.self, using: ForeignKey(["author"]))
  var id: Int64?
  var title: String
  var pages: Int
  var author: Int64?

  var sum: Int { title.utf8.count + pages }

  mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
}

let (title, pages, owner) = (Column("title"), Column("pages"), Column("author"))

func search(_ queue: DatabaseQueue, _ condition: (String) -> SQLExpression) throws -> Int {
  try (0..<10).reduce(0) { sum, number in
    try sum + queue.read { try Book.filter(condition("Book \(number)")).fetchCount($0) }
  }
}

let tasks: [String: (DatabaseQueue, _ count: Int) throws -> Int] = [
  "insert": { queue, count in
    try queue.write { database in
      for number in 0..<count / 10 {
        try Author(id: Int64(number) + 1, name: "Author \(number)").insert(database)
      }
      for number in 0..<count {
        var book = Book(
          title: "Book \(number)",
          pages: number % 500,
          author: Int64(number % (count / 10)) + 1
        )
        try book.insert(database)
      }
    }
    return 0
  },
  "fetch": { queue, _ in
    try queue.read { try Book.fetchAll($0) }.reduce(0) { $0 + $1.sum }
  },
  "index": { queue, _ in
    try (0..<1_000).reduce(0) { sum, number in
      let books = try queue.read { try Book.filter(title == "Book \(number)").fetchAll($0) }
      return books.reduce(sum) { $0 + $1.sum }
    }
  },
  "identifier": { queue, _ in
    try (1...1_000).reduce(0) { sum, id in
      try sum + (queue.read { try Book.fetchOne($0, key: id) }?.sum ?? 0)
    }
  },
  "count": { queue, _ in
    try (0..<10).reduce(0) { sum, number in
      try sum + queue.read { try Book.filter(pages < number).fetchCount($0) }
    }
  },
  "contains": { queue, _ in
    try search(queue) { SQL("instr(title, \($0)) > 0").sqlExpression }
  },
  "starts": { queue, _ in try search(queue) { title.like($0 + "%") } },
  "localized": { queue, _ in try search(queue) { title.like("%" + $0 + "%") } },
  "before": { queue, _ in try search(queue) { title < $0 } },
  "join": { queue, _ in
    try (0..<100).reduce(0) { sum, number in
      let name = "Author \(number)"
      let request = Book.joining(required: Book.owner.filter(Column("name") == name))
      return try queue.read { try request.fetchAll($0) }.reduce(sum) { $0 + $1.sum }
    }
  },
  "traverse": { queue, _ in
    try queue.read { database in
      try Author.fetchAll(database).reduce(0) { sum, author in
        try Book.filter(owner == author.id).fetchAll(database)
          .reduce(sum + author.name.utf8.count) { $0 + $1.sum }
      }
    }
  },
  "update": { queue, _ in
    try queue.write { database in
      for (number, book) in try Book.fetchAll(database).enumerated()
      where number.isMultiple(of: 10) {
        var book = book
        try book.updateChanges(database) { $0.pages += 1 }
      }
    }
    return 0
  },
  "save": { queue, _ in
    for book in try queue.read({ try Book.limit(1_000).fetchAll($0) }) {
      var book = book
      try queue.write { _ = try book.updateChanges($0) { $0.pages += 1 } }
    }
    return 0
  },
  "append": { queue, _ in
    for number in 0..<20 {
      var book = Book(title: "New \(number)", pages: 1, author: 1)
      try queue.write { try book.insert($0) }
    }
    return 0
  },
  "cascade": { queue, _ in
    try queue.write { database in
      try Book.filter(owner == 1).deleteAll(database)
      try Author.deleteOne(database, key: 1)
    }
    return 0
  },
]

func processorSeconds() -> Double {
  var time = timespec()
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
  return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
}

let arguments = CommandLine.arguments
guard arguments.count == 4, let task = tasks[arguments[2]], let count = Int(arguments[3]) else {
  print("Books STORE TASK COUNT; the tasks are \(tasks.keys.sorted().joined(separator: ", ")).")
  exit(64)
}
// The settings of the connections of a store.
var configuration = Configuration()
configuration.prepareDatabase { database in
  try database.execute(sql: "PRAGMA synchronous = FULL; PRAGMA cache_size = -16384")
  _ = disable_triggers(UnsafeMutableRawPointer(database.sqliteConnection))
}
let queue = try DatabaseQueue(path: arguments[1], configuration: configuration)
let begin = processorSeconds()
let result = try task(queue, count)
print(processorSeconds() - begin, result)
