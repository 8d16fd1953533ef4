# Trees of partykit's ctree with surrogates, one JSON file a table. From this folder:
#   Rscript make.R ../../../src/treewright/datasets/tables ../tables
# Which columns are factors, and the order of their levels, is read from ../ctree/*.json.
suppressMessages(library(partykit))
library(jsonlite)
folders <- commandArgs(trailingOnly = TRUE)

read_table <- function(name, told) {
  paths <- file.path(rev(folders), paste0(name, ".csv"))
  data <- read.csv(paths[file.exists(paths)][1], na.strings = "", check.names = FALSE, colClasses = "character")
  for (column in names(told$kinds)) {
    kind <- told$kinds[[column]]
    if (kind == "numeric") data[[column]] <- as.numeric(data[[column]])
    else data[[column]] <- factor(data[[column]], levels = unlist(told$levels[[column]]), ordered = kind == "ordinal")
  }
  data <- data[!is.na(data[[told$target]]), names(told$kinds)]
  data[, c(told$target, setdiff(names(data), told$target))]
}

# A split as (column, threshold, turned) or (column, levels on the left, levels on the right).
describe <- function(split, data) {
  column <- names(data)[split$varid]
  if (!is.null(split$breaks)) return(list(var = column, threshold = split$breaks, turned = split$index[1] == 2))
  levels <- levels(data[[column]])
  list(var = column, left = I(levels[which(split$index == 1)]), right = I(levels[which(split$index == 2)]))
}

walk <- function(node, data, rows) {
  ids <- which(rows %in% nodeids(node, terminal = TRUE))
  found <- list(id = id_node(node), n = length(ids))
  if (is.terminal(node)) return(list(found))
  found$split <- describe(split_node(node), data)
  asked <- lapply(surrogates_node(node), describe, data = data)
  found$surrogates <- asked[!duplicated(sapply(asked, function(s) s$var))]
  c(list(found), do.call(c, lapply(kids_node(node), walk, data = data, rows = rows)))
}

for (path in sort(Sys.glob("../ctree/*.json"))) {
  name <- sub(".json", "", basename(path))
  told <- fromJSON(path, simplifyVector = FALSE)
  data <- read_table(name, told)
  if (!anyNA(data)) next
  trees <- list()
  for (control in c("maxsurrogate = 3", "maxsurrogate = 5, alpha = 0.5")) {
    choices <- eval(parse(text = sprintf("ctree_control(%s, majority = TRUE)", control)))
    form <- as.formula(paste0("`", told$target, "` ~ ."))
    model <- ctree(form, data, control = choices)
    root <- node_party(model)
    trees[[length(trees) + 1]] <- list(control = control, nodes = walk(root, data, model$fitted[["(fitted)"]]))
  }
  content <- list(table = name, trees = trees)
  writeLines(toJSON(content, auto_unbox = TRUE, digits = 15, pretty = 1), paste0(name, ".json"))
  cat(name, length(trees[[1]]$nodes), length(trees[[2]]$nodes), "\n")
}
