import Testing

@Suite("Misused properties of models")
struct PropertyMisuseTests {
  private func model(_ members: String) -> String {
    "@Model final class Trip {\n  \(members)\n  init() {}\n}"
  }

  @Test(
    "Several properties in one declaration are refused.",
    arguments: [("public var a = 0, b: Int, c, d: String?", 3), ("var (a, b) = (0, 1)", 7)]
  )
  func severalProperties(member: String, column: Int) {
    expectComplaints(
      model(member),
      [
        "2:\(column) Macros can't be put on several properties at once; declare each property of "
          + "a model on its own."
      ]
    )
    expectComplaints(model("static var a = 0, b = 1"), [])
    expectComplaints(model("var a: Int { 1 }, b: Int { 2 }"), [])
    expectComplaints(model("static let (a, b) = (0, 1)"), [])
    expectComplaints(model("@Transient var (a, b) = (0, 1)"), [])
  }

  @Test("A constant is refused in the Swift 6 language mode, and accepted in earlier modes.")
  func constants() throws {
    expectComplaints(
      model("let name = \"\""),
      [
        "2:3 The Swift 6 language mode doesn't let a macro store a 'let' property; "
          + "declare 'name' as 'private(set) var'."
      ]
    )
    expectComplaints(
      model("let name = \"\""),
      [],
      configuration: buildConfiguration(languageMode: 5)
    )
    try expectRemedy(
      model("public let name = \"\""),
      "make it a 'private(set) var'",
      model("public private(set) var name = \"\"")
    )
    try expectRemedy(
      model("private let name = \"\""),
      "make it a 'var'",
      model("private var name = \"\"")
    )
    expectComplaints(model("@Transient let name = \"\""), [])
    expectComplaints(model("static let name = \"\""), [])
  }

  @Test(
    "A lazy, weak or unowned property is refused unless it is transient.",
    arguments: [
      ("lazy var a = 1", "lazy"), ("weak var a: Owner?", "weak"),
      ("unowned(unsafe) var a: Owner", "unowned"),
    ]
  )
  func modifiers(member: String, word: String) throws {
    expectComplaints(
      model(member),
      [
        "2:3 'a' can't be both stored and '\(word)'; remove '\(word)', or mark the property "
          + "@Transient to keep it out of the store."
      ]
    )
    expectComplaints(model("@Transient lazy var total = 1"), [])
    expectComplaints(model("@Transient weak var owner: Owner?"), [])
    try expectRemedy(
      model("public weak var owner: Owner?"),
      "remove 'weak'",
      model("public var owner: Owner?")
    )
  }

  @Test(
    "A property with the name of a member that SwiftData needs is refused.",
    arguments: [
      "persistentModelID", "persistentBackingData", "modelContext", "schemaMetadata", "Root",
      "_$own",
    ]
  )
  func reservedNames(name: String) {
    expectComplaints(
      model("var \(name) = 1"),
      [
        "2:7 @Model uses the name '\(name)' itself; choose another name, and set 'originalName' to "
          + "the old name if a store contains the property."
      ]
    )
    expectComplaints(model("var \(name): Int { 1 }"), [])
  }

  @Test("A property with the name of another property's storage is refused.")
  func storageNames() {
    for (member, column) in [("private var _name = 2", 29), ("@Transient var _name = 2", 32)] {
      expectComplaints(
        model("var name = 1; \(member)"),
        [
          "2:\(column) @Model uses the name '_name' itself; choose another name, and set "
            + "'originalName' to the old name if a store contains the property."
        ]
      )
    }
    expectComplaints(model("var name: Int { _name }; private var _name = 2"), [])
  }

  @Test("A transient property without a default is refused.")
  func transientDefaults() {
    expectComplaints(
      model("@Transient var views: Int"),
      [
        "2:18 @Transient property 'views' needs a default value, because a store does not "
          + "contain a value for it; write a default value, or make the property optional."
      ]
    )
    expectComplaints(
      model("@Transient let views: Int?"),
      [
        "2:18 @Transient property 'views' needs a default value, because a store does not "
          + "contain a value for it; write a default value, or make the property optional."
      ]
    )
    expectComplaints(model("@Transient var views: Int?"), [])
    expectComplaints(model("@Transient var views: Optional<Int>"), [])
    expectComplaints(model("@Transient var views: Int { 1 }"), [])
    expectComplaints(model("@Transient var views = 0"), [])
    expectComplaints(model("@Transient @Clamped var views: Int"), [])
  }
}
