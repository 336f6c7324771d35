import SwiftSyntax
import SwiftSyntaxBuilder

/// The observers `willSet` and `didSet` of a persisted property.
///
/// Swift does not call the observers of a property that a macro makes computed, so the generated
/// setter runs their bodies.
struct PropertyObservers {
  private let property: ModelProperty
  private let willSet: AccessorDeclSyntax?
  private let didSet: AccessorDeclSyntax?

  /// Reads the observers of a property; nil if it has none.
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

  /// A variable that records that an observer is running, so that a write by the observer does not
  /// call the observer again.
  var flag: DeclSyntax {
    "nonisolated(unsafe) private var \(raw: flagName) = false"
  }

  /// The generated setter: it runs `willSet`, writes the value, and runs `didSet`.
  func setter(writing write: String) -> AccessorDeclSyntax {
    var lines = [
      "func _$write() {\n\(write)\n}",
      "if \(flagName) {\n_$write()\nreturn\n}",
      "\(flagName) = true\ndefer {\n\(flagName) = false\n}",
    ]
    // Like Swift, the setter reads the old value before `willSet`.
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

  /// Whether an observer uses the old value; as in Swift, the old value is read only if necessary.
  private func needsOldValue(_ observer: AccessorDeclSyntax) -> Bool {
    if observer.parameters != nil { return true }
    return observer.body?.tokens(viewMode: .sourceAccurate).contains { $0.text == "oldValue" }
      ?? false
  }

  /// A function for an observer inside the setter, so that `return` ends only the observer.
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
