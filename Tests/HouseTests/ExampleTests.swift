import Foundation
import TestSupport
import Testing

/// A code block of a comment or an article, with its place.
private struct Example {
  let path: String
  let line: Int
  var lines: [String] = []

  /// The code as a type: declarations are its members, statements are in a function.
  func type(named name: String) -> String {
    var members = "", statements = "", isMember = false
    for (index, text) in lines.enumerated() where !text.hasPrefix("import ") {
      var located = text + "\n"
      if let first = text.first, first.isLetter || "@#".contains(first), !text.hasPrefix("case "),
        !text.hasPrefix("default:")
      {
        isMember = Self.declarations.contains { text.hasPrefix($0) }
        located = "#sourceLocation(file: \"\(path)\", line: \(line + index))\n" + located
      }
      if isMember { members += located } else { statements += located }
    }
    return """
      enum \(name) {
      \(members)static func run(\(Self.parameters)) async throws {
      var token = transaction.token
      for change in transaction.changes {
      \(statements)_ = (change, token)
      }
      token = transaction.token
      }
      }

      """
  }

  private static let declarations = [
    "@Model", "enum ", "final class ", "struct ", "extension ", "func ",
  ]
  /// What examples use without declaring it.
  private static let parameters = """
    container: ModelContainer, context: ModelContext, otherContext: ModelContext, schema: Schema,
    trip: Trip, store: DefaultStore, snapshot: DefaultSnapshot, settings: UserDefaults,
    transaction: DefaultHistoryTransaction, delete: DefaultHistoryDelete<Trip>, author: String,
    sections: SectionedResults<Trip, String>, notification: Notification, limit: Date
    """
  /// The models that examples use.
  static let models = """
    @Model final class Trip {
      var name: String
      var destination = ""
      var startDate = Date.now
      var livingAccommodation: String?
      var days: [Day] = []
      init(name: String) { self.name = name }
    }
    @Model final class Day { init() {} }
    @Model final class Person { init() {} }
    @Model final class BucketListItem {
      var trip: Trip?
      init() {}
    }
    enum TripsV1: VersionedSchema { static let models: [any PersistentModel.Type] = [Trip.self] }
    enum TripsV2: VersionedSchema { static let models: [any PersistentModel.Type] = [Trip.self] }

    """
}

@Suite("The examples in the documentation of SwiftData")
struct ExampleTests {
  private func examples() throws -> [Example] {
    var found: [Example] = []
    for file in try files(under: "Sources/SwiftData") {
      var open: Example?
      for (index, line) in file.lines.enumerated() {
        var text = line.drop { $0 == " " }
        if file.path.hasSuffix(".swift") {
          guard text.hasPrefix("///") else { continue }
          text = text.dropFirst(text.hasPrefix("/// ") ? 4 : 3)
        } else {
          text = line
        }
        if text.hasPrefix("```") {
          if let example = open { found.append(example) }
          let begins = open == nil
          open = begins ? Example(path: file.path, line: index + 2) : nil
        } else {
          open?.lines.append(String(text))
        }
      }
    }
    return found
  }

  @Test("Every example in the documentation of SwiftData compiles.")
  func compile() throws {
    let examples = try examples()
    #expect(examples.count > 40)
    let source =
      "import SwiftData\n" + Example.models
      + examples.enumerated().map { $1.type(named: "Example\($0)") }.joined()
    let (text, code) = try typecheck(source, options: ["-suppress-warnings"])
    #expect(code == 0, "\(text)")
  }

  @Test("Every public type of SwiftData is in an example.")
  func types() throws {
    let code = try examples().flatMap(\.lines).joined(separator: "\n")
    let pattern = #/^(?:@\w+ )*public (?:final )?(?:class|struct|enum|protocol) ([A-Za-z]\w*)/#
    var names: Set<String> = []
    for file in try swiftFiles(under: "Sources/SwiftData") {
      names.formUnion(file.code.compactMap { $0.text.firstMatch(of: pattern).map { String($0.1) } })
    }
    #expect(names.count > 50)
    let words = Set(code.split { !$0.isLetter && !$0.isNumber && $0 != "_" }.map(String.init))
    #expect(names.subtracting(words).sorted() == [])
  }
}
