# Trees that rpart grows with priors, losses, weights, given folds, other uses of surrogates, and from counts.
# Run in this folder: Rscript settings.R > settings.json   (R 4.2.2, rpart 4.1.19, jsonlite)
library(rpart)
library(jsonlite)

shipped <- "../../../src/treewright/datasets/tables"
table_of <- function(name) {
  own <- file.path("../tables", paste0(name, ".csv"))
  path <- if (file.exists(own)) own else file.path(shipped, paste0(name, ".csv"))
  read.csv(path, stringsAsFactors = TRUE, na.strings = "", check.names = FALSE)
}

# Row i is in fold (7 * i) mod 10: any rule that a test can repeat.
folds <- function(n) (7 * seq_len(n)) %% 10 + 1

one_split <- function(fit, line) {
  s <- fit$splits[line, ]
  found <- list(var = rownames(fit$splits)[line], improve = s[["improve"]])
  if (abs(s[["ncat"]]) == 1) {
    found$threshold <- s[["index"]]
    found$less_goes <- if (s[["ncat"]] < 0) "left" else "right"
  } else {
    where <- fit$csplit[s[["index"]], seq_len(s[["ncat"]])]
    levels <- attr(fit, "xlevels")[[found$var]]
    found$left <- I(levels[where == 1])
    found$right <- I(levels[where == 3])
  }
  found
}

one_surrogate <- function(fit, line) {
  found <- one_split(fit, line)
  c(found["var"], list(agree = found$improve, adj = fit$splits[line, "adj"]), found[-(1:2)])
}

nodes_of <- function(fit) {
  frame <- fit$frame
  first <- cumsum(c(1, frame$ncompete + frame$nsurrogate + (frame$var != "<leaf>")))
  lapply(seq_len(nrow(frame)), function(i) {
    node <- list(id = as.integer(rownames(frame))[i], n = frame$n[i], weight = frame$wt[i], risk = frame$dev[i], cp = frame$complexity[i])
    node$answer <- if (fit$method == "class") attr(fit, "ylevels")[frame$yval[i]] else frame$yval[i]
    if (fit$method == "class") {
      k <- length(attr(fit, "ylevels"))
      node$counts <- frame$yval2[i, 1 + seq_len(k)]
      node$shares <- frame$yval2[i, 1 + k + seq_len(k)]
    }
    if (frame$var[i] == "<leaf>") return(node)
    node <- c(node, one_split(fit, first[i]))
    node$competitors <- lapply(seq_len(frame$ncompete[i]), function(j) one_split(fit, first[i] + j))
    node$surrogates <- lapply(seq_len(frame$nsurrogate[i]), function(j) one_surrogate(fit, first[i] + frame$ncompete[i] + j))
    node
  })
}

case <- function(name, table, target, ..., drop = character(), method = NULL, answer = NULL) {
  d <- table_of(table)
  d <- d[, setdiff(names(d), drop)]
  if (is.null(answer)) answer <- as.formula(paste(target, "~ ."))
  fit <- do.call(rpart, c(list(answer, data = d, xval = folds(nrow(d))), if (!is.null(method)) list(method = method), list(...)))
  table <- fit$cptable
  list(case = name, cp_table = as.data.frame(table), importance = as.list(fit$variable.importance), nodes = nodes_of(fit))
}

loss <- matrix(c(0, 4, 1, 0), 2) # row: truth, column: answer
many <- matrix(c(0, 1, 2, 1, 5, 1, 1, 0, 1, 1, 1, 1, 1, 3, 0, 1, 1, 1, 1, 1, 1, 0, 2, 1, 1, 1, 4, 1, 0, 1, 2, 1, 1, 1, 1, 0), 6)
counts <- cbind(years, claims) ~ age + region + power
cases <- list(
  case("kyphosis", "kyphosis", "Kyphosis"),
  case("kyphosis_priors", "kyphosis", "Kyphosis", parms = list(prior = c(.65, .35))),
  case("kyphosis_losses", "kyphosis", "Kyphosis", parms = list(loss = loss)),
  case("kyphosis_both", "kyphosis", "Kyphosis", parms = list(prior = c(.65, .35), loss = loss, split = "information")),
  case("kyphosis_weights", "kyphosis", "Kyphosis", weights = rep(1:3, 27)),
  case("heart_stop", "heart_c", "num", usesurrogate = 0),
  case("heart_known_only", "heart_c", "num", usesurrogate = 1),
  case("heart_both_known", "heart_c", "num", surrogatestyle = 1),
  case("labor_stop", "labor", "class", usesurrogate = 0, cp = 0, minsplit = 4),
  case("labor_known_only", "labor", "class", usesurrogate = 1, cp = 0, minsplit = 4),
  case("labor_both_known", "labor", "class", surrogatestyle = 1, cp = 0, minsplit = 4),
  case("glass_priors", "glass", "Type", parms = list(prior = rep(1 / 6, 6)), cp = 0.02),
  case("glass_losses", "glass", "Type", parms = list(loss = many), cp = 0.02),
  case("penguins_priors", "penguins", "species", parms = list(prior = c(.2, .5, .3)), cp = 0, minsplit = 5),
  case("cars", "car_test_frame", "Mileage"),
  case("cars_weights", "car_test_frame", "Mileage", weights = rep(c(1, 2, 5, 3), 15), minsplit = 10),
  case("cu_known_only", "cu_summary", "Price", usesurrogate = 1, minsplit = 10),
  case("cu_both_known", "cu_summary", "Price", surrogatestyle = 1, minsplit = 10),
  case("airquality", "airquality", "Ozone", minsplit = 10),
  case("hardly_pays", "hardly_pays", "y"),
  case("claims", "claims", method = "poisson", answer = counts),
  case("claims_full", "claims", method = "poisson", answer = counts, cp = 0, minsplit = 10),
  case("claims_no_shrink", "claims", method = "poisson", answer = counts, parms = list(shrink = 0), cp = 0.005),
  case("claims_half_shrink", "claims", method = "poisson", answer = counts, parms = list(shrink = 0.5), cp = 0.005),
  case("claims_no_exposure", "claims", "claims", method = "poisson", drop = "years", cp = 0.005)
)
cat("[\n", paste(sapply(cases, toJSON, digits = 12, auto_unbox = TRUE, always_decimal = FALSE), collapse = ",\n"), "\n]\n", sep = "")
