# Writes a tree of rpart as JSON that treewright reads: tw.from_r("tree.json") in Python. Needs nothing but R.
#
#   source("rpart_to_json.R")
#   rpart_to_json(fit, "tree.json")
#
# Numbers are written with 17 digits, which give back every bit. Nothing of the training rows is written.
rpart_to_json <- function(fit, path) {
  if (!inherits(fit, "rpart")) stop("rpart_to_json takes what rpart() gave, not ", class(fit)[1])

  # A text in plain ASCII, so that no locale changes it.
  text <- function(word) {
    one <- function(word) {
      codes <- utf8ToInt(enc2utf8(word))
      letters <- vapply(codes, function(code) {
        if (code %in% c(34L, 92L)) return(paste0("\\", intToUtf8(code)))
        if (code >= 32L && code < 127L) return(intToUtf8(code))
        if (code <= 65535L) return(sprintf("\\u%04x", code))
        code <- code - 65536L
        sprintf("\\u%04x\\u%04x", 55296L + code %/% 1024L, 56320L + code %% 1024L)
      }, "")
      paste0('"', paste(letters, collapse = ""), '"')
    }
    if (anyNA(word)) stop("a level is NA; give it a name before training, such as \"none\"")
    vapply(as.character(word), one, "", USE.NAMES = FALSE)
  }
  number <- function(x) ifelse(is.finite(x), sprintf("%.17g", as.numeric(x)), "null")
  list_of <- function(written) paste0("[", paste(written, collapse = ", "), "]")
  matrix_of <- function(x) list_of(apply(x, 1, function(row) list_of(number(row))))
  object <- function(...) {
    parts <- c(...)
    paste0("{", paste0('"', names(parts), '": ', parts, collapse = ",\n "), "}")
  }

  terms <- fit$terms
  names_of <- sub("^`(.*)`$", "\\1", attr(terms, "term.labels"))
  classes <- attr(terms, "dataClasses")
  names(classes) <- sub("^`(.*)`$", "\\1", names(classes))
  xlevels <- attr(fit, "xlevels")
  names(xlevels) <- sub("^`(.*)`$", "\\1", names(xlevels))
  column <- function(name) {
    object(name = text(name), class = text(if (is.na(classes[name])) "unknown" else classes[name]),
           levels = list_of(if (is.null(xlevels[[name]])) character() else text(xlevels[[name]])))
  }

  frame <- fit$frame
  ylevels <- attr(fit, "ylevels")
  k <- length(ylevels)
  of_classes <- if (k) c(
    counts = matrix_of(frame$yval2[, 1L + seq_len(k), drop = FALSE]),
    shares = matrix_of(frame$yval2[, 1L + k + seq_len(k), drop = FALSE])
  )
  written_frame <- object(
    node = list_of(row.names(frame)), var = list_of(text(frame$var)), n = list_of(number(frame$n)),
    wt = list_of(number(frame$wt)), dev = list_of(number(frame$dev)), yval = list_of(number(frame$yval)),
    complexity = list_of(number(frame$complexity)), ncompete = list_of(number(frame$ncompete)),
    nsurrogate = list_of(number(frame$nsurrogate)), of_classes
  )
  splits <- fit$splits
  written_splits <- if (is.null(splits)) "null" else object(
    var = list_of(text(sub("^`(.*)`$", "\\1", rownames(splits)))), ncat = list_of(number(splits[, "ncat"])),
    improve = list_of(number(splits[, "improve"])), index = list_of(number(splits[, "index"])),
    adj = list_of(number(splits[, "adj"]))
  )
  target <- if (attr(terms, "response") == 1L) deparse(attr(terms, "variables")[[2L]], width.cutoff = 500L)[1L] else ""
  document <- object(
    format = text("rpart for treewright"), version = "1", r = text(as.character(getRversion())),
    method = text(fit$method), target = text(gsub("`", "", target)), ylevels = list_of(if (k) text(ylevels)),
    usesurrogate = number(fit$control$usesurrogate), columns = list_of(vapply(names_of, column, "")),
    frame = written_frame, splits = written_splits, csplit = if (is.null(fit$csplit)) "[]" else matrix_of(fit$csplit)
  )
  # A file by its name, or a place that is open for writing, such as stdout().
  if (is.character(path)) writeLines(document, path, useBytes = TRUE) else writeLines(document, path)
  invisible(path)
}
