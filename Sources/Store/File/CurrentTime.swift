import FoundationEssentials
import Glibc

/// The time now as history keeps it: RFC 3339 in UTC, always with six digits of a second.
func currentTime() -> String {
  var now = timespec()
  clock_gettime(CLOCK_REALTIME, &now)
  var parts = tm()
  var seconds = now.tv_sec
  gmtime_r(&seconds, &parts)
  let fields = [
    padded(Int(parts.tm_year) + 1900, 4), "-", padded(Int(parts.tm_mon) + 1, 2), "-",
    padded(Int(parts.tm_mday), 2), "T", padded(Int(parts.tm_hour), 2), ":",
    padded(Int(parts.tm_min), 2), ":", padded(Int(parts.tm_sec), 2), ".",
    padded(Int(now.tv_nsec) / 1000, 6), "Z",
  ]
  return fields.joined()
}

/// The name of this machine.
let hostName: String = {
  var name = [CChar](repeating: 0, count: 256)
  gethostname(&name, name.count - 1)
  return name.withUnsafeBufferPointer {
    $0.baseAddress.map { String(cString: $0) } ?? ""
  }
}()

private func padded(_ number: Int, _ width: Int) -> String {
  let digits = String(number)
  return String(repeating: "0", count: max(0, width - digits.count)) + digits
}

/// Waits for ten milliseconds.
func sleepBriefly() {
  usleep(10_000)
}
