/// A property's value as canonical text, with what that can't show beside it.
package struct EncodedValue: Hashable {
  package var json: [UInt8]
  /// The name of a special value, as a JSON string.
  package var special: [UInt8] = []
  /// The digest and size of a large value, as a JSON object.
  package var large: [UInt8] = []

  package init(json: [UInt8]) { self.json = json }

  /// A value that is stored under its digest.
  package init(large digest: String, size: Int) {
    json = Array("null".utf8)
    large = Array(#"{"sha256":"\#(digest)","size":\#(size)}"#.utf8)
  }

  /// A value that is not known any more.
  package static let erased: EncodedValue = {
    var value = EncodedValue(json: Array("null".utf8))
    appendJSONString(SpecialValue.erasedName, to: &value.special)
    return value
  }()
}
