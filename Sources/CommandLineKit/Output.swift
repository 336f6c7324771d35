import Glibc
import Synchronization

/// Thrown if the reader of a pipe has closed the pipe, as `head` does; this is not a failure.
package struct ClosedPipe: Error {}

/// A stream that a program writes to: data to standard output, messages to standard error.
package final class Output: Sendable {
  package let style: Style
  package let isTerminal: Bool
  /// Whether texts for people have only ASCII quotes and dots; values are not changed.
  package let isASCII: Bool
  private let name: String
  private let descriptor: Int32
  private let buffer: Mutex<[UInt8]>
  private let room: Int

  /// Creates a stream.
  ///
  /// Bytes are written when `room` bytes are waiting, and at ``flush()``. Errors contain the name
  /// of the output.
  package init(
    descriptor: Int32,
    name: String = "the output",
    room: Int = 0,
    style: Style = .plain,
    isASCII: Bool = false
  ) {
    self.descriptor = descriptor
    self.name = name
    self.room = room
    self.style = style
    self.isASCII = isASCII
    isTerminal = isatty(descriptor) == 1
    buffer = Mutex([])
  }

  package func write(_ text: String) throws {
    try write(bytes: text.utf8)
  }

  package func writeLine(_ text: String = "") throws {
    try write(text + "\n")
  }

  /// Writes a text for people, with quotes that the locale can display.
  package func show(_ text: String) throws { try write(isASCII ? inASCII(text) : text) }

  /// Writes a line for people, with quotes that the locale can display.
  package func showLine(_ text: String) throws { try show(text + "\n") }

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
        message: "Can't write \(name): \(String(cString: strerror(number))).",
        hint: number == ENOSPC ? "Free some space and run the command again." : nil
      )
    }
  }
}

/// Whether the locale supports only ASCII.
///
/// Only a locale whose name contains UTF-8 supports more.
func isASCII(_ environment: [String: String]) -> Bool {
  let locale = ["LC_ALL", "LC_CTYPE", "LANG"].compactMap { environment[$0] }.first { !$0.isEmpty }
  let name = (locale ?? "C").uppercased()
  return !name.contains("UTF-8") && !name.contains("UTF8")
}

/// Replaces the quotes and dots of help and messages by ASCII; values are not changed.
func inASCII(_ text: String) -> String {
  text.replacing("“", with: "\"").replacing("”", with: "\"").replacing("…", with: "...")
}

/// The number of columns of a stream's terminal; 80 if it is unknown.
func terminalWidth(_ descriptor: Int32, environment: [String: String]) -> Int {
  if let columns = environment["COLUMNS"].flatMap({ Int($0) }), columns > 0 { return columns }
  var size = winsize()
  guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
  return Int(size.ws_col)
}
