import Foundation
import Testing

@Suite("The Python package", .enabled(if: installed("python3") != nil, "no python3"))
struct PythonPackageTests {
  @Test(
    "Scripts name the author of their changes, and read the values of logs and stores.",
    arguments: ["author", "document", "reading"]
  )
  func core(subject: String) throws {
    let done = try run(
      try #require(installed("python3")),
      ["-B", packageRoot.appending(path: "Tests/Python/test_core_\(subject).py").path],
      environment: [
        "PATH": "/usr/bin:/bin",
        "TRAVELOG": products + "/travelog",
        "TRIPS": products + "/trips",
      ]
    )
    #expect(done.code == 0, "\(done.errors)")
  }
}
