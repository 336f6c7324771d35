import Foundation
import SQLite

/// A value that a test gives a property.
package enum FileValue: Hashable, Sendable {
  case null
  case integer(Int64)
  case real(Double)
  case text(String)
  case blob([UInt8])
  /// The leaves of a composite, in the order of its elements.
  case leaves([FileValue])
  /// Bytes of an attribute for large values, in the row.
  case inside([UInt8])
  /// Bytes of an attribute for large values, in a file of their own.
  case outside([UInt8])
  /// Bytes of an attribute for large values, in a file with a name that is not written.
  case lost(name: String)

  /// The value of a leaf, or the value itself.
  func leaf(_ index: Int) -> FileValue {
    guard case .leaves(let leaves) = self else { return self }
    return leaves[index]
  }

  var id: Int64? { if case .integer(let id) = self { id } else { nil } }
}

extension Statement {
  func bind(_ index: Int, _ value: FileValue) throws {
    let index = Int32(index)
    switch value {
    case .null, .leaves, .outside: try bindNull(index)
    case .integer(let integer): try bind(index, integer)
    case .real(let real): try bind(index, real)
    case .text(let text): try bind(index, text)
    case .blob(let bytes): try bind(index, Data(bytes))
    case .inside(let bytes): try bind(index, Data([1] + bytes))
    case .lost(let name): try bind(index, Data([2] + name.utf8 + [0]))
    }
  }
}
