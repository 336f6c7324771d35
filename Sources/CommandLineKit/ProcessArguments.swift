import Glibc

/// The arguments of the process, with the program's name.
///
/// Swift's `CommandLine` finds the arguments by the place of the environment in memory. If a
/// preloaded library such as libfaketime has called `setenv`, `CommandLine` finds no arguments. The
/// arguments that the system provides do not depend on the environment.
package func processArguments() -> [String] {
  let descriptor = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC)
  guard descriptor >= 0 else { return CommandLine.arguments }
  defer { close(descriptor) }
  var bytes: [UInt8] = []
  var chunk = [UInt8](repeating: 0, count: 1 << 16)
  while true {
    let count = read(descriptor, &chunk, chunk.count)
    if count < 0, errno == EINTR { continue }
    guard count > 0 else { break }
    bytes += chunk[..<count]
  }
  // In `/proc/self/cmdline`, each argument ends with a zero byte.
  return bytes.split(separator: 0, omittingEmptySubsequences: false).dropLast()
    .map { String(decoding: $0, as: UTF8.self) }
}
