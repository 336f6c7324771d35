import Foundation

/// The resources that a program needed.
struct ProgramRun {
  let seconds: Double
  /// The peak memory in KiB; zero unless it was watched.
  let peak: Int

  /// Runs a program without output, and expects one of some exit codes.
  ///
  /// A watched program's memory is read while it runs, because the system's figure at the end
  /// includes the memory of this process at the start of the program.
  ///
  /// - Throws: ``WrongResult`` if the program can't be run, or ends with another code.
  init(
    _ program: String,
    _ arguments: [String],
    codes: Set<Int32> = [0],
    isWatched: Bool = false
  ) throws {
    var files = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&files)
    defer { posix_spawn_file_actions_destroy(&files) }
    posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0)
    var words = ([program] + arguments).map { strdup($0) } + [nil]
    defer { for word in words { free(word) } }
    var child: pid_t = 0
    var status: Int32 = 0
    var peak = 0
    seconds = try Benchmarks.seconds {
      guard posix_spawnp(&child, program, &files, nil, &words, environ) == 0 else {
        throw WrongResult(description: "\(program) can't be run; is it built?")
      }
      while isWatched, waitpid(child, &status, WNOHANG) == 0 {
        peak = max(peak, highWaterMark(of: child))
        usleep(1_000)
      }
      if !isWatched { waitpid(child, &status, 0) }
    }
    guard status & 0x7f == 0, codes.contains(status >> 8 & 0xff) else {
      throw WrongResult(
        description: "\(program) \(arguments.joined(separator: " ")) ended with \(status)."
      )
    }
    self.peak = peak
  }
}

/// The peak memory of a process so far, in KiB; zero if it is not known.
private func highWaterMark(of process: pid_t) -> Int {
  // A process that has just ended has no memory.
  guard let text = try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8),
    let line = text.split(separator: "\n").first(where: { $0.hasPrefix("VmHWM:") })
  else { return 0 }
  return Int(line.split(separator: " ").dropLast().last ?? "") ?? 0
}
