import Audit
import Format

/// A JSON object that is built key by key; its values can be canonical JSON.
package struct JSONText {
  private var bytes: [UInt8] = [UInt8(ascii: "{")]

  package init() {}

  /// Starts the JSON object of an answer with its `type` and `schema`.
  package init(type: String) {
    self.init()
    add("schema", number: 1)
    add("type", text: type)
  }

  /// Adds a text; adds nothing for nil.
  package mutating func add(_ key: String, text: String?) {
    guard let text else { return }
    addKey(key)
    appendJSONString(text, to: &bytes)
  }

  /// Adds a number; adds nothing for nil.
  package mutating func add(_ key: String, number: Int64?) {
    guard let number else { return }
    add(key, json: Array(String(number).utf8))
  }

  package mutating func add(_ key: String, truth: Bool) {
    add(key, json: Array((truth ? "true" : "false").utf8))
  }

  /// Adds a value that is JSON; adds nothing for nil.
  package mutating func add(_ key: String, json: [UInt8]?) {
    guard let json else { return }
    addKey(key)
    bytes += json
  }

  /// Adds an object; adds nothing for nil.
  package mutating func add(_ key: String, object: JSONText?) {
    add(key, json: object?.closed)
  }

  package mutating func add(_ key: String, texts: [String]) {
    var list: [UInt8] = []
    for text in texts {
      list.append(UInt8(ascii: list.isEmpty ? "[" : ","))
      appendJSONString(text, to: &list)
    }
    add(key, json: list.isEmpty ? Array("[]".utf8) : list + [UInt8(ascii: "]")])
  }

  package mutating func add(_ key: String, objects: [JSONText]) {
    addKey(key)
    bytes.append(UInt8(ascii: "["))
    for (index, object) in objects.enumerated() {
      if index > 0 { bytes.append(UInt8(ascii: ",")) }
      bytes += object.closed
    }
    bytes.append(UInt8(ascii: "]"))
  }

  mutating func add<Element>(
    _ key: String,
    of elements: [Element],
    _ build: (inout JSONText, Element) -> Void
  ) {
    let objects = elements.map { element in
      var object = JSONText()
      build(&object, element)
      return object
    }
    add(key, objects: objects)
  }

  /// Adds a value and its notes; adds nothing for nil.
  mutating func add(_ key: String, value: PropertyValue?) {
    add(key, json: value?.json)
    add(key + "_special", text: value?.special)
    add(key + "_large", json: value?.large)
  }

  /// The object with its closing brace.
  package var closed: [UInt8] { bytes + [UInt8(ascii: "}")] }

  /// The object without its closing brace, so that more keys can be appended.
  package var open: [UInt8] { bytes }

  private mutating func addKey(_ key: String) {
    if bytes.count > 1 { bytes.append(UInt8(ascii: ",")) }
    appendJSONString(key, to: &bytes)
    bytes.append(UInt8(ascii: ":"))
  }
}
