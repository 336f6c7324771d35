import Foundation
import StoreTesting
import TestSupport

@testable import ChangeLog

/// Calls `body` with a reader of a new file whose members are the blocks, and with its path.
func withGzipFile<Result>(
  _ blocks: [[UInt8]],
  _ body: (GzipReader, String) throws -> Result
) throws -> Result {
  try withTemporaryFolder { folder in
    let url = folder.appendingPathComponent("test.ndjson.gz")
    let compressor = try GzipCompressor(level: 1, path: url.path)
    try Data(blocks.flatMap { try compressor.member(of: $0) }).write(to: url)
    let file = try FileHandle(forReadingFrom: url)
    defer { withExtendedLifetime(file) {} }
    return try body(GzipReader(descriptor: file.fileDescriptor, path: url.path), url.path)
  }
}

/// The lines of a file of gzip members.
func gunzipLines(_ path: String) throws -> [[UInt8]] {
  let input = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
  let reader = try GzipReader(descriptor: input.fileDescriptor, path: path)
  let buffer = LineBuffer(reader, path: path)
  defer { buffer.finish() }
  var lines: [[UInt8]] = []
  while let line = try buffer.next() { lines.append(Array(line)) }
  return lines
}

/// The lines of a text with their line breaks, and the bytes after the last one.
func lines(of text: [UInt8]) -> (whole: [[UInt8]], rest: [UInt8]) {
  var (whole, rest): ([[UInt8]], [UInt8]) = ([], [])
  for byte in text {
    rest.append(byte)
    guard byte == 0x0a else { continue }
    whole.append(rest)
    rest = []
  }
  return (whole, rest)
}

/// Bytes without a line break that fill a buffer almost completely.
let padding = [UInt8](repeating: 0x70, count: 310_000)
