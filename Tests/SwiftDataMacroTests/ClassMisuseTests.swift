import Testing

@Suite("Misused @Model")
struct ClassMisuseTests {
  @Test(
    "@Model refuses a type that is not a class, and offers to make it one.",
    arguments: [
      ("struct Trip {}", "a struct"),
      ("enum Trip {}", "an enum"),
      ("actor Trip {}", "an actor"),
      ("protocol Trip {}", "a protocol"),
    ]
  )
  func notAClass(declaration: String, kind: String) {
    expectComplaints(
      "@Model \(declaration)",
      [
        "1:1 @Model needs a class, because contexts keep track of objects by identity; "
          + "'Trip' is \(kind)."
      ]
    )
  }

  @Test("@Model refuses a struct and an actor, and gives the remedy.")
  func structRemedy() throws {
    try expectRemedy(
      "@Model public struct Trip { var a = 0 }",
      "make it a 'final class'",
      "@Model public final class Trip { var a = 0 }"
    )
    try expectRemedy(
      "@Model\nactor Trip {}",
      "make it a 'final class'",
      "@Model\nfinal class Trip {}"
    )
  }

  @Test(
    "@Model refuses a class that is generic or inside of something generic, and adds nothing to it.",
    arguments: [
      ("@Model class Trip<Place> { var a = 0; init() {} }", 14),
      ("struct Outer<Place> { @Model class Trip { init() {} } }", 36),
      ("func outer<Place>(_ place: Place) { @Model class Trip { init() {} } }", 50),
    ]
  )
  func generic(source: String, column: Int) {
    let expansion = expectComplaints(
      source,
      [
        "1:\(column) @Model can't be put on 'Trip', because it is generic or inside of something "
          + "generic, and a store has one table for each class; remove the generic parameters, or "
          + "declare the class outside."
      ]
    )
    #expect(!expansion.text.contains("_$"))
    #expect(!expansion.text.contains("_PersistedProperty"))
    #expect(!expansion.text.contains("extension"))
  }

  @Test("@Model refuses a class with @Observable.")
  func observable() throws {
    let source = "@Model @Observable final class Trip { init() {} }"
    expectComplaints(
      source,
      [
        "1:8 @Model makes the class observable; remove @Observable."
      ]
    )
    try expectRemedy(source, "remove '@Observable'", "@Model final class Trip { init() {} }")
  }

  @Test("@Model refuses a nested type with the name of the family's topmost class.")
  func nestedRoot() {
    expectComplaints(
      "@Model final class Trip { struct Root {}; init() {} }",
      [
        "1:34 @Model uses the name 'Root' itself; choose another name, and set 'originalName' to the "
          + "old name if a store contains the property."
      ]
    )
  }

  @Test("@Model warns that a class without an initializer can't be created.")
  func noInitializer() throws {
    let source = """
      @Model public class Trip {
        var name: String
        var note: String?
        var kind: Kind = .leisure
        var count = 0
        let created = Date.now
        @Transient var views = 0
      }
      """
    let expansion = expand(source, configuration: buildConfiguration(languageMode: 5))
    let complaint = try #require(expansion.complaints.first)
    #expect(!complaint.isError)
    #expect(
      complaint.description
        == "1:1 'Trip' has no initializer, so its objects can only be read from a store; "
        + "write an init that sets its properties."
    )
    #expect(expansion.text.contains("_name = SwiftData._SwiftDataNoType()"))
    #expect(!expansion.text.contains("init() {"))
  }

  @Test("@Model writes init() for a class whose properties all have defaults.")
  func implicitInitializer() {
    let expansion = expand(
      "@Model class Trip { var a = 0; var b: Int?; @Transient var c: Int?; var d: Int { 1 } }"
    )
    #expect(expansion.complaints.isEmpty)
    #expect(expansion.text.contains("init() {"))
    let withTransient = expand("@Model class Trip { var a = 0; @Transient weak var b: Trip? }")
    #expect(withTransient.text.contains("init() {"))
    let empty = expand("@Model class Trip {}")
    #expect(empty.complaints.isEmpty)
    #expect(empty.text.contains("init() {"))
  }

  @Test("@Model refuses an undecidable condition only around stored properties.")
  func undecidedCondition() {
    let source = """
      @Model class Trip {
        #if canImport(Secret)
        var secret = 1
        #endif
        #if canImport(Secret)
        var computed: Int { 1 }
        func reveal() {}
        #endif
        init() {}
      }
      """
    expectComplaints(
      source,
      [
        "2:3 @Model can't evaluate this condition, so it does not know which properties "
          + "the class has; use '#if os(…)', '#if DEBUG' or another compilation condition, "
          + "or move the stored properties out of the '#if'."
      ]
    )
  }

  @Test("@Model refuses any condition around stored properties if the build is not known.")
  func unknownBuild() {
    let source = """
      @Model class Trip {
        #if DEBUG
        #if os(Linux)
        var secret = 1
        #endif
        #endif
        init() {}
      }
      """
    expectComplaints(
      source,
      [
        "2:3 @Model can't evaluate this condition, so it does not know which properties "
          + "the class has; use '#if os(…)', '#if DEBUG' or another compilation condition, "
          + "or move the stored properties out of the '#if'."
      ],
      configuration: nil
    )
    expectComplaints(source, [])
  }

  @Test("After an error of @Model, the expansion adds no further errors.")
  func writesNoErrors() {
    let expansion = expand("@Model class Trip { lazy var a = 1; var b: Int; init() {} }")
    #expect(expansion.text.contains("Swift.preconditionFailure"))
    #expect(!expansion.text.contains("_a = "))
    #expect(expansion.complaints.count == 1)
  }
}
