import SwiftData

// Classes in the shapes that applications use: access levels, nesting, actors.

// Types of an application may have the names of SwiftData's.
private struct Schema {}
private struct Index {}
private struct Unique {}

enum ShapedSchemaV1 {
  @Model final class Trip {
    var name: String
    @Relationship(deleteRule: .cascade, inverse: \Stop.trip) var stops: [Stop] = []
    init(name: String) { self.name = name }
  }

  @Model final class Stop {
    var place: String
    var trip: Trip?
    init(place: String) { self.place = place }
  }
}

enum ShapedSchemaV2 {
  @Model final class Trip {
    @Attribute(originalName: "name") var title: String
    init(title: String) { self.title = title }
  }
}

extension ShapedSchemaV2 {
  @Model final class Stop {
    var place: String
    var number: Int
    init(place: String, number: Int) {
      self.place = place
      self.number = number
    }
  }
}

/// A model that is public.
@Model public final class ShapedPublic {
  /// The name of the model.
  public var name: String
  /// The number of its parts.
  public internal(set) var count = 0
  var hidden: Int?
  /// Other models of its kind.
  @Relationship public var friends: [ShapedPublic] = []
  /// Creates a model.
  public init(name: String) { self.name = name }
}

@Model open class ShapedOpen {
  open var name: String
  /// Creates a model.
  public init(name: String) { self.name = name }
}

@Model open class ShapedOpenChild: ShapedOpen {
  open var level: Int
  /// Creates a model.
  public init(level: Int) {
    self.level = level
    super.init(name: "child")
  }
}

@Model package final class ShapedPackage {
  package var name: String
  package init(name: String) { self.name = name }
}

@Model private final class ShapedPrivate {
  var name: String
  init(name: String) { self.name = name }
}

@Model fileprivate class ShapedFileprivate {
  var name: String
  init(name: String) { self.name = name }
}

@available(macOS 14, iOS 17, *)
@Model
final class ShapedAvailable {
  var name: String
  @available(*, deprecated, message: "Use name.") var oldName: String?
  init(name: String) { self.name = name }
}

@MainActor @Model final class ShapedOnMain {
  var name: String
  var date: Date? = .now
  @Relationship(inverse: \ShapedAlsoOnMain.partner) var partners: [ShapedAlsoOnMain] = []
  init(name: String) { self.name = name }
  func rename() { name += "!" }
}

@Model @MainActor class ShapedAlsoOnMain {
  var partner: ShapedOnMain?
  init(partner: ShapedOnMain?) { self.partner = partner }
}

@globalActor actor ShapedWorld {
  static let shared = ShapedWorld()
}

@ShapedWorld @Model final class ShapedInWorld {
  var name: String
  init(name: String) { self.name = name }
}

// Names that generated code uses.
@Model private final class Root {
  var name: String
  var root: Root?
  init(name: String) { self.name = name }
}

@Model private final class Observation {
  var value: Double
  init(value: Double) { self.value = value }
}

@Model private final class Attribute {
  var value: Double
  init(value: Double) { self.value = value }
}

@Model private class `Protocol` {
  var value: Double
  init(value: Double) { self.value = value }
}

@Model final class ShapedConditional {
  var before = 1
  #if os(Linux)
  var onLinux: Int
  #else
  var elsewhere: String
  #endif
  #if SHAPES_NEVER
  var never: Int
  #elseif DEBUG || !DEBUG
  #if os(Linux) || os(macOS)
  var nested: String?
  #endif
  #endif
  var after = 2

  init(onLinux: Int) {
    #if os(Linux)
    self.onLinux = onLinux
    #endif
  }
}
