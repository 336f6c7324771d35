#include "CReportPage.h"

// #embed is a part of C23, and clang offers it in every version of C.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char markup[] = {
#embed "page/report.html"
};

// The order of the files is the order in the page.
static const unsigned char style[] = {
#embed "page/design.css" suffix(,)
#embed "page/report.css" suffix(,)
#embed "page/print.css"
};

static const unsigned char script[] = {
#embed "page/dom.js" suffix(,)
#embed "page/data.js" suffix(,)
#embed "page/values.js" suffix(,)
#embed "page/overview.js" suffix(,)
#embed "page/activity.js" suffix(,)
#embed "page/findings.js" suffix(,)
#embed "page/explore.js" suffix(,)
#embed "page/object.js" suffix(,)
#embed "page/print.js" suffix(,)
#embed "page/main.js"
};

ReportPageFile travelog_report_markup(void) {
  return (ReportPageFile){markup, sizeof markup};
}

ReportPageFile travelog_report_style(void) {
  return (ReportPageFile){style, sizeof style};
}

ReportPageFile travelog_report_script(void) {
  return (ReportPageFile){script, sizeof script};
}
