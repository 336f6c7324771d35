import Format

/// The objects of a keyed archive, without the classes that wrote them.
///
/// An object is a number and is read only when one of its values is asked for, so an archive may
/// contain cycles. A count of all steps ends a reading that would take too long.
package final class KeyedArchive {
  /// An object's identity.
  package struct Object: Hashable, Sendable {
    let number: Int
  }

  package enum Content: Hashable {
    case null
    case bool(Bool)
    case integer(Int64)
    case real(Double)
    case data([UInt8])
    case text(String)
    /// An object with a class.
    case object(Object)
    /// A dictionary or an array that is not in an object.
    case other

    package var text: String? { if case .text(let text) = self { text } else { nil } }
    package var object: Object? { if case .object(let object) = self { object } else { nil } }
    package var integer: Int64? {
      switch self {
      case .integer(let integer): integer
      case .bool(let isTrue): isTrue ? 1 : 0
      default: nil
      }
    }
    package var isTrue: Bool { integer.map { $0 != 0 } ?? false }
  }

  private let list: PropertyList
  private let objects: PropertyList.References
  /// The object that contains all others.
  package let root: Content
  /// How many entries and bytes may still be read.
  private var steps: Int
  private var classNames: [Int: String] = [:]

  /// Reads the beginning of an archive; each later entry is one step, and so is each byte of a text.
  package init(
    _ bytes: [UInt8],
    name: String,
    steps: Int = 64 << 20
  ) throws(StoreError) {
    list = try PropertyList(bytes, name: name)
    self.steps = steps
    guard case .dictionary(let keys, let values) = try list.node(list.top) else {
      throw damaged(name, "it is not a keyed archive")
    }
    var found: (objects: PropertyList.References?, top: PropertyList.Node?) = (nil, nil)
    // The dictionary of an archive has four members.
    for position in 0..<min(keys.count, 64) {
      let key = try list.node(list.entry(position, of: keys))
      let value = try list.node(list.entry(position, of: values))
      if list.isText(key, "$objects"), case .array(let objects) = value { found.objects = objects }
      if list.isText(key, "$top") { found.top = value }
    }
    guard let objects = found.objects, case .dictionary(let tops, let roots)? = found.top,
      tops.count > 0
    else { throw damaged(name, "it is not a keyed archive") }
    self.objects = objects
    guard case .object(let number) = try list.node(list.entry(0, of: roots)) else {
      throw damaged(name, "its root is not an object")
    }
    root = try Self.content(number, in: objects, of: list)
  }

  private func step(_ count: Int = 1) throws(StoreError) {
    steps -= count
    guard steps >= 0 else { throw tooLarge(list.name) }
  }

  private static func content(
    _ number: Int,
    in objects: PropertyList.References,
    of list: PropertyList
  ) throws(StoreError) -> Content {
    let node = try list.node(list.entry(number, of: objects))
    switch node {
    case .null: return .null
    case .bool(let isTrue): return .bool(isTrue)
    case .integer(let integer): return .integer(integer)
    case .real(let real), .date(let real): return .real(real)
    case .data(let range): return .data(Array(list.bytes[range]))
    case .ascii, .utf16:
      // The first object of each archive stands for a missing object.
      if number == 0, list.isText(node, "$null") { return .null }
      return .text(list.text(node) ?? "")
    case .dictionary: return .object(Object(number: number))
    case .object, .array: return .other
    }
  }

  /// The content of an entry, which can be a value or a reference to an object.
  private func content(_ entry: Int) throws(StoreError) -> Content {
    let node = try list.node(entry)
    let size: Int
    switch node {
    case .object(let number):
      switch try list.node(list.entry(number, of: objects)) {
      case .data(let range), .ascii(let range), .utf16(let range): size = range.count
      default: size = 0
      }
      try step(1 + size)
      return try Self.content(number, in: objects, of: list)
    case .data(let range), .ascii(let range), .utf16(let range): size = range.count
    default: size = 0
    }
    try step(1 + size)
    switch node {
    case .null: return .null
    case .bool(let isTrue): return .bool(isTrue)
    case .integer(let integer): return .integer(integer)
    case .real(let real), .date(let real): return .real(real)
    case .data(let range): return .data(Array(list.bytes[range]))
    case .ascii, .utf16: return .text(list.text(node) ?? "")
    case .object, .array, .dictionary: return .other
    }
  }

  /// The entry of a value of an object; nil if the object does not have the value.
  private func entry(_ key: StaticString, of object: Object) throws(StoreError) -> Int? {
    let index = try list.entry(object.number, of: objects)
    guard case .dictionary(let keys, let values) = try list.node(index) else { return nil }
    for position in 0..<keys.count {
      try step()
      if list.isText(try list.node(list.entry(position, of: keys)), key) {
        return try list.entry(position, of: values)
      }
    }
    return nil
  }

  /// A value of an object; null if the object does not have it.
  package func value(_ key: StaticString, of object: Object) throws(StoreError) -> Content {
    guard let entry = try entry(key, of: object) else { return .null }
    return try content(entry)
  }

  /// The name of an object's class; empty if it has none.
  package func className(of object: Object) throws(StoreError) -> String {
    guard let entry = try entry("$class", of: object),
      case .object(let number) = try list.node(entry)
    else { return "" }
    if let name = classNames[number] { return name }
    let description = Object(number: number)
    guard case .object = try Self.content(number, in: objects, of: list) else { return "" }
    let name = try value("$classname", of: description).text ?? ""
    classNames[number] = name
    return name
  }

  /// The elements of an archived list or set; empty for other objects.
  package func elements(
    of object: Object,
    key: StaticString = "NS.objects"
  ) throws(StoreError) -> [Content] {
    guard let entry = try entry(key, of: object),
      case .array(let references) = try list.node(entry)
    else { return [] }
    var result: [Content] = []
    for position in 0..<references.count {
      // An element takes about as much memory as 40 bytes of a text.
      try step(40)
      result.append(try content(list.entry(position, of: references)))
    }
    return result
  }

  /// The members of an archived dictionary, also of one with a fixed set of keys.
  package func members(of object: Object) throws(StoreError) -> [(key: Content, value: Content)] {
    if let strategy = try value("searchMapping", of: object).object {
      let empty = try value("emptyToken", of: object)
      let keys = try texts(in: value("keys", of: strategy))
      let values = try elements(in: value("values", of: object))
      return zip(keys.map { Content.text($0) }, values).filter { $0.1 != empty }
    }
    let keys = try elements(of: object, key: "NS.keys")
    let values = try elements(of: object)
    guard keys.count == values.count else {
      throw damaged(list.name, "a dictionary has more keys than values, or fewer")
    }
    return Array(zip(keys, values))
  }

  /// The elements of a list; empty if the content is not a list.
  package func elements(in content: Content) throws(StoreError) -> [Content] {
    guard let object = content.object else { return [] }
    return try elements(of: object)
  }

  package func texts(in content: Content) throws(StoreError) -> [String] {
    try elements(in: content).compactMap(\.text)
  }
}
