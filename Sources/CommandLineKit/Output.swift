import Glibc
import Synchronization

/// The other end of a pipe was closed: nobody reads on, and that is no failure.
package struct ClosedPipe: Error {}

/// A stream that a program writes to: data to standard output, messages to standard error.
package final class Output: Sendable {
  /// How words are set off.
  package let style: Style
  /// Whether somebody looks at it.
  package let isTerminal: Bool
  private let descriptor: Int32
  private let buffer: Mutex<[UInt8]>
  private let room: Int

  /// Makes a stream; it writes when `room` bytes are waiting, and at ``flush()``.
  package init(descriptor: Int32, room: Int = 0, style: Style = .plain) {
    self.descriptor = descriptor
    self.room = room
    self.style = style
    isTerminal = isatty(descriptor) == 1
    buffer = Mutex([])
  }

  package func write(_ text: String) throws {
    try write(bytes: text.utf8)
  }

  package func writeLine(_ text: String = "") throws {
    try write(text + "\n")
  }

  package func write(bytes: some Sequence<UInt8>) throws {
    try buffer.withLock { buffer in
      buffer.append(contentsOf: bytes)
      if buffer.count > room { try drain(&buffer) }
    }
  }

  package func flush() throws {
    try buffer.withLock { try drain(&$0) }
  }

  private func drain(_ buffer: inout [UInt8]) throws {
    defer { buffer.removeAll(keepingCapacity: true) }
    var written = 0
    while written < buffer.count {
      let count = buffer.withUnsafeBytes { bytes in
        Glibc.write(descriptor, bytes.baseAddress.map { $0 + written }, bytes.count - written)
      }
      if count > 0 {
        written += count
        continue
      }
      let number = errno
      if number == EINTR { continue }
      if number == EPIPE { throw ClosedPipe() }
      throw CommandError(
        .failure,
        message: "Writing the output failed: \(String(cString: strerror(number))).",
        hint: number == ENOSPC ? "Free some space and run the command again." : nil
      )
    }
  }
}

/// How many columns the terminal of a stream has; 80 where it says nothing.
func terminalWidth(_ descriptor: Int32, environment: [String: String]) -> Int {
  if let columns = environment["COLUMNS"].flatMap({ Int($0) }), columns > 0 { return columns }
  var size = winsize()
  guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
  return Int(size.ws_col)
}
