import Changes

/// A page in one file, which loads nothing and runs only its own script.
enum Page {
  /// A text in HTML, without control characters.
  static func escaped(_ text: String) -> String {
    var result = ""
    for scalar in visible(text).unicodeScalars {
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      case "'": result += "&#39;"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  /// A local time, without a line break.
  static func time(_ text: String) -> String { "<time>\(escaped(text))</time>" }

  /// Everything before the first heading.
  static func opening(title: String, hasScript: Bool) -> String {
    """
    <!DOCTYPE html>
    <html lang="en">
    <head>
    <meta charset="utf-8">
    <meta http-equiv="Content-Security-Policy" content="\(policy(hasScript))">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>\(escaped(title))</title>
    <style>
    \(style)
    </style>
    </head>
    <body>
    <a class="skip" href="#main">Skip to the content</a>
    <main id="main" tabindex="-1">

    """
  }

  /// Everything after the last section.
  static func ending(hasScript: Bool) -> String {
    "</main>\n" + (hasScript ? "<script>\(script)</script>\n" : "") + "</body>\n</html>\n"
  }

  private static func policy(_ hasScript: Bool) -> String {
    var base64: [UInt8] = []
    SHA256.digest(of: Array(script.utf8)).bytes.withUnsafeBytes { appendBase64($0, to: &base64) }
    let allowed =
      hasScript ? "; script-src 'sha256-\(String(decoding: base64, as: UTF8.self))'" : ""
    return "default-src 'none'; style-src 'unsafe-inline'" + allowed
  }

  /// A table with a caption; its cells are HTML.
  static func table(_ caption: String, heads: [String], rows: [[String]]) -> String {
    var html = "<div class=\"wide\"><table>\n<caption>\(escaped(caption))</caption>\n<thead><tr>"
    html += heads.map { "<th scope=\"col\">\(escaped($0))</th>" }.joined()
    html += "</tr></thead>\n<tbody>\n"
    for row in rows {
      html += "<tr>"
      for (index, cell) in row.enumerated() {
        html +=
          index == 0
          ? "<th scope=\"row\">\(cell)</th>"
          : "<td data-head=\"\(escaped(heads[index]))\">\(cell)</td>"
      }
      html += "</tr>\n"
    }
    return html + "</tbody>\n</table></div>\n"
  }

  private static let style = """
    :root { --ink: #1b1f24; --soft: #57606a; --paper: #ffffff; --wash: #f4f6f8; --line: #d0d7de;
      --link: #0550ae; --add: #116329; --gone: #a40e26; --change: #7d4e00; --bar: #2f6fbf; }
    @media (prefers-color-scheme: dark) {
      :root { --ink: #e6edf3; --soft: #9ba6b2; --paper: #0f1318; --wash: #191f27; --line: #38424d;
        --link: #79b8ff; --add: #6fdd8b; --gone: #ff9a92; --change: #e3b341; --bar: #6cb0f5; }
    }
    * { box-sizing: border-box; }
    body { margin: 0; background: var(--paper); color: var(--ink);
      font: 16px/1.5 system-ui, "DejaVu Sans", sans-serif; }
    main { max-width: 72rem; margin: 0 auto; padding: 1.5rem 1rem 4rem; }
    main:focus { outline: none; }
    h1 { font-size: 1.7rem; line-height: 1.2; margin: 0 0 .5rem; }
    h2 { font-size: 1.25rem; margin: 2.5rem 0 .5rem; border-bottom: 1px solid var(--line); }
    a { color: var(--link); }
    code, .mono { font-family: ui-monospace, "DejaVu Sans Mono", monospace; font-size: .875em;
      overflow-wrap: anywhere; }
    .soft { color: var(--soft); }
    .skip { position: absolute; left: -100rem; }
    .skip:focus { left: 1rem; top: 1rem; padding: .5rem 1rem; background: var(--paper);
      border: 2px solid var(--link); }
    .wide { overflow-x: auto; }
    table { border-collapse: collapse; width: 100%; margin: .5rem 0 1rem; }
    caption { text-align: left; color: var(--soft); padding: .25rem 0; }
    th, td { text-align: left; vertical-align: top; padding: .3rem .75rem .3rem 0;
      border-bottom: 1px solid var(--line); font-variant-numeric: tabular-nums; }
    th[scope=row] { font-weight: 600; }
    td { overflow-wrap: break-word; }
    thead th { color: var(--soft); font-weight: 600; white-space: nowrap; }
    .add { color: var(--add); } .gone { color: var(--gone); } .change { color: var(--change); }
    .card { background: var(--wash); border-left: .3rem solid var(--line); padding: .6rem 1rem;
      margin: .6rem 0; }
    .card.good { border-color: var(--add); } .card.bad { border-color: var(--gone); }
    .card.look { border-color: var(--change); }
    .card p { margin: .2rem 0; }
    details summary { cursor: pointer; color: var(--link); }
    details ul { list-style: none; margin: .25rem 0 .75rem; padding: 0 0 0 .75rem;
      border-left: 2px solid var(--line); }
    time { white-space: nowrap; }
    svg { display: block; max-width: 100%; height: auto; margin-top: .35rem; }
    svg.days { width: 100%; height: 10rem; margin: 0; }
    .axis { display: flex; justify-content: space-between; margin: 0; color: var(--soft);
      font-size: .75rem; }
    svg rect { fill: var(--bar); } rect.add { fill: var(--add); } rect.gone { fill: var(--gone); }
    rect.change { fill: var(--change); }
    svg line { stroke: var(--line); vector-effect: non-scaling-stroke; }
    label { font-weight: 600; }
    input[type=search] { font: inherit; width: min(32rem, 100%); padding: .4rem .6rem;
      color: inherit; background: var(--paper); border: 1px solid var(--soft);
      border-radius: .3rem; }
    button { font: inherit; padding: .35rem .8rem; color: inherit; background: var(--wash);
      border: 1px solid var(--soft); border-radius: .3rem; cursor: pointer; }
    :focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
    [hidden] { display: none !important; }
    @media (max-width: 40rem) {
      thead { position: absolute; left: -100rem; }
      table, tbody, tr, th[scope=row], caption { display: block; }
      tr { padding: .4rem 0; border-bottom: 1px solid var(--line); }
      th, td { border: 0; padding: 0 .75rem 0 0; overflow-wrap: anywhere; }
      td { display: inline-block; max-width: 100%; } td:empty { display: none; }
      td[data-head]::before { content: attr(data-head) " "; color: var(--soft);
        font-size: .8em; }
      td:last-child { display: block; }
    }
    @media print {
      :root { --ink: #000; --soft: #444; --paper: #fff; --wash: #fff; --line: #999; --link: #000;
        --add: #000; --gone: #000; --change: #000; --bar: #555; }
      rect.add { fill: #bbb; } rect.change { fill: #777; } rect.gone { fill: #000; }
      svg { print-color-adjust: exact; }
      body { font-size: 10pt; } main { max-width: none; padding: 0; }
      .tools, .skip { display: none; } tr, .card, svg { break-inside: avoid; }
      thead { display: table-header-group; } h2 { break-after: avoid; }
      .wide { overflow: visible; } th, td { overflow-wrap: anywhere; }
    }
    """

  /// Adds a search and a button that opens all rows.
  private static let script = """
    (function () {
      var tools = document.getElementById('tools');
      if (!tools) return;
      tools.hidden = false;
      var search = document.getElementById('search');
      var status = document.getElementById('status');
      var rows = Array.prototype.slice.call(document.querySelectorAll('#transactions tbody tr'));
      var texts = null;
      function apply() {
        texts = texts || rows.map(function (row) { return row.textContent.toLowerCase(); });
        var words = search.value.toLowerCase().split(/\\s+/).filter(Boolean);
        var shown = 0;
        rows.forEach(function (row, index) {
          var fits = words.every(function (word) { return texts[index].indexOf(word) >= 0; });
          row.hidden = !fits;
          if (fits) shown += 1;
        });
        status.textContent = words.length ? shown + ' of ' + rows.length + ' transactions' : '';
      }
      var timer = 0;
      search.addEventListener('input', function () {
        clearTimeout(timer);
        timer = setTimeout(apply, 120);
      });
      document.getElementById('open').addEventListener('click', function () {
        var all = document.querySelectorAll('#transactions tbody tr:not([hidden]) details');
        var isOpen = Array.prototype.every.call(all, function (one) { return one.open; });
        Array.prototype.forEach.call(all, function (one) { one.open = !isOpen; });
      });
      function follow() {
        var row = location.hash && document.getElementById(location.hash.slice(1));
        if (!row) return;
        row.hidden = false;
        var details = row.querySelector && row.querySelector('details');
        if (details) details.open = true;
      }
      addEventListener('hashchange', follow);
      follow();
    })();
    """
}

func many(_ count: Int64, one: String) -> String { "\(count) \(one)\(count == 1 ? "" : "s")" }
