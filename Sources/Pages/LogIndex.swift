/// What the programs that use a write-ahead log say about it in the file that they share, the index of
/// the log.
///
/// The index is right only while a program uses it. "WAL-Index Format" in the documentation of SQLite
/// describes its bytes, which are in the byte order of the machine.
package struct LogIndex: Sendable {
  /// The last frame of the last commit; zero if there is none.
  package let lastCommittedFrame: UInt32
  /// The last frame that a checkpoint may have copied to the database file.
  package let lastCheckpointedFrame: UInt32

  /// Reads an index; nil if it does not describe the log, or if the next program has to write it again
  /// from the log.
  package init?(_ source: ByteSource, of log: LogHeader) throws(PageError) {
    // A program writes the header twice, so equal copies were not read in the middle.
    for _ in 0..<4 {
      let bytes = try source.bytes(132, at: 0)
      guard bytes.count == 132 else { return nil }
      guard bytes[0..<48].elementsEqual(bytes[48..<96]) else { continue }
      func number(at offset: Int) -> UInt32 {
        bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: UInt32.self) }
      }
      var checksum = LogChecksum(isBigEndian: UInt16(1).bigEndian == 1)
      bytes.withUnsafeBytes { checksum.add(UnsafeRawBufferPointer(rebasing: $0[..<40])) }
      let salts = bytes.withUnsafeBytes {
        UInt64(bigEndian: $0.loadUnaligned(fromByteOffset: 32, as: UInt64.self))
      }
      guard bytes[12] == 1, salts == log.salts, number(at: 40) == checksum.first,
        number(at: 44) == checksum.second
      else { return nil }
      lastCommittedFrame = number(at: 16)
      // A checkpoint notes which frames it is going to copy, and afterwards which ones it has copied.
      lastCheckpointedFrame = max(number(at: 96), number(at: 128))
      return
    }
    return nil
  }
}
