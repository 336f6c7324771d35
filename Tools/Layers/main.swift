import Foundation
import SourceGraph

// Prints which folders of a module use which, with the number of names, and the sizes of the sets of
// files that all use each other.
//
//   layers [--names] FOLDER [IMPORTED…]
//
// The folders of imported modules are read to recognise their types. With --names, each use of
// another file is printed with its names.
let arguments = CommandLine.arguments.dropFirst()
let folders = arguments.filter { !$0.hasPrefix("-") }.map { URL(filePath: $0) }
guard let module = folders.first else {
  print("usage: layers [--names] FOLDER [IMPORTED…]")
  exit(64)
}
let graph = try SourceGraph(folder: module, imported: Array(folders.dropFirst()))
var counts: [String: [String: Int]] = [:]
for (file, uses) in graph.uses.enumerated() {
  let folder = graph.folder(of: file)
  for (used, names) in uses.sorted(by: { $0.key < $1.key }) {
    if arguments.contains("--names") {
      print("\(graph.files[file]) uses \(graph.files[used]): \(names.sorted())")
    }
    guard graph.folder(of: used) != folder else { continue }
    counts[folder, default: [:]][graph.folder(of: used), default: 0] += names.count
  }
}
for (folder, used) in counts.sorted(by: { $0.key < $1.key }) {
  let list = used.sorted { $0.key < $1.key }.map { "\($0.key.isEmpty ? "." : $0.key) \($0.value)" }
  print("\(folder.isEmpty ? "." : folder) uses \(list.joined(separator: ", "))")
}
print("\(graph.files.count) files; cycles of \(graph.cycles.map(\.count)) files")
