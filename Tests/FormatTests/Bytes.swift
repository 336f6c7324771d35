/// The text that a function appends to a buffer.
package func text(_ append: (inout [UInt8]) -> Void) -> String {
  var buffer: [UInt8] = []
  append(&buffer)
  return String(decoding: buffer, as: UTF8.self)
}

/// Calls `body` with the UTF-8 bytes of a text.
package func bytes<Result>(_ text: String, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
  Array(text.utf8).withUnsafeBytes(body)
}
