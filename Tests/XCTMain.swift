import Glibc
import Testing
import XCTest

@_silgen_name("$ss13_runAsyncMainyyyyYaKcF")
private func runAsyncMain(_ body: @Sendable @escaping () async throws -> Void)

/// Runs the tests.
///
/// SwiftPM would generate such a file with an index of all code, which takes a twentieth of the
/// build and only finds XCTest tests. This package has none.
@main
enum Main {
  static func main() {
    let arguments = CommandLine.arguments.dropFirst()
    let isChosen = zip(arguments, arguments.dropFirst()).contains {
      $0 == "--testing-library" && $1 == "swift-testing"
    }
    // If this file exists, "swift test" also runs it for XCTest tests only.
    if isChosen || arguments.isEmpty {
      runAsyncMain { await Testing.__swiftPMEntryPoint() as Never }
    }
    if arguments.contains(where: { $0.hasPrefix("-") }) { XCTMain([]) as Never }
    // The filter of "swift test" is not passed on here.
    let message = """
      No test was run, because there are no XCTest tests. To run some tests: \
      swift test --disable-xctest --enable-swift-testing --filter … \
      (or Tools/run-tests …, after make build).

      """
    write(STDERR_FILENO, message, message.utf8.count)
    exit(1)
  }
}
