#pragma once

#include <stddef.h>

// The files in `page`, which a developer edits as they are. The compiler embeds them.

/// The bytes of a file.
typedef struct {
  const unsigned char *_Nonnull bytes;
  size_t count;
} ReportPageFile;

/// Returns the markup around the data, with places such as `<!--title-->`.
ReportPageFile travelog_report_markup(void);
/// Returns the style sheets.
ReportPageFile travelog_report_style(void);
/// Returns the script.
ReportPageFile travelog_report_script(void);
