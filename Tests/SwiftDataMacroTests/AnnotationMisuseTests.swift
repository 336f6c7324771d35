import Testing

@Suite("Misused annotations")
struct AnnotationMisuseTests {
  private func model(_ members: String) -> String {
    "@Model final class Trip {\n  \(members)\n  init() {}\n}"
  }

  @Test("An annotation of a property that is not stored is refused.")
  func unstored() throws {
    expectComplaints(
      model("@Relationship var a: Trip? { nil }"),
      [
        "2:3 @Relationship says how a property is stored, but 'a' is computed; remove "
          + "@Relationship, or make it a stored property."
      ]
    )
    expectComplaints(
      model("@Relationship static var a: Trip?"),
      [
        "2:3 @Relationship says how a property is stored, but 'a' is static; remove "
          + "@Relationship, or make it a stored property."
      ]
    )
    expectComplaints(
      model("@Attribute @Transient var a = 1"),
      [
        "2:3 @Attribute says how a property is stored, but 'a' is @Transient; remove "
          + "@Attribute, or make it a stored property."
      ]
    )
    expectComplaints(
      model("@Attribute func a() {}"),
      [
        "2:3 @Attribute says how a property is stored; put it on a stored property of a "
          + "class that is marked @Model."
      ]
    )
    try expectRemedy(
      model("@Attribute(.unique) var a: Int { 1 }"),
      "remove '@Attribute'",
      model("var a: Int { 1 }")
    )
  }

