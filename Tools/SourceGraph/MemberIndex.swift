/// All members of a module by name, for expressions whose type is not known.
struct MemberIndex {
  private var members: [String: [Member]] = [:]

  /// Members of the standard library and of Foundation that say nothing about a type of the module.
  private static let common: Set<String> = [
    "append", "bytes", "close", "contains", "count", "data", "description", "distance", "dropFirst",
    "end", "endIndex", "error", "filter", "finish", "first", "flatMap", "forEach", "formIndex",
    "hasPrefix",
    "hasSuffix", "hash", "id", "index", "indices", "init", "insert", "isEmpty", "joined", "key",
    "keys",
    "last", "load", "lowercased", "map", "max", "min", "name", "next", "path", "popLast", "prefix",
    "read", "reduce", "remove", "removeAll", "removeFirst", "removeLast", "removeValue", "replace",
    "reserveCapacity", "reversed", "run", "some", "none", "sort", "sorted", "split", "start",
    "startIndex", "store", "subscript", "suffix", "text", "union", "update", "utf8", "value",
    "values",
    "wait", "withUnsafeBytes", "write", "zip",
  ]

  init(_ declarations: Declarations) {
    for type in declarations.types.values {
      for (name, found) in type.members { members[name, default: []] += found }
    }
  }

  /// The only file that declares such a member, or nil if there are several or none.
  func onlyFile(of name: String, labels: [String]?) -> Int? {
    guard !Self.common.contains(name) || (labels ?? []).contains(where: { $0 != "_" }) else {
      return nil
    }
    let matching = (members[name] ?? []).filter {
      !$0.isPrivate && (labels == nil ? $0.labels == nil : accepts($0.labels, labels))
    }
    let files = Set(matching.map(\.file))
    guard files.count == 1, let only = files.first else { return nil }
    return only
  }
}

/// Whether a call with some labels may refer to a declaration: arguments with defaults may be missing,
/// and trailing closures have no label.
func accepts(_ declared: [String]?, _ written: [String]?) -> Bool {
  guard let written else { return true }
  guard let declared else { return true }
  var rest = declared[...]
  for label in written {
    guard let place = rest.firstIndex(of: label) else { return label == "_" && !rest.isEmpty }
    rest = rest[(place + 1)...]
  }
  return true
}
