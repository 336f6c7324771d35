import Testing
import XCTest

@_silgen_name("$ss13_runAsyncMainyyyyYaKcF")
private func runAsyncMain(_ body: @Sendable @escaping () async throws -> Void)

/// Runs the tests.
///
/// SwiftPM would make such a file itself, by an index of all code that takes a twentieth of the
/// build, and only to find tests of XCTest, of which there are none.
@main
enum Main {
  static func main() {
    let arguments = CommandLine.arguments
    let isChosen = zip(arguments, arguments.dropFirst()).contains {
      $0 == "--testing-library" && $1 == "swift-testing"
    }
    if isChosen { runAsyncMain { await Testing.__swiftPMEntryPoint() as Never } }
    // "swift test" asks XCTest too.
    XCTMain([]) as Never
  }
}
