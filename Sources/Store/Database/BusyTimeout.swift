import Glibc
import SQLite

/// The longest timeout.
///
/// SQLite takes a timeout as milliseconds in 32 bits.
let longestTimeout = Duration.seconds(Int64(Int32.max / 1000))

extension Connection {
  func setBusyTimeout(_ duration: Duration) {
    let (seconds, attoseconds) = min(duration, longestTimeout).components
    setBusyTimeout(
      milliseconds: Int(clamping: seconds) * 1000 + Int(attoseconds / 1_000_000_000_000_000)
    )
  }
}

func sleepBriefly() {
  usleep(10_000)
}
