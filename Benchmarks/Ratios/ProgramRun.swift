import Foundation

/// What a program took.
struct ProgramRun {
  let seconds: Double
  /// The most memory that it had at once, in KiB.
  let peak: Int

  /// Runs a program, which is to end with one of some codes, with what it prints thrown away.
  init(_ program: String, _ arguments: [String], codes: Set<Int32> = [0]) throws {
    var files = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&files)
    defer { posix_spawn_file_actions_destroy(&files) }
    posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0)
    var words = ([program] + arguments).map { strdup($0) } + [nil]
    defer { for word in words { free(word) } }
    var child: pid_t = 0
    var status: Int32 = 0
    var usage = rusage()
    seconds = try Benchmarks.seconds {
      guard posix_spawnp(&child, program, &files, nil, &words, environ) == 0,
        wait4(child, &status, 0, &usage) == child
      else { throw WrongResult(description: "\(program) can't be run; is it built?") }
    }
    guard status & 0x7f == 0, codes.contains(status >> 8 & 0xff) else {
      throw WrongResult(
        description: "\(program) \(arguments.joined(separator: " ")) ended with \(status)."
      )
    }
    peak = usage.ru_maxrss
  }
}
