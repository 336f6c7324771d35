import Format
import Glibc

/// A large value in a stream of logs: lines after the log, each with a part of the value.
///
/// A log folder has a blob file for each large value. A stream cannot contain files, so lines
/// contain the bytes of the value in base64.
enum StreamedValue {
  /// The size in bytes of each part except the last; in base64, a part has 1 MiB.
  static let pieceSize = 3 << 18
  static let start: StaticString = #"{"kind":"value","sha256":""#

  static func begins(_ line: UnsafeRawBufferPointer) -> Bool {
    var parts = LineParts(line)
    return parts.has(start)
  }

  static func append(
    _ piece: UnsafeRawBufferPointer,
    at offset: Int64,
    of digest: String,
    size: Int64,
    to block: inout [UInt8]
  ) {
    block += Array("\(start)\(digest)\",\"size\":\(size),\"offset\":\(offset),\"data\":\"".utf8)
    appendBase64(piece, to: &block)
    block += Array("\"}\n".utf8)
  }
}

extension LogWriter {
  /// Writes a large value to a stream, after the log that refers to the value.
  ///
  /// - Throws: ``StoreError`` with ``StoreError/Code/damaged`` if the value does not have its
  ///   digest. A reader refuses the written parts for the same reason.
  package static func write(
    _ value: LargeValue,
    digest: String,
    size: Int64,
    level: Int,
    to stream: Int32,
    name: String
  ) throws {
    let pipeline = MemberPipeline(level: level, threads: 2, path: name) {
      try ChangeLog.write($0, to: stream, path: name)
    }
    var hash = SHA256()
    var offset: Int64 = 0
    var piece: [UInt8] = []
    func flush() throws {
      var block: [UInt8] = []
      piece.withUnsafeBytes {
        hash.update($0)
        StreamedValue.append($0, at: offset, of: digest, size: size, to: &block)
      }
      offset += Int64(piece.count)
      piece.removeAll(keepingCapacity: true)
      try pipeline.append(block)
    }
    try value.forEachPiece { bytes in
      var rest = bytes[...]
      while !rest.isEmpty {
        let part = rest.prefix(StreamedValue.pieceSize - piece.count)
        piece.append(contentsOf: part)
        rest = rest.dropFirst(part.count)
        if piece.count == StreamedValue.pieceSize { try flush() }
      }
    }
    if !piece.isEmpty { try flush() }
    try pipeline.finish()
    guard offset == size, hash.finish().description == digest else {
      throw alteredLargeValue(digest, at: name)
    }
  }
}

/// A large value from a stream, while its parts are written to a file.
final class SpooledValue {
  private let digest: String
  private let size: Int64
  private let blobs: LogBlobs
  private let temporary: String
  private let descriptor: Int32
  private var hash = SHA256()
  private var received: Int64 = 0

  init(_ line: UnsafeRawBufferPointer, blobs: LogBlobs) throws {
    let parts = try Self.parse(line)
    digest = parts.digest
    size = parts.size
    self.blobs = blobs
    try makeFolders(blobs.path)
    temporary = "\(blobs.path)/.spooled"
    descriptor = open(temporary, writing | O_TRUNC, 0o600)
    guard descriptor >= 0 else { throw diskError("create", path: temporary) }
  }

  deinit { close(descriptor) }

  /// Adds a line, and returns whether the value is now complete and in its file.
  func append(_ line: UnsafeRawBufferPointer) throws -> Bool {
    let parts = try Self.parse(line)
    guard parts.digest == digest, parts.size == size, parts.offset == received else {
      throw Refusal(message: "the large value \(digest) continues at byte \(received) of \(size)")
    }
    guard let bytes = parseBase64(parts.text), !bytes.isEmpty,
      bytes.count == min(Int64(StreamedValue.pieceSize), size - received)
    else { throw Refusal(message: "the line does not have the next bytes of the large value") }
    try bytes.withUnsafeBytes {
      hash.update($0)
      try write($0, to: descriptor, path: temporary)
    }
    received += Int64(bytes.count)
    guard received == size else { return false }
    guard hash.finish().description == digest else {
      throw Refusal(message: "the bytes of the large value do not have the digest \(digest)")
    }
    guard rename(temporary, blobs.file(digest)) == 0 else {
      throw diskError("rename", path: temporary)
    }
    return true
  }

  private static func parse(
    _ line: UnsafeRawBufferPointer
  ) throws(Refusal) -> (digest: String, size: Int64, offset: Int64, text: UnsafeRawBufferPointer) {
    var parts = LineParts(line)
    try parts.expect(StreamedValue.start)
    let name = String(decoding: parts.upToQuote(), as: UTF8.self)
    guard let digest = Digest(hexadecimal: name)?.description, digest == name else {
      throw Refusal(message: "'\(name.prefix(70))' is not a digest")
    }
    try parts.expect(#"","size":"#)
    let size = try parts.integer()
    try parts.expect(#","offset":"#)
    let offset = try parts.integer()
    try parts.expect(#","data":""#)
    let text = parts.upToQuote()
    try parts.expect("\"}\n")
    guard parts.isAtEnd, size > 0 else {
      throw Refusal(message: "the line of a large value has no bytes, or has text after its end")
    }
    return (digest, size, offset, text)
  }
}
