import Format
import FoundationEssentials
import Glibc

/// The bytes of an attribute in a file of their own.
package struct ExternalFile: Hashable, Sendable {
  package let path: String
  package let size: Int64
}

/// The folder in which a store keeps large values.
package struct ExternalFolder: Hashable, Sendable {
  package let path: String

  /// The folder beside the original file of a store, which can be elsewhere than the copy that is read.
  package init(besideStore path: String) {
    let name = path.split(separator: "/").last.map(String.init) ?? path
    let base = name.lastIndex(of: ".").map { String(name[..<$0]) } ?? name
    self.path = parentFolder(path) + "/.\(base)_SUPPORT/_EXTERNAL_DATA"
  }

  /// The value of bytes with a tag: 1 precedes the value, 2 the name of a file.
  package func value(_ value: Value) throws(StoreError) -> StoredValue {
    guard case .blob(let bytes) = value, let tag = bytes.first else {
      return value == .null ? .value(.null) : .special(value)
    }
    switch tag {
    case 1: return .value(.blob(Data(bytes.dropFirst())))
    case 2:
      guard let name = name(Array(bytes.dropFirst())) else { return .special(value) }
      return try file(name)
    default: return .special(value)
    }
  }

  /// A name of 36 hexadecimal digits and hyphens before a NUL; nil for anything else, so that no name
  /// can be a path.
  private func name(_ bytes: [UInt8]) -> String? {
    guard bytes.count == 37, bytes[36] == 0 else { return nil }
    let hyphens = [8, 13, 18, 23]
    for (index, byte) in bytes.dropLast().enumerated() {
      let isDigit = "0123456789abcdefABCDEF".utf8.contains(byte)
      guard hyphens.contains(index) ? byte == UInt8(ascii: "-") : isDigit else { return nil }
    }
    return String(decoding: bytes.dropLast(), as: UTF8.self)
  }

  private func file(_ name: String) throws(StoreError) -> StoredValue {
    let path = "\(self.path)/\(name)"
    var status = stat()
    guard lstat(path, &status) == 0 else {
      guard errno == ENOENT || errno == ENOTDIR else {
        let number = errno
        throw StoreError(.inputOutput, at: path) { "Can't read \(path): \(systemText(number))." }
      }
      return .missing(name: name)
    }
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw StoreError(.damaged, at: path) {
        "\(path) is a link or a folder, and not a file of a value."
          + "\nReplace it by the file, or remove it."
      }
    }
    return .file(ExternalFile(path: path, size: Int64(status.st_size)))
  }
}
