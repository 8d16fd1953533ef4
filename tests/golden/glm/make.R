# Coefficients of glm(..., family = binomial) on tables that ship with treewright, rows with a missing value left out.
# Run from the top of the repository: Rscript tests/golden/glm/make.R
Sys.setlocale("LC_COLLATE", "C")
fits <- list(
  list("kyphosis", "Kyphosis", FALSE), list("kyphosis", "Kyphosis", TRUE), list("titanic", "survived", FALSE),
  list("credit_g", "class", FALSE), list("heart_c", "num", FALSE), list("credit_g", "class", TRUE)
)
numbers <- NULL
wholes <- NULL
for (fit in fits) {
  table <- read.csv(paste0("src/treewright/datasets/tables/", fit[[1]], ".csv"), stringsAsFactors = TRUE,
                    na.strings = "", check.names = FALSE, colClasses = NA)
  table <- na.omit(table)
  table$the_weight <- if (fit[[3]]) seq_len(nrow(table)) %% 3 + 1 else rep(1, nrow(table))
  formula <- as.formula(paste0("`", fit[[2]], "` ~ . - the_weight"))
  model <- glm(formula, binomial, table, weights = the_weight, epsilon = 1e-14, maxit = 100)
  found <- summary(model)$coefficients
  name <- paste0(fit[[1]], if (fit[[3]]) " weighted" else "")
  numbers <- rbind(numbers, data.frame(
    fit = name, coefficient = rownames(found), estimate = found[, 1], std_error = found[, 2], z_value = found[, 3],
    p_value = found[, 4]
  ))
  wholes <- rbind(wholes, data.frame(
    fit = name, deviance = model$deviance, null_deviance = model$null.deviance, aic = model$aic,
    freedom = model$df.residual, null_freedom = model$df.null
  ))
}
options(digits = 15)
write.csv(numbers, "tests/golden/glm/coefficients.csv", row.names = FALSE)
write.csv(wholes, "tests/golden/glm/fits.csv", row.names = FALSE)
