import Testing

@Suite("The compiler's messages about models")
struct CompilerMessageTests {
  /// The lines of messages that the compiler reports for the members of a model.
  private func messages(_ members: String) throws -> [String] {
    let source =
      "import SwiftData\n" + """
        final class Plain {}
        enum Kind { case one, two }
        protocol Quality {}
        @Model final class Owner { init() {} }
        @Model final class Thing {
          \(members)
          init() {}
        }
        """
    return try typecheck(source).text.split(separator: "\n").map(String.init)
  }

  @Test(
    "The error of a type that is not Codable occurs once, and names the property and its type.",
    arguments: [
      ("var value = Plain()", "Plain"), ("var value: Kind = .one", "Kind"),
      ("var value: (any Quality)?", "(any Quality)?"), ("var value: [Plain]? = nil", "[Plain]?"),
      ("private(set) var value: [String: Kind] = [:]", "[String: Kind]"),
    ]
  )
  func notCodable(property: String, type: String) throws {
    let messages = try messages(property)
    let errors = messages.filter { $0.contains("error:") && !$0.contains("`- error:") }
    #expect(errors.count == 1, "\(messages.joined(separator: "\n"))")
    for word in ["'value'", "'\(type)'", "Codable"] {
      #expect(errors.first?.contains(word) == true)
    }
  }

  @Test("A property whose type may be stored has no error.")
  func storable() throws {
    #expect(
      try messages(
        """
        var a = 0; var b: [String: [Int]?] = [:]; var c: Owner?; var d: [Owner]? = []
        @Transient var e = Plain(); var f: Date? = nil
        @Attribute(.transformable(by: "T")) var g: Kind? = nil
        """
      ) == []
    )
  }

  @Test(
    "@Attribute on a relationship is only a warning, which names the property.",
    arguments: ["var value: Owner?", "var value: [Owner] = []", "var value: [Owner]? = []"]
  )
  func attributeOfRelationship(property: String) throws {
    let messages = try messages("@Attribute(.unique) \(property)")
    #expect(messages.contains { $0.contains("warning:") && $0.contains("@Relationship") })
    #expect(messages.contains { $0.contains("Thing.value") })
    #expect(!messages.contains { $0.contains("error:") }, "\(messages.joined(separator: "\n"))")
    #expect(try self.messages("@Attribute(.unique) var value: String? = nil") == [])
  }

  @Test("The members of String.StandardComparator have its type.")
  func comparators() throws {
    let members = """
      func sort(by order: String.StandardComparator = .localizedStandard) {}
      func order(by order: String.StandardComparator = .localized) {}
      func list(by order: String.StandardComparator = .lexical) {}
      """
    #expect(try messages(members) == [])
  }
}
