import Glibc

package func isSame(_ first: UnsafeRawBufferPointer, _ second: UnsafeRawBufferPointer) -> Bool {
  guard first.count == second.count else { return false }
  guard let start = first.baseAddress, let other = second.baseAddress else { return true }
  return memcmp(start, other, first.count) == 0
}

/// Whether two texts have the same bytes.
///
/// For the operator `==`, `é` as one character equals `e` with a combining accent. Here they
/// differ.
func hasSameBytes(_ first: String, _ second: String) -> Bool {
  guard first.utf8.count == second.utf8.count else { return false }
  var (first, second) = (first, second)
  return first.withUTF8 { first in
    second.withUTF8 { isSame(UnsafeRawBufferPointer(first), UnsafeRawBufferPointer($0)) }
  }
}

package func isSame(_ first: UnsafeRawBufferPointer, _ second: [UInt8]) -> Bool {
  second.withUnsafeBytes { isSame(first, $0) }
}

func isSame(_ first: UnsafeRawBufferPointer, _ second: StaticString) -> Bool {
  isSame(
    first,
    UnsafeRawBufferPointer(start: second.utf8Start, count: second.utf8CodeUnitCount)
  )
}
