import Glibc

// This file is copied into each module with mutants; it is not a part of the tool.

/// The number of the active mutant, or 0.
private let chosen = getenv("MUTANT").map { Int(atoi($0)) } ?? 0

/// One byte for each mutant, in a file that all processes of a suite share; nil if none is named.
///
/// A process that is killed or can't allocate memory records what it reached like any other.
nonisolated(unsafe) private let reached: UnsafeMutablePointer<UInt8>? = {
  guard let path = getenv("MUTANTS_REACHED") else { return nil }
  // The caller may be about to read the error of its last system call.
  let error = errno
  defer { errno = error }
  let file = open(path, O_RDWR)
  guard file >= 0 else { return nil }
  defer { close(file) }
  let size = Int(lseek(file, 0, SEEK_END))
  let bytes = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0)
  return bytes == MAP_FAILED ? nil : bytes?.assumingMemoryBound(to: UInt8.self)
}()

/// Whether a mutant is active; also records that it was reached.
func isMutant(_ number: Int) -> Bool {
  if let reached { reached[number] = 1 }
  return number == chosen
}
