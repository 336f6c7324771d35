import Format
import FoundationEssentials

/// The value of a composite as canonical JSON; null for an optional composite without values.
///
/// Leaves without a value are left out, as Swift's encoders do. An enumeration without raw values is an
/// object whose key is the name of the case.
package func compositeValue(_ attribute: AppleAttribute, _ values: [Value]) -> Value {
  let isEmpty = values.allSatisfy { $0 == .null }
  if isEmpty, attribute.isOptional || attribute.isEnumeration { return .null }
  var rest = values[...]
  var json: [UInt8] = []
  appendMembers(of: attribute, from: &rest, to: &json)
  return .text(String(decoding: json, as: UTF8.self))
}

private func appendMembers(
  of attribute: AppleAttribute,
  from values: inout ArraySlice<Value>,
  to json: inout [UInt8]
) {
  var members: [(name: String, json: [UInt8])] = []
  for element in attribute.elements {
    var text: [UInt8] = []
    if element.kind == .composite {
      let part = values.prefix(element.leaves.count)
      values = values.dropFirst(part.count)
      guard part.contains(where: { $0 != .null }) else { continue }
      var inner = part
      appendMembers(of: element, from: &inner, to: &text)
    } else {
      guard let value = values.popFirst(), value != .null else { continue }
      if attribute.isEnumeration, !attribute.isRawValue {
        text = Array("{}".utf8)
      } else {
        appendJSON(value, as: element, to: &text)
      }
    }
    members.append((element.name, text))
  }
  members.sort { precedes($0.name, $1.name) }
  json.append(UInt8(ascii: "{"))
  for (index, member) in members.enumerated() {
    if index > 0 { json.append(UInt8(ascii: ",")) }
    json += memberKey(member.name)
    json += member.json
  }
  json.append(UInt8(ascii: "}"))
}

private func appendJSON(_ value: Value, as leaf: AppleAttribute, to json: inout [UInt8]) {
  switch (leaf.kind, value) {
  case (.bool, .integer(let number)) where 0...1 ~= number:
    json += (number == 1 ? "true" : "false").utf8
  case (.float, .real(let number)): appendJSONNumber(Double(number), isFloat: true, to: &json)
  case (.decimal, .real(let number)):
    json += (decimalText(number) ?? number.description).utf8
  case (.uuid, .blob(let bytes)):
    appendJSONString(uuidText(bytes) ?? base64(bytes), to: &json)
  case (.transformable, .blob(let bytes)):
    if let text = bytes.withUnsafeBytes({ archivedJSON($0) }) {
      json += text.utf8
    } else {
      appendJSONString(base64(bytes), to: &json)
    }
  case (_, .blob(let bytes)):
    // A list of a structure has the same storage as plain bytes; only the content tells.
    do throws(JSONTextError) {
      json += try canonicalJSON(bytes, below: ModelArchive.deepest)
    } catch {
      appendJSONString(base64(bytes), to: &json)
    }
  case (_, .integer(let number)): appendInteger(number, to: &json)
  case (_, .real(let number)): appendJSONNumber(number, isFloat: false, to: &json)
  case (_, .text(let text)): appendJSONString(text, to: &json)
  case (_, .brokenText(let bytes)): appendJSONString(base64(bytes), to: &json)
  case (_, .null): json += "null".utf8
  }
}

/// Appends a number as Swift's encoder writes it: without a fraction if it is whole.
func appendJSONNumber(_ number: Double, isFloat: Bool, to json: inout [UInt8]) {
  guard number.isFinite else {
    return appendJSONString(number.isNaN ? "NaN" : number < 0 ? "-inf" : "inf", to: &json)
  }
  var text = isFloat ? Float(number).description : number.description
  if text.hasSuffix(".0") { text.removeLast(2) }
  json += text.utf8
}

func base64(_ bytes: some Collection<UInt8>) -> String {
  var text: [UInt8] = []
  Array(bytes).withUnsafeBytes { appendBase64($0, to: &text) }
  return String(decoding: text, as: UTF8.self)
}
