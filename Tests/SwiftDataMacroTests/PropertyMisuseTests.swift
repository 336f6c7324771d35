import Testing

@Suite("Misused properties of models")
struct PropertyMisuseTests {
  private func model(_ members: String) -> String {
    "@Model final class Trip {\n  \(members)\n  init() {}\n}"
  }

  @Test("Several properties in one declaration are refused, with an offer to split it.")
  func severalProperties() throws {
    expectComplaints(
      model("public var a = 0, b: Int, c, d: String?"),
      [
        "2:3 Macros can't be put on several properties at once; declare each property of "
          + "a model on its own."
      ]
    )
    try expectRemedy(
      model("public var a = 0, b: Int, c, d: String?"),
      "declare each property on its own",
      model(
        """
        public var a = 0
          public var b: Int
          public var c: String?
          public var d: String?
        """
      )
    )
    expectComplaints(model("static var a = 0, b = 1"), [])
    expectComplaints(model("var a: Int { 1 }, b: Int { 2 }"), [])
  }

  @Test("A property in a tuple pattern is refused.")
  func tuples() {
    expectComplaints(
      model("var (a, b) = (0, 1)"),
      [
        "2:7 A model can't store properties that are declared as a tuple; declare each "
          + "property on its own."
      ]
    )
    expectComplaints(model("static let (a, b) = (0, 1)"), [])
    expectComplaints(model("@Transient var (a, b) = (0, 1)"), [])
  }

  @Test("A property without a type and a default is refused.")
  func noType() {
    expectComplaints(
      model("var name"),
      [
        "2:7 'name' needs a type or a default value to be stored; write 'var name: …'."
      ]
    )
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

  @Test("A lazy, weak or unowned property is refused unless it is transient.")
  func modifiers() throws {
    expectComplaints(
      model("lazy var total = 1"),
      [
        "2:3 'total' can't be both stored and 'lazy', because the store would not know "
          + "whether the property has a value yet; remove 'lazy', or mark the property @Transient to "
          + "keep it out of the store."
      ]
    )
    expectComplaints(
      model("weak var owner: Owner?"),
      [
        "2:3 'owner' can't be both stored and 'weak', because SwiftData manages the references "
          + "of a relationship itself; remove 'weak', or mark the property "
          + "@Transient to keep it out of the store."
      ]
    )
    expectComplaints(
      model("unowned(unsafe) var owner: Owner"),
      [
        "2:3 'owner' can't be both stored and 'unowned', because SwiftData manages the references "
          + "of a relationship itself; remove 'unowned', or mark the "
          + "property @Transient to keep it out of the store."
      ]
    )
    expectComplaints(model("@Transient lazy var total = 1"), [])
    expectComplaints(model("@Transient weak var owner: Owner?"), [])
    try expectRemedy(
      model("lazy var total = 1"),
      "keep it out of the store",
      model("@Transient lazy var total = 1")
    )
    try expectRemedy(
      model("public weak var owner: Owner?"),
      "remove 'weak'",
      model("public var owner: Owner?")
    )
  }

  @Test("A property with a known property wrapper is refused unless it is transient.")
  func wrappers() throws {
    expectComplaints(
      model("@Published var name = \"\""),
      [
        "2:3 @Published is a property wrapper, but SwiftData must store 'name' itself; "
          + "remove the wrapper, or mark the property @Transient to keep it out of the store."
      ]
    )
    expectComplaints(
      model("@AppStorage(\"x\") var name = \"\""),
      [
        "2:3 @AppStorage is a property wrapper, but SwiftData must store 'name' itself; "
          + "remove the wrapper, or mark the property @Transient to keep it out of the store."
      ]
    )
    expectComplaints(model("@Transient @Published var name = \"\""), [])
    expectComplaints(model("@Unheard var name = \"\""), [])
    try expectRemedy(
      model("@Published var name = \"\""),
      "remove the property wrapper",
      model("var name = \"\"")
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
        "2:7 Every model has a member '\(name)' that SwiftData needs; rename the property, and "
          + "set 'originalName' to the old name if a store contains the property."
      ]
    )
    expectComplaints(model("var \(name): Int { 1 }"), [])
  }

  @Test("A property with the name of another property's storage is refused.")
  func storageNames() {
    expectComplaints(
      model("var name = 1; private var _name = 2"),
      [
        "2:29 '_name' is the name of the storage that @Model generates for 'name'; rename "
          + "one of the two properties."
      ]
    )
    expectComplaints(
      model("var name = 1; @Transient var _name = 2"),
      [
        "2:32 '_name' is the name of the storage that @Model generates for 'name'; rename "
          + "one of the two properties."
      ]
    )
    expectComplaints(model("var name: Int { _name }; private var _name = 2"), [])
  }

  @Test("A transient property without a default is refused.")
  func transientDefaults() throws {
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
    for (type, value) in [
      ("Int", "0"), ("Double", "0"), ("Bool", "false"), ("String", "\"\""), ("[Int]", "[]"),
      ("[Int: Int]", "[:]"), ("Set<Int>", "[]"), ("Date", "Date()"), ("Swift.Int", "0"),
    ] {
      try expectRemedy(
        model("@Transient var views: \(type)"),
        "give it the value \(value)",
        model("@Transient var views: \(type) = \(value)")
      )
    }
    #expect(expand(model("@Transient var views: Views")).complaints.first?.remedies.count == 0)
  }
}
