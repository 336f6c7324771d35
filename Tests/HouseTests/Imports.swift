/// The module that a line of code imports, or nil when it imports none.
func importedModule(_ line: Substring) -> String? {
  let before: Set<Substring> = [
    "public", "package", "internal", "fileprivate", "private",
  ]
  let kinds: Set<Substring> = [
    "struct", "class", "enum", "protocol", "typealias", "func", "let", "var", "actor",
  ]
  var words = line.split { $0 == " " || $0 == "\t" }[...]
  while let word = words.first, before.contains(word) || word.hasPrefix("@") {
    words.removeFirst()
  }
  guard words.popFirst() == "import" else { return nil }
  if let kind = words.first, kinds.contains(kind) { words.removeFirst() }
  return words.first?.split { $0 == "." || $0 == ";" }.first.map(String.init)
}

/// A sentence for each wrong import of a file.
func importFaults(in file: PackageFile, of room: Room) -> [String] {
  file.code.compactMap { number, text in
    guard let module = importedModule(text) else { return nil }
    let isAllowed =
      room.mayImport.contains(module) || toolchainModules.contains(module)
      || (macroRooms.contains(room.name) && macroModules.contains(module))
    guard !isAllowed else { return nil }
    let known = rooms.contains { $0.name == module }
    let reason =
      known ? "which is not below it" : "which is not a known module"
    return "\(file.path):\(number): \(room.name) imports \(module), \(reason)"
  }
}
