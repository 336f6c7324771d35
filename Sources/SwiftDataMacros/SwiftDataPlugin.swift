@_spi(PluginMessage) import SwiftCompilerPluginMessageHandling
import SwiftDataMacroExpansion
import SwiftSyntaxMacros

/// Answers the compiler's requests, which arrive on standard input, until the input ends.
@main
struct SwiftDataPlugin: PluginProvider {
  private struct UnknownMacro: Error, CustomStringConvertible {
    let description: String
  }

  static func main() throws {
    let connection = try StandardIOMessageConnection()
    try CompilerPluginMessageListener(connection: connection, provider: SwiftDataPlugin()).main()
  }

  func resolveMacro(moduleName: String, typeName: String) throws -> any Macro.Type {
    guard let macro = swiftDataMacros[typeName] else {
      throw UnknownMacro(
        description:
          "The plugin SwiftDataMacros has no macro \(typeName). Build the package again; "
          + "the module SwiftData and its plugin are of different versions."
      )
    }
    return macro
  }
}
