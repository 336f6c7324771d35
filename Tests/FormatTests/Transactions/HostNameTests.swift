import Foundation
import Testing

@testable import Format

@Suite("The name of this machine")
struct HostNameTests {
  @Test("The host's name is the one that the kernel has.")
  func name() throws {
    let kernel = try String(contentsOfFile: "/proc/sys/kernel/hostname", encoding: .utf8)
    #expect(hostName == kernel.trimmingCharacters(in: .newlines))
  }
}
