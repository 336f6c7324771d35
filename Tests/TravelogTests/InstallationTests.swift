import Foundation
import TestSupport
import Testing

@Suite("Installation of the built program")
struct InstallationTests {
  /// The relative paths of the files and links in a folder.
  private func files(in folder: URL) throws -> Set<String> {
    let paths = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
    return Set(
      paths.filter { path in
        var isFolder: ObjCBool = false
        let isThere = FileManager.default.fileExists(
          atPath: folder.path + "/" + path,
          isDirectory: &isFolder
        )
        return isThere && !isFolder.boolValue
      }
    )
  }

  /// Expects every file of an installation.
  private func expectProgram(in prefix: URL, zsh: String, manual: String) throws {
    let files = try files(in: prefix)
    for path in [
      "bin/travelog", "share/man/man1/travelog.\(manual)",
      "share/man/man1/travelog-export.\(manual)", "share/bash-completion/completions/travelog",
      "share/zsh/\(zsh)/_travelog", "share/fish/vendor_completions.d/travelog.fish",
      "share/travelog/pipelines/nightly-export.sh", "share/travelog/pipelines/example.conf",
      "share/doc/travelog/docs/CLI.md",
    ] {
      #expect(files.contains(path))
    }
    #expect(files.filter { $0.hasPrefix("bin/") } == ["bin/travelog"], "trips is a sample")
    let run = try run(prefix.path + "/bin/travelog", ["--version"])
    #expect(run.code == 0 && run.output.hasPrefix("travelog"), "\(run.errors)")
  }

