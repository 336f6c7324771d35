import Testing

@Suite("Details of the expansion of @Model")
struct ModelDetailTests {
  /// The expansion on one line with single blanks, for searching parts of it.
  private func expanded(
    _ source: String,
    missing: [String] = ["PersistentModel", "_ModelRoot", "Sendable"],
    languageMode: Int = 6,
    conditions: Set<String> = []
  ) -> String {
    let configuration = buildConfiguration(languageMode: languageMode, conditions: conditions)
    let expansion = expand(source, missing: missing, configuration: configuration)
    #expect(expansion.complaints.map(\.description) == [])
    return expansion.text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
  }

  @Test("A property has the position that it has under the conditions of this build.")
  func conditions() {
    let source = """
      @Model final class Trip {
        #if FIRST
        var first = 1
        #else
        var other = 1
        var another = 1
        #endif
        var last = 1
        init() {}
      }
      """
    let with = expanded(source, conditions: ["FIRST"])
    #expect(with.contains("@SwiftData._PersistedProperty(1) var last"))
    #expect(with.contains("name: \"first\""))
    #expect(!with.contains("name: \"other\""))
    let without = expanded(source)
    #expect(without.contains("@SwiftData._PersistedProperty(2) var last"))
    #expect(without.contains("name: \"another\""))
    #expect(!without.contains("name: \"first\""))
  }

  @Test("Constants are stored if the language mode allows it.")
  func constants() {
    let text = expanded(
      "@Model final class Trip {\n  let id: Int\n  init() {}\n}",
      languageMode: 5
    )
    #expect(text.contains("@SwiftData._PersistedProperty(0) let id"))
    #expect(text.contains("_id = SwiftData._SwiftDataNoType()"))
  }

  @Test("A conformance that the class already has is not repeated.")
  func conformances() {
    let source = "@Model final class Trip { init() {} }"
    let sendable = expanded(source, missing: ["PersistentModel", "_ModelRoot"])
    #expect(!sendable.contains("unavailable"))
    let refined = expanded(source, missing: ["_ModelRoot", "Sendable"])
    #expect(refined.contains("extension Trip: nonisolated SwiftData._ModelRoot {"))
    #expect(refined.contains("typealias Root = Trip"))
    let child = expanded(source, missing: [])
    #expect(!child.contains("extension"))
    #expect(!child.contains("typealias"))
  }

  @Test("A class called Root is referred to by its module.")
  func root() {
    let text = expanded("@Model final class Root { init() {} }")
    #expect(text.contains("typealias Root = App.Root"))
    #expect(text.contains("any SwiftData.BackingData<App.Root>"))
  }

  @Test("A deprecated property is listed without a warning.")
  func deprecated() {
    let text = expanded(
      "@Model final class Trip { @available(*, deprecated) var old = 1; init() {} }"
    )
    #expect(
      text.contains(
        "@available(*, deprecated, message: \"For SwiftData alone.\") private static func"
      )
    )
    let other = expanded("@Model final class Trip { @available(macOS 14, *) var a = 1; init() {} }")
    #expect(!other.contains("deprecated"))
  }

  @Test("Members have the access level of the class.", arguments: ["public", "package"])
  func visibility(level: String) {
    let text = expanded("@Model \(level) class Trip { init() {} }")
    for member in [
      "nonisolated \(level) var _$state", "\(level) typealias Root",
      "nonisolated \(level) class var schemaMetadata", "nonisolated \(level) required init(",
    ] {
      #expect(text.contains(member), "no \(member)")
    }
    let hidden = expanded("@Model private class Trip { private(set) var a = 1; init() {} }")
    #expect(hidden.contains("nonisolated var _$state"))
  }

  @Test("The default of an implicitly unwrapped optional is an optional.")
  func implicitlyUnwrapped() {
    let text = expanded("@Model final class Trip { var a: Int! = 1; init() {} }")
    #expect(text.contains("defaultValue: (1) as Int?"))
  }

  @Test("Names with a blank or a quote are correct as names and in source text.")
  func oddNames() {
    let text = expanded("@Model final class Trip { var `a b` = 1; init() {} }")
    #expect(text.contains("name: \"a b\""))
    #expect(text.contains("keypath: \\Trip.`a b`"))
    #expect(text.contains("`_a b` = SwiftData._SwiftDataNoType()"))
  }

  @Test("Annotations with qualified names are recognised.")
  func qualifiedNames() {
    let text = expanded(
      "@SwiftData.Model final class Trip { @SwiftData.Transient var a = 1; init() {} }"
        .replacing("@SwiftData.Model", with: "@Model")
    )
    #expect(!text.contains("_PersistedProperty"))
  }

  @Test("Several @Attribute on one property become one with the options of all.")
  func severalAttributes() {
    let text = expanded(
      """
      @Model final class Trip {
        @Attribute(.unique, originalName: "title") @Attribute(.spotlight, hashModifier: "2")
        var name = ""
        init() {}
      }
      """
    )
    #expect(
      text.contains(
        "metadata: SwiftData._attribute(SwiftData.Schema.Attribute("
          + #".unique, .spotlight, originalName: "title", hashModifier: "2")"#
      )
    )
  }

  @Test("A static property may have the name of a stored one.")
  func staticNames() {
    let text = expanded(
      """
      @Model final class Filter {
        static let kind = "user"
        var kind: String = Filter.kind
        init() {}
      }
      """
    )
    #expect(text.contains("@SwiftData._PersistedProperty(0) var kind: String"))
    #expect(text.ranges(of: "_PersistedProperty").count == 1)
  }

  @Test("Members that are not stored are left as they are.")
  func otherMembers() {
    let text = expanded(
      """
      @Model final class Trip {
        static var shared: Int { 1 }
        class var other: Int { 1 }
        var computed: Int { 1 }
        var both: Int { get { 1 } set {} }
        var coroutine: Int { _read { yield 1 } }
        @Transient var transient = 1
        init() {}
        func method() { var local = 1; local += 1 }
        struct Inner { var stored = 1 }
        deinit {}
      }
      """
    )
    #expect(!text.contains("_PersistedProperty"))
    #expect(text.contains("[SwiftData.Schema.PropertyMetadata] { [] }"))
  }
}