  @Test("@Attribute on a computed property is only a warning.")
  func computedAttribute() throws {
    let source = model("@Attribute(.ephemeral) var a: Int { 1 }; var b = 2")
    let expansion = expand(source)
    let complaint = try #require(expansion.complaints.first)
    #expect(expansion.complaints.count == 1 && !complaint.isError)
    #expect(
      complaint.description
        == "2:3 @Attribute says how a property is stored, but 'a' is computed; remove "
        + "@Attribute, or make it a stored property."
    )
    #expect(expansion.text.contains("keypath: \\Trip.b") && !expansion.text.contains("\\Trip.a"))
  }

  @Test("An annotation outside a model is refused.", arguments: ["Attribute", "Relationship"])
  func outside(name: String) {
    expectComplaints(
      "struct Trip { @\(name) var a = 0 }",
      [
        "1:15 @\(name) has no effect here, because the property does not belong to a class that is "
          + "marked @Model; mark the class @Model, or remove @\(name)."
      ]
    )
    #expect(expand("@\(name) var a = 0").complaints.count == 1)
    #expect(expand("class Trip { @\(name) var a = 0 }").complaints.count == 1)
  }

  @Test("@Transient outside a model is only a warning, and allowed in any extension.")
  func transientOutside() throws {
    let source = "struct Trip { @Transient var a = 0 }"
    let complaint = try #require(expand(source).complaints.first)
    #expect(!complaint.isError)
    #expect(
      complaint.description
        == "1:15 @Transient has no effect here, because the property does not belong to a class "
        + "that is marked @Model."
    )
    try expectRemedy(source, "remove '@Transient'", "struct Trip { var a = 0 }")
    let expansion = expand("extension Trip { @Transient var total: Double { 0 } }")
    #expect(expansion.complaints.isEmpty)
    #expect(expansion.text.hasPrefix("extension Trip { var total: Double { 0 }"))
    #expect(expand("@Transient func a() {}").complaints.map(\.isError) == [true])
  }

  @Test("@Attribute and @Relationship on one property are refused.")
  func both() throws {
    let source = model("@Attribute(.unique) @Relationship var a: Trip?")
    expectComplaints(
      source,
      [
        "2:23 'a' can't be an attribute and a relationship at once; keep @Relationship "
          + "if its type is a model, and otherwise @Attribute."
      ]
    )
    try expectRemedy(
      source,
      "remove '@Relationship'",
      model("@Attribute(.unique) var a: Trip?")
    )
  }

  @Test("An annotation that is repeated is refused.")
  func twice() throws {
    let source = model("@Relationship @Relationship(.cascade) var a: Trip?")
    expectComplaints(
      source,
      [
        "2:17 @Relationship can be put on a property only once; put all options in the "
          + "first @Relationship."
      ]
    )
    try expectRemedy(
      source,
      "remove the second '@Relationship'",
      model("@Relationship var a: Trip?")
    )
    expectComplaints(
      model("@Attribute(originalName: \"b\") @Attribute(.unique, originalName: \"c\") var a = 1"),
      ["2:53 'a' has two values for 'originalName'; keep only one value."]
    )
  }

  @Test(
    "A relationship to a type that can't be a model is refused.",
    arguments: [
      ("a: Int", "Int"), ("a: String?", "String"), ("a: [UUID]", "UUID"), ("a: [Date]?", "Date"),
      ("a: Optional<Double>", "Double"), ("a: Array<Bool>", "Bool"), ("a: Set<URL>", "URL"),
      ("a: Foundation.Data?", "Data"), ("a = 1", "Int"), ("a = 1.5", "Double"),
      ("a = \"\"", "String"), ("a = true", "Bool"),
    ]
  )
  func relationshipToValue(property: String, type: String) {
    expectComplaints(
      model("@Relationship var \(property)"),
      [
        "2:3 @Relationship refers to objects of a model class, but \(type) is not a model; remove "
          + "@Relationship from 'a'."
      ]
    )
  }

  @Test("A relationship in a dictionary is refused.")
  func relationshipInDictionary() {
    expectComplaints(
      model("@Relationship var a: [String: Item]"),
      [
        "2:3 A relationship to several objects is an array; declare 'a' as an array "
          + "rather than a dictionary."
      ]
    )
    expectComplaints(
      model("@Relationship var a: Dictionary<String, Item>?"),
      [
        "2:3 A relationship to several objects is an array; declare 'a' as an array "
          + "rather than a dictionary."
      ]
    )
  }

  @Test(
    "A relationship to a type that may be a model is accepted.",
    arguments: ["Item", "Item?", "[Item]", "[Item]?", "Set<Item>", "V1.Item", "Array<V1.Item>"]
  )
  func relationshipToModel(type: String) {
    expectComplaints(model("@Relationship var a: \(type)"), [])
  }

  @Test("A misspelt option is refused, with a suggestion.")
  func misspeltOptions() throws {
    expectComplaints(
      model("@Attribute(.uniqe) var a = 1"),
      [
        "2:14 @Attribute has no option '.uniqe'; did you mean '.unique'?"
      ]
    )
    expectComplaints(
      model("@Attribute(.unique, .transformble(by: \"X\")) var a = 1"),
      [
        "2:23 @Attribute has no option '.transformble'; did you mean '.transformable'?"
      ]
    )
    expectComplaints(
      model("@Relationship(.Cascade) var a: Item?"),
      [
        "2:17 @Relationship has no option '.Cascade'; did you mean '.cascade'?"
      ]
    )
    try expectRemedy(
      model("@Attribute(.uniqe) var a = 1"),
      "write '.unique'",
      model("@Attribute(.unique) var a = 1")
    )
    try expectRemedy(
      model("@Attribute(.transformble(by: \"X\")) var a = 1"),
      "write '.transformable'",
      model("@Attribute(.transformable(by: \"X\")) var a = 1")
    )
  }

  @Test("An option of the other annotation is refused.")
  func optionsOfOther() {
    expectComplaints(
      model("@Attribute(.cascade) var a = 1"),
      [
        "2:14 '.cascade' is an option of @Relationship, not of @Attribute."
      ]
    )
    expectComplaints(
      model("@Relationship(.externalStorage) var a: Item?"),
      [
        "2:17 '.externalStorage' is an option of @Attribute, not of @Relationship."
      ]
    )
  }

  @Test("An option that an application may have defined is accepted.")
  func ownOptions() {
    expectComplaints(model("@Attribute(.encryptedByUs) var a = 1"), [])
    expectComplaints(model("@Attribute(Options.uniqe) var a = 1"), [])
    expectComplaints(model("@Attribute(Schema.Attribute.Option.unique) var a = 1"), [])
    for rule in ["cascade", "nullify", "deny", "noAction", "unique"] {
      expectComplaints(model("@Relationship(.\(rule)) var a: Item?"), [])
    }
  }

  @Test("#Unique and #Index outside a model are refused.", arguments: ["Unique", "Index"])
  func constraintOutside(name: String) {
    let sentence =
      "#\(name) must be inside the class to which it applies, and that class must be "
      + "marked @Model; move #\(name) into that class."
    expectComplaints("#\(name)<Trip>([\\.name])", ["1:1 \(sentence)"])
    expectComplaints("class Trip { #\(name)<Trip>([\\.name]) }", ["1:14 \(sentence)"])
  }

  @Test("#Unique for another class is refused.")
  func constraintForOther() throws {
    expectComplaints(
      model("#Unique<Item>([\\.name])"),
      [
        "2:11 #Unique inside 'Trip' can only apply to 'Trip'; write '#Unique<Trip>', or "
          + "move it into 'Item'."
      ]
    )
    expectComplaints(model("#Unique<V1.Trip>([\\.name]); var name = 1"), [])
    expectComplaints(model("#Unique([\\Trip.name]); var name = 1"), [])
    try expectRemedy(
      model("#Index<Item>([\\.name])"),
      "write 'Trip'",
      model("#Index<Trip>([\\.name])")
    )
  }

  @Test("#Unique and #Index without a name are refused.")
  func emptyConstraints() {
    expectComplaints(
      model("#Unique<Trip>()"),
      [
        "2:3 #Unique names no properties; list them as key paths: "
          + "'#Unique<…>([\\.name])'."
      ]
    )
    expectComplaints(
      model("#Index<Trip>([\\.a], []); var a = 1"),
      [
        "2:23 This list of #Index is empty; add key paths to it, or remove it."
      ]
    )
    expectComplaints(
      model("#Index<Trip>(.binary([]))"),
      [
        "2:16 This list of #Index is empty; add key paths to it, or remove it."
      ]
    )
  }

  @Test("#Unique twice in one model is refused.")
  func repeatedConstraints() {
    expectComplaints(
      model("#Unique<Trip>([\\.a]); #Unique<Trip>([\\.b]); var a = 1; var b = 1"),
      [
        "2:25 A model can have only one #Unique; put all lists in the first #Unique, separated by "
          + "commas."
      ]
    )
    expectComplaints(
      model("#Unique<Trip>([\\.a]); #Index<Trip>([\\.b]); var a = 1; var b = 1"),
      []
    )
  }

  @Test("#Unique and #Index over a property that is not stored are refused.")
  func constraintsOnUnstored() {
    expectComplaints(
      model("#Unique<Trip>([\\.a, \\.b]); var a = 1; @Transient var b = 1"),
      [
        "2:23 #Unique applies to stored properties, but 'b' is not stored; "
          + "remove it from the list."
      ]
    )
    expectComplaints(
      model("#Index<Trip>(.binary([\\Trip.b])); var b: Int { 1 }"),
      [
        "2:25 #Index applies to stored properties, but 'b' is not stored; "
          + "remove it from the list."
      ]
    )
  }

  @Test("#Unique and #Index over a property that does not exist are refused, with a suggestion.")
  func constraintsOnUnknown() {
    expectComplaints(
      model("#Unique<Trip>([\\.nmae, \\.count]); var name = 1; var count = 2"),
      [
        "2:18 #Unique names 'nmae', but 'Trip' has no stored property of this name; did you mean 'name'?"
      ]
    )
    expectComplaints(
      model("#Index<Trip>(.binary([\\Trip.other])); var name = 1; static var other = 2"),
      [
        "2:25 #Index names 'other', but 'Trip' has no stored property of this name; name one of its stored "
          + "properties."
      ]
    )
    expectComplaints(model("#Index<Trip>([\\.id], [\\.owner?.name]); var owner: Trip?"), [])
    expectComplaints(
      "@Model final class Taxi: Trip {\n  #Index<Taxi>([\\.inherited])\n  init() {}\n}",
      [],
      missing: []
    )
  }
}
