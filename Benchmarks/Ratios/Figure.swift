/// A budget with no peer.
struct Figure {
  let name: String
  let limit: Double
  /// Gives what is measured.
  let measure: () throws -> Double
}
