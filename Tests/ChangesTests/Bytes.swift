/// The text that a function appends to a buffer.
package func text(_ append: (inout [UInt8]) -> Void) -> String {
  var buffer: [UInt8] = []
  append(&buffer)
  return String(decoding: buffer, as: UTF8.self)
}

/// Gives the UTF-8 bytes of a text to a function.
package func bytes<Result>(_ text: String, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
  Array(text.utf8).withUnsafeBytes(body)
}
