import SwiftDataMacroExpansion
import SwiftDiagnostics
import SwiftIfConfig
import SwiftParser
import SwiftSyntax
import SwiftSyntaxMacroExpansion
import SwiftSyntaxMacros
import Testing

/// The result of expanding a piece of source: the new source and the diagnostics.
struct Expansion {
  /// A diagnostic with its place.
  struct Complaint: CustomStringConvertible {
    let line: Int
    let column: Int
    let message: String
    let isError: Bool
    /// The message of each fix-it, and the whole source after it.
    let remedies: [(message: String, result: String)]

    var description: String { "\(line):\(column) \(message)" }
  }

  let text: String
  let complaints: [Complaint]
}

/// The facts of a build that the compiler gives to a macro.
func buildConfiguration(
  languageMode: Int = 6,
  conditions: Set<String> = []
) -> StaticBuildConfiguration {
  StaticBuildConfiguration(
    customConditions: conditions,
    targetOSs: ["Linux"],
    targetArchitectures: ["x86_64"],
    languageVersion: VersionTuple(languageMode),
    compilerVersion: VersionTuple(6, 3)
  )
}

/// Expands all macros of the module in a piece of source.
///
/// - Parameters:
///   - source: The source.
///   - missing: The conformances that the class does not have yet, as the compiler reports; none for a
///     subclass of a model.
///   - configuration: The facts of the build that the compiler gives to the macros.
/// - Returns: The source after the expansion, and the diagnostics.
func expand(
  _ source: String,
  missing: [String] = ["PersistentModel", "_ModelRoot", "Sendable", "ModelActor"],
  configuration: StaticBuildConfiguration? = buildConfiguration()
) -> Expansion {
  let file = Parser.parse(source: source)
  let all = BasicMacroExpansionContext(
    sourceFiles: [file: .init(moduleName: "App", fullFilePath: "/App/Models.swift")],
    buildConfiguration: configuration
  )
  let conformances: [TypeSyntax] = missing.map { "\(raw: $0)" }
  let macros: [String: any Macro.Type] = [
    "Model": ModelMacro.self, "_PersistedProperty": PersistedPropertyMacro.self,
    "Attribute": AttributeMacro.self, "Relationship": RelationshipMacro.self,
    "Transient": TransientMacro.self, "Unique": UniqueMacro.self, "Index": IndexMacro.self,
    "ModelActor": ModelActorMacro.self, "Predicate": PredicateMacro.self,
    "Expression": PredicateMacro.self,
  ]
  let expanded = file.expand(
    macroSpecs: macros.mapValues { MacroSpec(type: $0, conformances: conformances) },
    contextGenerator: { node in
      BasicMacroExpansionContext(sharingWith: all, lexicalContext: lexicalContext(of: node))
    },
    indentationWidth: .spaces(2)
  )
  let complaints = all.diagnostics.map { complaint($0, in: file, all) }
  return Expansion(text: expanded.description, complaints: complaints)
}

/// The declarations around a node, without their members, as the compiler passes them to a macro.
private func lexicalContext(of node: Syntax) -> [Syntax] {
  var found: [Syntax] = []
  var parent = node.parent
  while let here = parent {
    if let type = here.asProtocol((any DeclGroupSyntax).self) {
      var bare = type.detached
      bare.memberBlock = MemberBlockSyntax(members: [])
      found.append(Syntax(bare))
    } else if let function = here.as(FunctionDeclSyntax.self) {
      found.append(Syntax(function.detached.with(\.body, nil)))
    }
    parent = here.parent
  }
  return found
}

private func complaint(
  _ diagnostic: Diagnostic,
  in file: SourceFileSyntax,
  _ context: BasicMacroExpansionContext
) -> Expansion.Complaint {
  let place = context.location(
    for: diagnostic.position,
    anchoredAt: diagnostic.node,
    fileName: "Models.swift"
  )
  let remedies = diagnostic.fixIts.map { fixIt in
    (fixIt.message.message, applied(fixIt, to: file, context))
  }
  return Expansion.Complaint(
    line: place.line,
    column: place.column,
    message: diagnostic.message,
    isError: diagnostic.diagMessage.severity == .error,
    remedies: remedies
  )
}

/// The source after an editor has applied a fix-it.
private func applied(
  _ fixIt: FixIt,
  to file: SourceFileSyntax,
  _ context: BasicMacroExpansionContext
) -> String {
  var text = Array(file.description.utf8)
  // From the end to the beginning, so that the positions of earlier changes stay valid.
  for change in fixIt.changes.sorted(by: { start(of: $0) > start(of: $1) }) {
    guard case .replace(let old, let new) = change else { continue }
    // The node belongs to a detached copy of its declaration, so it is found by its position.
    let place = context.location(for: old.position, anchoredAt: old, fileName: "Models.swift")
    let converter = SourceLocationConverter(fileName: "Models.swift", tree: file)
    let start = converter.position(ofLine: place.line, column: place.column).utf8Offset
    text.replaceSubrange(start..<start + old.totalLength.utf8Length, with: new.description.utf8)
  }
  return String(decoding: text, as: UTF8.self)
}

private func start(of change: FixIt.Change) -> Int {
  guard case .replace(let old, _) = change else { return 0 }
  return old.position.utf8Offset
}

/// Expects this expansion of the source, without diagnostics.
func expectExpansion(
  _ source: String,
  _ expected: String,
  missing: [String] = ["PersistentModel", "_ModelRoot", "Sendable", "ModelActor"],
  configuration: StaticBuildConfiguration? = buildConfiguration(),
  sourceLocation: Testing.SourceLocation = #_sourceLocation
) {
  let expansion = expand(source, missing: missing, configuration: configuration)
  #expect(expansion.complaints.map(\.description) == [], sourceLocation: sourceLocation)
  #expect(
    lines(expansion.text) == lines(expected),
    "the expansion is\n\(expansion.text)",
    sourceLocation: sourceLocation
  )
}

/// Expects these diagnostics of the source, each as `line:column sentence`.
@discardableResult
func expectComplaints(
  _ source: String,
  _ expected: [String],
  missing: [String] = ["PersistentModel", "_ModelRoot", "Sendable", "ModelActor"],
  configuration: StaticBuildConfiguration? = buildConfiguration(),
  sourceLocation: Testing.SourceLocation = #_sourceLocation
) -> Expansion {
  let expansion = expand(source, missing: missing, configuration: configuration)
  #expect(
    expansion.complaints.map(\.description) == expected,
    sourceLocation: sourceLocation
  )
  #expect(expansion.complaints.allSatisfy { $0.isError }, sourceLocation: sourceLocation)
  return expansion
}

/// Expects that the first diagnostic has a fix-it, and this source after applying it.
func expectRemedy(
  _ source: String,
  _ message: String,
  _ expected: String,
  sourceLocation: Testing.SourceLocation = #_sourceLocation
) throws {
  let complaint = try #require(expand(source).complaints.first, sourceLocation: sourceLocation)
  let remedy = complaint.remedies.first { $0.message == message }
  let found = try #require(
    remedy,
    "there are only \(complaint.remedies.map(\.message))",
    sourceLocation: sourceLocation
  )
  #expect(found.result == expected, sourceLocation: sourceLocation)
}

/// The lines of a text that are not blank, without trailing blanks.
private func lines(_ text: String) -> [String] {
  text.split(whereSeparator: \.isNewline)
    .map { line in String(line.reversed().drop(while: \.isWhitespace).reversed()) }
    .filter { !$0.isEmpty }
}
