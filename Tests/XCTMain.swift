import Glibc
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
    let arguments = CommandLine.arguments.dropFirst()
    let isChosen = zip(arguments, arguments.dropFirst()).contains {
      $0 == "--testing-library" && $1 == "swift-testing"
    }
    // "swift test" asks for tests of XCTest alone where there is such a file.
    if isChosen || arguments.isEmpty {
      runAsyncMain { await Testing.__swiftPMEntryPoint() as Never }
    }
    if arguments.contains(where: { $0.hasPrefix("-") }) { XCTMain([]) as Never }
    // It was given a filter, of which it tells nothing here.
    let message = """
      No test was run, because none is of XCTest. To choose some: \
      swift test --disable-xctest --enable-swift-testing --filter … \
      (or Tools/run-tests …, after make build).

      """
    write(STDERR_FILENO, message, message.utf8.count)
    exit(1)
  }
}