  /// Expects that all links of the Markdown documents in a folder lead to files.
  private func expectLinks(in folder: URL) throws {
    var count = 0
    for path in try files(in: folder) where path.hasSuffix(".md") {
      let document = folder.appendingPathComponent(path)
      let text = try String(contentsOf: document, encoding: .utf8)
      for link in text.matches(of: /\]\(([^)#:]+)[)#]/) {
        let target = document.deletingLastPathComponent().appendingPathComponent(String(link.1))
        #expect(FileManager.default.fileExists(atPath: target.path), "\(path) links to \(link.1)")
        count += 1
      }
    }
    #expect(count > 20)
  }

  /// Expects that all paths in a text are under the prefix and exist.
  private func expectPaths(in text: String, of name: String, root: String, prefix: String) throws {
    for place in ["/usr/bin/travelog", "/usr/share/travelog"] {
      #expect(!text.contains(place), "\(name) names \(place)")
    }
    // A manual page has a backslash before a hyphen.
    let plain = text.replacing("\\-", with: "-").replacing(root + prefix, with: prefix)
      .replacing("/bin/sh", with: "")
    for match in plain.matches(of: /[^\s"“”,;:='`()]*(docs|[Pp]ipelines|bin)\/[\w.-]*\w/) {
      let path = String(match.0)
      let file = path.hasPrefix(root) ? path : root + path
      #expect(FileManager.default.fileExists(atPath: file), "\(name) names \(path)")
      #expect(file.hasPrefix(root + prefix + "/"), "\(name) names \(path)")
    }
  }

  @Test("make install writes everything under DESTDIR and PREFIX, and make uninstall removes it.")
  func makeInstall() throws {
    guard let make = installed("make") else { return }
    let prefix = "/opt/Travel.log+1_2~rc@3"
    try withTemporaryFolder { folder in
      // The programs are already built; “-o release” tells make not to build them again.
      func target(_ name: String) throws -> Run {
        try run(
          make,
          [
            "-C", packageRoot.path, "-o", "release", name, "DESTDIR=\(folder.path)",
            "PREFIX=\(prefix)",
            "RELEASE=printf %s \(products); :",
          ],
          environment: ["PATH": "/usr/sbin:/usr/bin:/sbin:/bin"]
        )
      }
      let kept = folder.appendingPathComponent(prefix + "/share/man/man1/other.1")
      try FileManager.default.createDirectory(
        at: kept.deletingLastPathComponent(),
        withIntermediateDirectories: true
      )
      try Data("a page of another program".utf8).write(to: kept)
      let install = try target("install")
      #expect(install.code == 0, "\(install.errors)")
      let root = folder.appendingPathComponent(prefix)
      try expectProgram(in: root, zsh: "site-functions", manual: "1")
      let share = root.appendingPathComponent("share")
      try expectLinks(in: share.appendingPathComponent("doc/travelog"))
      let texts = try files(in: root).filter { !$0.hasPrefix("share/doc/") && $0 != "bin/travelog" }
      #expect(texts.count > 30)
      for path in texts {
        let text = try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
        try expectPaths(in: text, of: path, root: folder.path, prefix: prefix)
      }
      let program = root.path + "/bin/travelog"
      let help = try run(program, ["generate", "reference"]).output
      try expectPaths(in: help, of: "--help", root: folder.path, prefix: prefix)
      #expect(help.contains("\(root.path)/share/doc/travelog/docs/CLI_JSON.md"))
      #expect(try target("install").code == 0, "a second time is as good as the first")
      let uninstall = try target("uninstall")
      #expect(uninstall.code == 0, "\(uninstall.errors)")
      #expect(try files(in: folder) == [prefix.dropFirst() + "/share/man/man1/other.1"])
    }
  }

  @Test(
    "make install refuses a PREFIX that would need quotes in cron lines and units.",
    arguments: ["opt", "/opt/two words", "/opt/50%", "/opt/a&b"]
  )
  func prefixes(prefix: String) throws {
    try withTemporaryFolder { folder in
      let install = try run(
        packageRoot.path + "/Tools/install",
        [products, prefix, folder.path + "/"],
        environment: ["PATH": "/usr/bin:/bin"]
      )
      #expect(install.code == 64)
      #expect(install.errors.contains("PREFIX must be an absolute path"))
      #expect(try files(in: folder) == [])
    }
  }

  @Test("make packages makes three packages; Debian's leaves nothing after it is removed.")
  func debianPackage() throws {
    guard let builder = installed("dpkg-deb"), let dpkg = installed("dpkg"),
      installed("python3") != nil
    else { return }
    try withTemporaryFolder { folder in
      // The package is not kept, so its size does not matter.
      let environment = [
        "PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "DPKG_DEB_COMPRESSOR_TYPE": "gzip",
        "DPKG_DEB_COMPRESSOR_LEVEL": "1", "SOURCE_DATE_EPOCH": "1790000000",
      ]
      let build = try run(
        packageRoot.path + "/Tools/make-packages",
        [products, "1.2.3", folder.path],
        environment: environment
      )
      #expect(build.code == 0, "\(build.errors)")
      let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
      let package = try #require(names.first { $0.hasPrefix("travelog_1.2.3_") })
      #expect(names.contains { $0.hasPrefix("travelog-1.2.3-py3-none-manylinux_2_") })
      #expect(names.contains { $0.hasPrefix("travelog-1.2.3-linux-") && $0.hasSuffix(".tar.gz") })
      let needs = try run(builder, ["--field", folder.path + "/" + package, "Depends"]).output
      #expect(needs.wholeMatch(of: /libc6 \(>= 2\.\d+\)\n/) != nil, "\(needs)")

      let root = folder.appendingPathComponent("root")
      let admin = root.appendingPathComponent("var/lib/dpkg")
      for name in ["info", "updates", "triggers"] {
        try FileManager.default.createDirectory(
          at: admin.appendingPathComponent(name),
          withIntermediateDirectories: true
        )
      }
      for name in ["status", "available"] {
        try Data().write(to: admin.appendingPathComponent(name))
      }
      func packages(_ arguments: String...) throws -> Run {
        try run(
          dpkg,
          [
            "--root=\(root.path)", "--log=\(folder.path)/dpkg.log", "--force-not-root",
            "--force-bad-path", "--force-depends",
          ] + arguments,
          environment: environment
        )
      }
      let install = try packages("--install", folder.path + "/" + package)
      #expect(install.code == 0, "\(install.errors)")
      try expectProgram(
        in: root.appendingPathComponent("usr"),
        zsh: "vendor-completions",
        manual: "1.gz"
      )
      let verify = try packages("--verify", "travelog")
      #expect(verify.code == 0 && verify.output == "", "\(verify.output)\(verify.errors)")
      let remove = try packages("--purge", "travelog")
      #expect(remove.code == 0, "\(remove.errors)")
      #expect(!FileManager.default.fileExists(atPath: root.path + "/usr"))
      let left = try files(in: root).filter { !$0.hasPrefix("var/lib/dpkg") }
      #expect(left == [])
    }
  }
}
