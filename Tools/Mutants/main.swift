import Foundation

// Draws mutants, writes them into a copy of the package, and prints a line for each: its number, its
// module, where it is, and its name, with tabs between.
//
//   mutants SEED COUNT DROPPED TREE MODULE…
//
// DROPPED is a file of places, as PATH:LINE, where a mutant did not compile; TREE is the copy.
let arguments = CommandLine.arguments
guard arguments.count > 5, let seed = UInt64(arguments[1]), let count = Int(arguments[2]) else {
  print("usage: mutants SEED COUNT DROPPED TREE MODULE…")
  exit(64)
}
let modules = arguments[5...]
let dropped = Set(try contents(arguments[3]).split(separator: "\n").map(String.init))

func contents(_ path: String) throws -> String { try String(contentsOfFile: path, encoding: .utf8) }

var texts: [String: String] = [:]
var found: [Site] = []
for module in modules {
  let folder = "Sources/" + module
  for name in try FileManager.default.subpathsOfDirectory(atPath: folder)
  where name.hasSuffix(".swift") {
    let path = folder + "/" + name
    texts[path] = try contents(path)
    found += sites(path: path, text: texts[path] ?? "").filter { site in
      !site.lines.contains { dropped.contains("\(path):\($0)") }
    }
  }
}
var drawn: [Site] = []
let ordered = found.map { (rank: $0.rank(seed: seed), site: $0) }.sorted {
  ($0.rank, $0.site.path, $0.site.range.lowerBound)
    < ($1.rank, $1.site.path, $1.site.range.lowerBound)
}
for (_, site) in ordered where drawn.count < count {
  // A site inside another one would not be a change of one thing.
  let isFree = drawn.allSatisfy { $0.path != site.path || !$0.range.overlaps(site.range) }
  if isFree { drawn.append(site) }
}
for (index, site) in drawn.enumerated() {
  let module = site.path.split(separator: "/")[1]
  print(index + 1, module, "\(site.path):\(site.lines.lowerBound)", site.name, separator: "\t")
}
FileHandle.standardError.write(Data("\(found.count) sites, \(drawn.count) drawn\n".utf8))

for (path, text) in texts {
  var bytes = Array(text.utf8)
  let numbered = drawn.enumerated().filter { $0.element.path == path }
  for (index, site) in numbered.sorted(by: {
    $0.element.range.lowerBound > $1.element.range.lowerBound
  }) {
    bytes.replaceSubrange(site.range, with: site.replacement(number: index + 1).utf8)
  }
  // An unchanged file is not written, so it is not compiled again.
  let copy = arguments[4] + "/" + path
  let data = Data(bytes)
  if FileManager.default.contents(atPath: copy) != data {
    try data.write(to: URL(filePath: copy))
  }
}
