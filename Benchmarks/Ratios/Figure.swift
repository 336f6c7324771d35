/// A measurement with a limit and without a peer.
struct Figure {
  let name: String
  let limit: Double
  let measure: () throws -> Double
}
