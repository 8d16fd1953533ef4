# Trees of rpart as `rpart_to_json` writes them, with rows and what R answers to them, for machines without R:
#   cd tests/converters/rpart && Rscript --vanilla make.R
# Made with R 4.2.2 and rpart 4.1.19. Every third cell of a column has no value in the rows, so that surrogates are asked.
library(rpart)
source("../../../src/treewright/converters/rpart_to_json.R")

with_holes <- function(rows) {
  for (i in seq_along(rows)) rows[[i]][(seq_len(nrow(rows)) + i) %% 3L == 0L] <- NA
  rows
}
keep <- function(name, fit, rows) {
  rpart_to_json(fit, paste0(name, ".json"))
  answers <- as.data.frame(if (fit$method == "class") predict(fit, rows, "prob") else cbind(answer = predict(fit, rows)))
  answers[] <- lapply(answers, function(x) sprintf("%.17g", x))
  write.csv(cbind(rows, answers), paste0(name, ".csv"), row.names = FALSE, na = "")
}
keep("kyphosis", rpart(Kyphosis ~ Age + Number + Start, kyphosis), with_holes(kyphosis[, -1]))
cars <- cu.summary[, c("Price", "Country", "Reliability", "Type")]
keep("cu_summary", rpart(Mileage ~ Price + Country + Reliability + Type, cu.summary), with_holes(cars)[1:80, ])
