import Testing

@Suite("Misused annotations")
struct AnnotationMisuseTests {
  private func model(_ members: String) -> String {
    "@Model final class Trip {\n  \(members)\n  init() {}\n}"
  }

  private func misplaced(_ name: String) -> String {
    "@\(name) has no effect here; put it on a stored property of a class that is marked @Model, or "
      + "remove it."
  }

  private func wrong(_ name: String) -> String {
    "#\(name) can be inside a class that is marked @Model, once, with lists of key paths of the "
      + "class's own stored properties: '#\(name)<…>([\\.name], [\\.city, \\.street])'."
  }

  @Test(
    "An annotation of a property that is not stored is refused.",
    arguments: [
      ("@Relationship var a: Trip? { nil }", "Relationship"),
      ("@Relationship static var a: Trip?", "Relationship"),
      ("@Attribute @Transient var a = 1", "Attribute"), ("@Attribute func a() {}", "Attribute"),
    ]
  )
  func unstored(member: String, name: String) throws {
    expectComplaints(model(member), ["2:3 \(misplaced(name))"])
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
    #expect(complaint.description == "2:3 \(misplaced("Attribute"))")
    #expect(expansion.text.contains("keypath: \\Trip.b") && !expansion.text.contains("\\Trip.a"))
  }

  @Test("An annotation outside a model is refused.", arguments: ["Attribute", "Relationship"])
  func outside(name: String) {
    expectComplaints("struct Trip { @\(name) var a = 0 }", ["1:15 \(misplaced(name))"])
    #expect(expand("@\(name) var a = 0").complaints.count == 1)
    #expect(expand("class Trip { @\(name) var a = 0 }").complaints.count == 1)
  }

  @Test("@Transient outside a model is only a warning, and allowed in any extension.")
  func transientOutside() throws {
    let complaint = try #require(expand("struct Trip { @Transient var a = 0 }").complaints.first)
    #expect(!complaint.isError)
    #expect(complaint.description == "1:15 \(misplaced("Transient"))")
    let expansion = expand("extension Trip { @Transient var total: Double { 0 } }")
    #expect(expansion.complaints.isEmpty)
    #expect(expansion.text.hasPrefix("extension Trip { var total: Double { 0 }"))
    #expect(expand("@Transient func a() {}").complaints.map(\.isError) == [true])
  }

  @Test(
    "Annotations and arguments that exclude each other are refused.",
    arguments: [
      ("@Attribute(.unique) @Relationship var a: Trip?", 23),
      ("@Relationship @Relationship(.cascade) var a: Trip?", 17),
      ("@Attribute(originalName: \"b\") @Attribute(.unique, originalName: \"c\") var a = 1", 53),
    ]
  )
  func contradictions(member: String, column: Int) {
    expectComplaints(
      model(member),
      [
        "2:\(column) 'a' can have one @Relationship, or @Attribute with one value for each "
          + "argument; remove this."
      ]
    )
  }

  @Test(
    "A relationship to a type that can't be a model is refused.",
    arguments: [
      ("a: Int", "Int"), ("a: String?", "String"), ("a: [UUID]", "UUID"), ("a: [Date]?", "Date"),
      ("a: Optional<Double>", "Double"), ("a: Array<Bool>", "Bool"), ("a: Set<URL>", "URL"),
      ("a: Foundation.Data?", "Data"), ("a = 1", "Int"), ("a = 1.5", "Double"),
      ("a = \"\"", "String"), ("a = true", "Bool"), ("a: [String: Item]", "a dictionary"),
      ("a: Dictionary<String, Item>?", "a dictionary"),
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

  @Test(
    "A relationship to a type that may be a model is accepted.",
    arguments: ["Item", "Item?", "[Item]", "[Item]?", "Set<Item>", "V1.Item", "Array<V1.Item>"]
  )
  func relationshipToModel(type: String) {
    expectComplaints(model("@Relationship var a: \(type)"), [])
  }

  @Test(
    "#Unique and #Index at a wrong place or with wrong lists are refused.",
    arguments: [
      ("#Unique<Item>([\\.name])", 11), ("#Unique<Trip>()", 3),
      ("#Unique<Trip>([\\.a], []); var a = 1", 24), ("#Unique<Trip>(.binary([]))", 17),
      ("#Unique<Trip>([\\.a]); #Unique<Trip>([\\.b]); var a = 1; var b = 1", 25),
      ("#Unique<Trip>([\\.a, \\.b]); var a = 1; @Transient var b = 1", 23),
      ("#Unique<Trip>(.binary([\\Trip.b])); var b: Int { 1 }", 26),
      ("#Unique<Trip>([\\.nmae, \\.count]); var name = 1; var count = 2", 18),
      ("#Unique<Trip>(.binary([\\Trip.other])); var name = 1; static var other = 2", 26),
    ]
  )
  func constraints(member: String, column: Int) {
    expectComplaints(model(member), ["2:\(column) \(wrong("Unique"))"])
  }

  @Test("#Unique and #Index outside a model are refused.", arguments: ["Unique", "Index"])
  func constraintOutside(name: String) {
    expectComplaints("#\(name)<Trip>([\\.name])", ["1:1 \(wrong(name))"])
    expectComplaints("class Trip { #\(name)<Trip>([\\.name]) }", ["1:14 \(wrong(name))"])
  }

  @Test(
    "#Unique and #Index over properties that may exist are accepted.",
    arguments: [
      "#Unique<V1.Trip>([\\.name]); var name = 1", "#Unique([\\Trip.name]); var name = 1",
      "#Unique<Trip>([\\.a]); #Index<Trip>([\\.b]); var a = 1; var b = 1",
      "#Index<Trip>([\\.id], [\\.owner?.name]); var owner: Trip?",
    ]
  )
  func acceptedConstraints(member: String) {
    expectComplaints(model(member), [])
    expectComplaints(
      "@Model final class Taxi: Trip {\n  #Index<Taxi>([\\.inherited])\n  init() {}\n}",
      [],
      missing: []
    )
  }
}
