# Fits trees of rpart, writes them by the shipped script, and writes what R answers to other rows:
# Rscript fit_and_ask.R SCRIPT FOLDER...
# A folder has train.csv, ask.csv, levels.R, and case.R, which gives `fit` from the data frame `train`. The ending of a
# column's name tells its kind.
library(rpart)
LOSSES <- matrix(c(0, 1, 4, 2, 0, 1, 1, 3, 0), 3)
words <- commandArgs(TRUE)
source(words[1])
read <- function(path) {
  rows <- read.csv(path, colClasses = "character", na.strings = "NA", check.names = FALSE, encoding = "UTF-8")
  for (name in names(rows)) {
    kind <- sub(".*_", "", name)
    rows[[name]] <- switch(kind,
      number = as.numeric(rows[[name]]), level = factor(rows[[name]], LEVELS), text = rows[[name]],
      order = factor(rows[[name]], LEVELS, ordered = TRUE), flag = rows[[name]] == "True",
      class = factor(rows[[name]], c("no", "perhaps", "yes")), as.numeric(rows[[name]]))
  }
  rows
}
for (folder in words[-1]) {
  source(file.path(folder, "levels.R"), encoding = "UTF-8")
  train <- read(file.path(folder, "train.csv"))
  ask <- read(file.path(folder, "ask.csv"))
  set.seed(1)
  source(file.path(folder, "case.R"))
  rpart_to_json(fit, file.path(folder, "tree.json"))
  numbers <- if (fit$method == "class") predict(fit, ask, "prob") else cbind(predict(fit, ask))
  label <- if (fit$method == "class") as.character(predict(fit, ask, "class")) else rep("-", nrow(ask))
  where <- rpart:::pred.rpart(fit, rpart:::rpart.matrix(model.frame(delete.response(fit$terms), ask, na.action = na.pass,
                                                                   xlev = attr(fit, "xlevels"))))
  lines <- paste(row.names(fit$frame)[where], label, apply(numbers, 1, function(row) paste(sprintf("%a", row), collapse = " ")))
  writeLines(lines, file.path(folder, "answers.txt"))
}
