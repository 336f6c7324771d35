import SwiftData

// A program of its own that writes to a store, so that tests can have several processes at once.

@Model final class Entry {
  var author: String
  var number: Int
  @Relationship(deleteRule: .cascade, inverse: \EntryPart.entry) var parts: [EntryPart] = []

  init(author: String, number: Int) {
    self.author = author
    self.number = number
  }
}

@Model final class EntryPart {
  var text: String
  var entry: Entry?
  init(text: String) { self.text = text }
}

/// Saves as many entries as it is told, one a save, each with three parts.
@main struct ProcessProbe {
  static func main() throws {
    let arguments = CommandLine.arguments
    guard arguments.count == 4, let count = Int(arguments[3]) else {
      print("usage: ProcessProbe STORE AUTHOR COUNT")
      return
    }
    let container = try ModelContainer(
      for: Entry.self,
      configurations: ModelConfiguration(url: URL(fileURLWithPath: arguments[1]))
    )
    let context = ModelContext(container)
    context.author = arguments[2]
    for number in 0..<count {
      let entry = Entry(author: arguments[2], number: number)
      entry.parts = (0..<3).map { EntryPart(text: "\(number).\($0)") }
      context.insert(entry)
      try context.save()
      print(number)
    }
  }
}
