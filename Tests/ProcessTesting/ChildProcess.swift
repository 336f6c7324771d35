import Foundation

/// A program that a test starts, with the interface of Foundation's `Process`.
///
/// Foundation learns that a child ended from a socket that the child closes, on one thread for all
/// children. With many children it sometimes missed an end and waited for ever. This class asks the
/// system. Only standard input, output and error are inherited, so that no other child keeps a pipe
/// open.
public final class ChildProcess: @unchecked Sendable {
  /// How a program may end.
  public enum Reason: Sendable {
    case exit, uncaughtSignal
  }

  /// The program.
  public var executableURL: URL?
  /// Its arguments, without its name.
  public var arguments: [String] = []
  /// Nil for the environment of this process.
  public var environment: [String: String]?
  /// The working folder; nil for that of this process.
  public var currentDirectoryURL: URL?
  /// A `Pipe` or a `FileHandle`; nil for the input of this process.
  public var standardInput: Any?
  /// A `Pipe` or a `FileHandle`; nil for the output of this process.
  public var standardOutput: Any?
  /// A `Pipe` or a `FileHandle`; nil for the error output of this process.
  public var standardError: Any?
  /// The process's id, after the start.
  public private(set) var processIdentifier: pid_t = 0
  private let lock = NSLock()
  private var status: Int32?

  /// Creates a child that is not started yet.
  public init() {}

  /// A child that nobody waited for would remain after its end, and each exit test that runs later in
  /// this process would look at it for ever.
  deinit {
    guard processIdentifier > 0, !ends(waiting: false) else { return }
    Thread.detachNewThread { [processIdentifier] in
      while waitpid(processIdentifier, nil, 0) < 0, errno == EINTR {}
    }
  }

  /// Starts the program.
  public func run() throws {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    let streams = [standardInput, standardOutput, standardError]
    for (number, stream) in streams.enumerated() {
      guard let handle = handle(stream, ofInput: number == 0) else { continue }
      guard handle !== FileHandle.nullDevice else {
        posix_spawn_file_actions_addopen(&actions, Int32(number), "/dev/null", O_RDWR, 0)
        continue
      }
      posix_spawn_file_actions_adddup2(&actions, handle.fileDescriptor, Int32(number))
    }
    // Closing a descriptor that is not open does no harm.
    for descriptor in 3..<1024 { posix_spawn_file_actions_addclose(&actions, Int32(descriptor)) }
    var command = [executableURL?.path ?? ""] + arguments
    if let currentDirectoryURL {
      command = ["/usr/bin/env", "-C", currentDirectoryURL.path] + command
    }
    let variables = environment ?? ProcessInfo.processInfo.environment
    let words = command.map { strdup($0) } + [nil]
    let settings = variables.map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer { for text in words + settings { free(text) } }
    // The threads of Dispatch block most signals; a shell with a blocked SIGCHLD waits for ever.
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var none = sigset_t()
    sigemptyset(&none)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
    let code = posix_spawn(&processIdentifier, command[0], &actions, &attributes, words, settings)
    guard code == 0 else {
      throw POSIXError(POSIXErrorCode(rawValue: code) ?? .ENOENT)
    }
    // The child's ends are closed here, so that the end of a pipe is noticed.
    for (number, stream) in streams.enumerated() where stream is Pipe {
      handle(stream, ofInput: number == 0)?.closeFile()
    }
  }

  private func handle(_ stream: Any?, ofInput isInput: Bool) -> FileHandle? {
    guard let pipe = stream as? Pipe else { return stream as? FileHandle }
    return isInput ? pipe.fileHandleForReading : pipe.fileHandleForWriting
  }

  /// Whether the program has not ended yet.
  public var isRunning: Bool { !ends(waiting: false) }

  /// Waits for the end of the program.
  public func waitUntilExit() { _ = ends(waiting: true) }

  /// How the program ended.
  public var terminationReason: Reason { signal == 0 ? .exit : .uncaughtSignal }

  /// The exit code or the signal.
  public var terminationStatus: Int32 {
    signal == 0 ? (lock.withLock { status } ?? 0) >> 8 & 0xff : signal
  }

  private var signal: Int32 { (lock.withLock { status } ?? 0) & 0x7f }

  private func ends(waiting: Bool) -> Bool {
    lock.withLock {
      if status != nil { return true }
      var ended: Int32 = 0
      while true {
        let found = waitpid(processIdentifier, &ended, waiting ? 0 : WNOHANG)
        if found < 0, errno == EINTR { continue }
        guard found != 0 else { return false }
        // If other code has collected the status, it is lost.
        status = found == processIdentifier ? ended : -1
        return true
      }
    }
  }
}
