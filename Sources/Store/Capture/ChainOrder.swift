/// A captured change of one row, from one state to another.
struct ChainStep: Hashable {
  let before: Int64
  let after: Int64
  /// The time of the statement that made the change, in milliseconds since 1970.
  let time: Int64
}

/// The order in which the captured changes of one row were made.
///
/// SQLite can capture the changes of a statement in another order than it makes them: it captures a
/// change by a trigger or a foreign key before the change that caused it. In the right order, each
/// change begins with the state that the change before it left. Of the orders that fit, the order
/// that is nearest to the captured order is taken, because only changes of one statement exchange
/// their places. SQLite gives all changes of a statement the same time.
struct ChainOrder {
  /// The changes in their order, as indexes of the captured changes.
  private(set) var order: [Int] = []
  /// The places in ``order`` whose change belongs to the same statement as the change before it.
  private(set) var nested: Set<Int> = []
  /// The places in ``order`` whose change does not begin with the state before it, because no order
  /// fits.
  private(set) var gaps: Set<Int> = []
  /// Whether the last change does not leave the given last state.
  private(set) var endsWithGap = false

  /// The greatest number of changes that are tried in another order.
  private static let window = 64

  private let steps: [ChainStep]
  private let end: Int64?
  /// The state before each place of ``order``; nil if it is not known.
  private var states: [Int64?] = []
  private var state: Int64?

  /// Finds the order of changes in captured order, or keeps this order and finds only its gaps.
  ///
  /// `end` is the state after the last change; nil if it is not known.
  init(_ steps: [ChainStep], end: Int64?, keepsOrder: Bool = false) {
    self.steps = steps
    self.end = end
    state = keepsOrder ? nil : start()
    var failures = keepsOrder ? Self.window : 0
    while order.count < steps.count {
      let next = steps[order.count]
      if state == nil || next.before == state {
        append([order.count])
      } else if failures < Self.window, let (begin, found) = window(around: order.count) {
        replace(from: begin, by: found)
      } else {
        failures += 1
        if !order.isEmpty { gaps.insert(order.count) }
        append([order.count])
      }
    }
    guard let end, let state, state != end else { return }
    if !keepsOrder, let (begin, found) = lastWindow() {
      replace(from: begin, by: found)
    } else {
      endsWithGap = true
    }
  }

  /// The state before the first change if the changes lead from one state to the end; else nil.
  ///
  /// Each state but these two is left as often as it is reached.
  private func start() -> Int64? {
    guard let end else { return nil }
    var surplus = [end: 1]
    for step in steps {
      surplus[step.before, default: 0] += 1
      surplus[step.after, default: 0] -= 1
    }
    let rest = surplus.filter { $0.value != 0 }
    return rest.count == 1 && rest.first?.value == 1 ? rest.first?.key : nil
  }

  private mutating func append(_ indexes: [Int]) {
    for index in indexes {
      states.append(state)
      order.append(index)
      state = steps[index].after
    }
  }

  private mutating func replace(from begin: Int, by indexes: [Int]) {
    if states.indices.contains(begin) { state = states[begin] }
    order.removeSubrange(begin...)
    states.removeSubrange(begin...)
    gaps = gaps.filter { $0 < begin }
    nested = nested.filter { $0 < begin }
    append(indexes)
    // Changes belong to one statement only if they exchanged their places across each other.
    var highest = begin
    for (place, index) in zip(begin..., indexes) {
      if place > begin, highest >= place { nested.insert(place) }
      highest = max(highest, index)
    }
  }

  /// The smallest group of changes around a place that fits in another order, with its begin.
  ///
  /// A group after which the following change fits is preferred to a smaller group.
  private func window(around place: Int) -> (begin: Int, indexes: [Int])? {
    var fallback: (begin: Int, indexes: [Int])?
    let range = range(around: place)
    let most = min(Self.window, range.count)
    guard most >= 2 else { return nil }
    for size in 2...most {
      for begin in stride(from: place, through: max(range.lowerBound, place - size + 1), by: -1) {
        let last = begin + size - 1
        guard last >= place, last < range.upperBound else { continue }
        let following = last + 1 < steps.count ? steps[last + 1].before : end
        guard let path = path(from: begin, through: last, end: following) else { continue }
        if following == nil || steps[path[size - 1]].after == following { return (begin, path) }
        fallback = fallback ?? (begin, path)
      }
    }
    return fallback
  }

  /// The changes around a place that can belong to one statement, up to a limit.
  private func range(around place: Int) -> Range<Int> {
    let time = steps[place].time
    var (begin, end) = (place, place + 1)
    while begin > max(0, place - Self.window), steps[begin - 1].time == time { begin -= 1 }
    while end < min(steps.count, place + Self.window), steps[end].time == time { end += 1 }
    return begin..<end
  }

  /// The smallest group of the last changes that leaves the given last state in another order.
  private func lastWindow() -> (begin: Int, indexes: [Int])? {
    guard let end, !steps.isEmpty else { return nil }
    let first = range(around: steps.count - 1).lowerBound
    for begin in stride(from: steps.count - 2, through: first, by: -1) {
      guard let path = path(from: begin, through: steps.count - 1, end: end),
        let last = path.last, steps[last].after == end
      else { continue }
      return (begin, path)
    }
    return nil
  }

  /// The first order of all changes of a group in which each change begins with the state before
  /// it; nil if there is none.
  ///
  /// The states are points and the changes are arrows from point to point, so this is a path that
  /// uses each arrow once. `end` is the state after the group if the group begins and ends with the
  /// same state and this state is not known.
  private func path(from begin: Int, through last: Int, end: Int64?) -> [Int]? {
    let group = Array(order[begin...]) + Array(order.count..<max(order.count, last + 1))
    var arrows: [Int64: [Int]] = [:]
    var surplus: [Int64: Int] = [:]
    for index in group.sorted(by: >) {
      arrows[steps[index].before, default: []].append(index)
      surplus[steps[index].before, default: 0] += 1
      surplus[steps[index].after, default: 0] -= 1
    }
    let starts = surplus.filter { $0.value != 0 }
    guard starts.count <= 2, starts.allSatisfy({ abs($0.value) == 1 }) else { return nil }
    let first = starts.first { $0.value == 1 }?.key
    let known = states.indices.contains(begin) ? states[begin] : state
    if let first, let known, first != known { return nil }
    guard
      let start = first ?? known ?? end.flatMap({ arrows[$0] == nil ? nil : $0 })
        ?? group.min().map({ steps[$0].before })
    else { return nil }
    // Hierholzer's algorithm: a path that ends too early is continued at its last point with
    // further arrows.
    var path: [Int] = []
    var stack: [(point: Int64, arrow: Int?)] = [(start, nil)]
    while let (point, arrow) = stack.last {
      if let next = arrows[point]?.popLast() {
        stack.append((steps[next].after, next))
      } else {
        stack.removeLast()
        if let arrow { path.append(arrow) }
      }
    }
    return path.count == group.count ? path.reversed() : nil
  }
}
