import SwiftSyntax
import SwiftSyntaxBuilder

/// The `willSet` and `didSet` of a persisted property.
///
/// Swift drops them when a macro makes the property computed, so the generated setter runs their
/// bodies.
struct PropertyObservers {
  private let property: ModelProperty
  private let willSet: AccessorDeclSyntax?
  private let didSet: AccessorDeclSyntax?

  /// Nil for a property without observers.
  init?(_ property: ModelProperty) {
    guard case .accessors(let accessors) = property.binding.accessorBlock?.accessors else {
      return nil
    }
    let observers = accessors.filter(ModelProperty.isObserver)
    guard !observers.isEmpty else { return nil }
    self.property = property
    willSet = observers.first { $0.accessorSpecifier.tokenKind == .keyword(.willSet) }
    didSet = observers.first { $0.accessorSpecifier.tokenKind == .keyword(.didSet) }
  }

  private var flagName: String { spelled("_$observing_\(property.name)") }

  /// Whether an observer is running, whose own writes are not observed.
  var flag: DeclSyntax {
    "nonisolated(unsafe) private var \(raw: flagName) = false"
  }

  /// The setter: `willSet`, the write, `didSet`.
  func setter(writing write: String) -> AccessorDeclSyntax {
    var lines = [
      "func _$write() {\n\(write)\n}",
      "if \(flagName) {\n_$write()\nreturn\n}",
      "\(flagName) = true\ndefer {\n\(flagName) = false\n}",
    ]
    // Swift also reads the old value first.
    if let didSet, needsOldValue(didSet) {
      lines.append("let _$old = self.\(property.reference)")
    }
    if let willSet {
      lines.append(
        function("_$willSet", observer: willSet, standard: "newValue", source: "newValue")
      )
      lines.append("_$willSet()")
    }
    lines.append("_$write()")
    if let didSet {
      lines.append(function("_$didSet", observer: didSet, standard: "oldValue", source: "_$old"))
      lines.append("_$didSet()")
    }
    return """
      set {
        \(raw: lines.joined(separator: "\n"))
      }
      """
  }

  /// As in Swift, the old value is read only for an observer that uses it.
  private func needsOldValue(_ observer: AccessorDeclSyntax) -> Bool {
    if observer.parameters != nil { return true }
    return observer.body?.tokens(viewMode: .sourceAccurate).contains { $0.text == "oldValue" }
      ?? false
  }

  /// A function inside the setter, so that `return` leaves only the observer.
  private func function(
    _ name: String,
    observer: AccessorDeclSyntax,
    standard: String,
    source: String
  ) -> String {
    let parameter = observer.parameters?.name.text ?? standard
    var body = ""
    if parameter != source, standard == "newValue" || needsOldValue(observer) {
      body = "let \(parameter) = \(source)\n_ = \(parameter)\n"
    }
    body += observer.body?.statements.trimmedDescription ?? ""
    return "func \(name)() {\n\(body)\n}"
  }
}
