/// The most similar word; nil if none is similar enough.
package func nearest(to word: String, in words: [String]) -> String? {
  let limit = max(1, word.count / 3)
  var best: (word: String, distance: Int)?
  for candidate in words {
    let distance =
      candidate.hasPrefix(word) && !word.isEmpty ? 1 : editDistance(word, candidate)
    guard distance <= limit, distance < best?.distance ?? .max else { continue }
    best = (candidate, distance)
  }
  return best?.word
}

/// The number of letters to insert, delete, replace or swap to turn one word into the other.
func editDistance(_ left: String, _ right: String) -> Int {
  let (left, right) = (Array(left.lowercased()), Array(right.lowercased()))
  var before: [Int] = []
  var last = Array(0...right.count)
  for row in left.indices {
    var next = [row + 1]
    for column in right.indices {
      let isSame = left[row] == right[column]
      var best = min(last[column] + (isSame ? 0 : 1), last[column + 1] + 1, next[column] + 1)
      if row > 0, column > 0, left[row] == right[column - 1], left[row - 1] == right[column] {
        best = min(best, before[column - 1] + 1)
      }
      next.append(best)
    }
    before = last
    last = next
  }
  return last[right.count]
}
